"""Separable or not, proved: methods that agree, certificates that cancel, margins that are maximal, claims that verify.

Everything an answer claims is checked here again from the data alone, in fractions where it says that it is exact.
"""

import csv
import gzip
import itertools
import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, count, product

import clockless
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from identity import every
from problems import against_rivals, augmented, best_margin, few, radius2, separable, separable_classes, signed
from refusals import LABELS, X, one_sentence, with_cell
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import SVC

import rosenblatt as rb

biases = pytest.mark.parametrize("bias", [False, True])
METHODS = ("auto", "programme", "run", "duplicates", "revisit")

FOUR_POINTS = np.array([[1, 3], [2, 3], [-3, 1], [1, -1]]), np.array([1, -1, 1, -1])
PHRASES = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]]), np.array([1, -1, -1, 1])
PAIRS = np.hstack((PHRASES[0], [[0, 0], [0, 0], [1, 0], [0, 1]])), PHRASES[1]
XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
THREE_POINTS = np.array([[0, 0], [1, 0], [0, 1]]), np.array([-1, 1, 1])


# ---- what the tests compute themselves ---------------------------------------------------------------------------


def fraction(value):
    """A float is the decimal number that it prints as."""
    return Fraction(str(value)) if isinstance(value, (float, np.floating)) else Fraction(value)


def exact_vectors(X, codes, n_classes, bias):
    """For each row and wrong class (two classes: for each row) the vector z, in fractions, with a place for its λ."""
    found = {}
    for i, (x, c) in enumerate(zip(np.asarray(X).tolist(), codes)):
        x = [fraction(v) for v in x] + [Fraction(1)] * bias
        if n_classes == 2:
            found[i] = x if c == 1 else [-v for v in x]
            continue
        for r in set(range(n_classes)) - {int(c)}:
            z = [Fraction(0)] * (n_classes * len(x))
            z[c * len(x) : (c + 1) * len(x)] = x
            z[r * len(x) : (r + 1) * len(x)] = [-v for v in x]
            found[i, r] = z
    return found


def combined(vectors, weights):
    """Σ λ·z."""
    total = [Fraction(0)] * len(next(iter(vectors.values())))
    for place, z in vectors.items():
        a = fraction(weights[place])
        if a:
            total = [t + a * v for t, v in zip(total, z)]
    return total


def check_certificate(answer, X, codes, n_classes, bias):
    """λ ≥ 0, whole, not all 0, nothing against the own class, and Σ λ·z exactly 0."""
    lam = answer.certificate
    assert answer.exact
    assert lam.shape == ((len(X),) if n_classes == 2 else (len(X), n_classes))
    assert all(fraction(a) >= 0 and fraction(a).denominator == 1 for a in lam.ravel().tolist())
    assert lam.any()
    if n_classes > 2:
        assert not lam[np.arange(len(X)), codes].any()
    assert not any(combined(exact_vectors(X, codes, n_classes, bias), lam))
    assert answer.support.tolist() == np.flatnonzero(lam.reshape(len(X), -1).any(axis=1)).tolist()
    assert (answer.margin, answer.margin_augmented, answer.w, answer.b) == (0.0, 0.0, None, None)


def check_separator(answer, X, codes, n_classes, bias):
    """w·z > 0 for every z, without rounding; a bias only where one was allowed."""
    w, b = np.atleast_2d(answer.w), np.atleast_1d(answer.b)
    assert answer.certificate is None
    assert bias or not b.any()
    whole = [fraction(v) for row in np.column_stack((w, b) if bias else (w,)).tolist() for v in row]
    for z in exact_vectors(X, codes, n_classes, bias).values():
        assert sum(a * v for a, v in zip(whole, z)) > 0


def vectors_of(X, codes, n_classes, bias):
    X = augmented(np.asarray(X, float), bias)
    return signed(X, 2 * np.asarray(codes) - 1) if n_classes == 2 else against_rivals(X, codes, n_classes)


def distance2(points):
    """The squared distance of the origin from the hull of points in a plane that does not hold it, in fractions."""
    points = [[fraction(v) for v in p] for p in points]
    found = [p[0] ** 2 + p[1] ** 2 for p in points]
    for p, q in combinations(points, 2):
        d = [b - a for a, b in zip(p, q)]
        length = d[0] ** 2 + d[1] ** 2
        along = -(p[0] * d[0] + p[1] * d[1])
        if 0 < along < length:
            found.append((p[0] * d[1] - p[1] * d[0]) ** 2 / length)
    return min(found)


def differences(X, codes):
    """p − q for each point p of one class and q of the other: their hull is 2γ away from the origin."""
    X = np.asarray(X).tolist()
    sides = [[x for x, c in zip(X, codes) if c == side] for side in (1, 0)]
    return [[fraction(a) - fraction(b) for a, b in zip(p, q)] for p, q in product(*sides)]


@st.composite
def small(draw, classes=(2, 3, 4), features=(1, 2, 3, 4), kinds=("integers",), max_rows=10):
    """Few small numbers with many ties: repeated rows, zero rows, zero columns; half of them labelled by a rule."""
    k, d = draw(st.sampled_from(classes)), draw(st.sampled_from(features))
    n, kind = draw(st.integers(k, max_rows)), draw(st.sampled_from(kinds))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    X = rng.integers(-2, 3, (n, d)) * (rng.random((n, d)) < rng.choice([0.5, 1]))
    if draw(st.booleans()):
        X[rng.integers(n)] = X[rng.integers(n)]
    if draw(st.booleans()):
        X[:, rng.integers(d)] = 0
    if draw(st.booleans()):
        X[rng.integers(n)] = 0
    codes = rng.permutation(np.append(np.arange(k), rng.integers(0, k, n - k)))
    if draw(st.booleans()):
        ruled = (X @ rng.integers(-3, 4, (d, k)) + rng.integers(-1, 2, k)).argmax(axis=1)
        codes = np.unique(ruled, return_inverse=True)[1] if len(set(ruled)) > 1 else codes
    if kind == "tenths":
        X = X / 10
    elif kind == "float32":
        X = (X / 10).astype(np.float32)
    elif kind == "fractions":
        X = np.array([[Fraction(int(v), int(rng.integers(1, 6))) for v in row] for row in X], object)
    return X, codes, len(set(codes.tolist()))


# ---- the answer is right, however it was found -------------------------------------------------------------------


def check_answer(answer, X, codes, n_classes, bias):
    """Everything that it claims."""
    assert answer.verify(X, codes), answer.verify(X, codes).reason
    assert answer.how
    if answer.separable:
        check_separator(answer, X, codes, n_classes, bias)
    else:
        check_certificate(answer, X, codes, n_classes, bias)
    assert answer.verdict == ("separable" if answer.separable else "inseparable")
    assert answer.verdict in str(answer)
    assert answer.how in str(answer)
    assert np.isclose(answer.R, np.sqrt(radius2(augmented(np.asarray(X, float), bias))))


@pytest.mark.diagonal
@biases
@pytest.mark.parametrize("kind", ["integers", "tenths", "float32", "fractions"])
@given(data=st.data())
def test_methods_never_contradict_each_other(kind, bias, data):
    X, codes, k = data.draw(small(kinds=(kind,)))
    methods = METHODS[: 5 if kind == "integers" else 4]  # a cycle of fractions can be very long
    answers = {method: rb.separability(X, codes, bias, method=method, maximize=False) for method in methods}
    decided = {method: answer for method, answer in answers.items() if answer.separable is not None}
    assert len({answer.separable for answer in decided.values()}) == 1, {m: a.how for m, a in decided.items()}
    assert decided.keys() >= {"auto", "programme"}
    assert "revisit" in decided or kind != "integers"
    for answer in decided.values():
        check_answer(replace(answer, margin=None) if answer.separable else answer, X, codes, k, bias)
        assert answer.exact
    for method in answers.keys() - decided.keys():
        assert "neither" in answers[method].how
        assert not answers[method].verify(X, codes)


@pytest.mark.diagonal
@biases
@pytest.mark.parametrize("kind", ["integers", "tenths", "float32", "fractions"])
@given(data=st.data())
def test_an_answer_proves_itself_and_agrees_with_the_oracle(kind, bias, data):
    X, codes, k = data.draw(small(kinds=(kind,)))
    answer = rb.separability(X, codes, bias)
    assert answer.separable is not None
    check_answer(answer, X, codes, k, bias)
    Z = vectors_of(X, codes, k, bias)
    low, high = best_margin(Z)
    assert answer.separable == (low > 0)
    if not answer.separable:  # a vertex: no more points than the rank of the equations, and the factor
        points = np.count_nonzero(answer.certificate)
        assert points <= np.linalg.matrix_rank(Z) + 1
        return
    assert np.isclose(answer.margin_augmented, high, rtol=1e-6)
    check_margins(answer, X, codes, k, bias)


def check_margins(answer, X, codes, k, bias):
    """The bounds are proved by w and by the duals, whose λ balance the bias of the geometric one; they are closed."""
    for value, (low, high) in (
        (answer.margin, answer.margin_bounds),
        (answer.margin_augmented, answer.margin_augmented_bounds),
    ):
        assert low <= value <= high <= low * (1 + 1e-6)
    assert answer.margin_augmented <= answer.margin * (1 + 1e-9)
    points = vectors_of(X, codes, k, False) @ np.ravel(answer.w)
    if bias:
        b = np.ravel(answer.b)
        points = points + (vectors_of(np.zeros((len(X), 0)), codes, k, True) @ b)
    assert np.isclose(points.min() / np.linalg.norm(answer.w), answer.margin, rtol=1e-6)
    for dual, high, balanced in (
        (answer.dual, answer.margin_bounds[1], True),
        (answer.dual_augmented, answer.margin_augmented_bounds[1], False),
    ):
        vectors = exact_vectors(X, codes, k, bias)
        assert all(a >= 0 for a in dual.ravel().tolist())
        total = sum(fraction(dual[place]) for place in vectors)
        v = combined(vectors, dual)
        if bias and balanced:
            width = np.shape(X)[1] + 1
            assert max(abs(a) for a in v[width - 1 :: width]) <= 1e-9 * total
            v = [a for j, a in enumerate(v) if j % width != width - 1]
        assert math.sqrt(sum(a * a for a in v)) / total <= high * (1 + 1e-9)


@biases
@given(data=st.data())
def test_margins_of_points_in_a_plane_are_exact(bias, data):
    """Against all pairs of points and of points and edges, in fractions."""
    X, codes, _ = data.draw(small(classes=(2,), features=(2,), kinds=("integers", "tenths", "fractions"), max_rows=8))
    answer = rb.separability(X, codes, bias)
    if not answer.separable:
        return
    assert answer.exact
    if bias:
        assert answer.margin_squared == distance2(differences(X, codes)) / 4
    else:
        assert answer.margin_squared == distance2(exact_vectors(X, codes, 2, False).values())
        assert answer.margin_augmented_squared == answer.margin_squared
    assert np.isclose(answer.margin**2, float(answer.margin_squared), rtol=1e-12)
    assert np.isclose(answer.margin_augmented**2, float(answer.margin_augmented_squared), rtol=1e-12)


@given(data=st.data())
def test_the_margin_of_small_integers_is_always_found_exactly(data):
    """Also where the support points are in special position, so that many λ prove the same margin."""
    X, codes, _ = data.draw(small(classes=(2,), features=(2, 3, 4)))
    answer = rb.separability(X, codes)
    if answer.separable:
        assert answer.exact
        assert answer.margin_squared is not None
        assert answer.margin_augmented_squared is not None
        assert answer.verify(X, codes).exact


def test_many_duals_of_one_margin():
    """Five points on the two edges of a corridor: some λ of the equations are negative, others are not."""
    X, y = [[-1, 0, -1], [-2, 2, 1], [-1, 2, 0], [0, 2, 0], [0, 0, 0]], [1, 0, 1, 1, 0]
    answer = rb.separability(X, y)
    assert np.isclose(answer.margin, best_margin(np.array(differences(X, y), float))[1] / 2, rtol=1e-9)
    assert answer.exact
    assert answer.margin_squared == Fraction(1, 5)


@given(data=st.data(), d=st.sampled_from([1, 3, 5]))
def test_the_geometric_margin_is_half_the_distance_of_the_hulls(data, d):
    X, y, _, _ = data.draw(separable(bias=True, features=(d,)))
    codes = (y > 0).astype(int)
    answer = rb.separability(X, y)
    high = best_margin(np.array(differences(X, codes), float))[1]
    assert np.isclose(answer.margin, high / 2, rtol=1e-6)


@given(data=st.data(), shift=st.integers(-50, 50))
def test_a_margin_with_a_bias_stays_where_the_points_go(data, shift):
    X, y, _, _ = data.draw(separable(bias=True))
    here, there = rb.separability(X, y), rb.separability(X + shift, y)
    assert here.margin_squared == there.margin_squared
    assert np.isclose(here.margin, there.margin, rtol=1e-9)


@given(data=st.data(), bias=st.booleans(), scale=st.sampled_from([2, 7, 1000]))
def test_what_else_leaves_the_answer_alone(data, bias, scale):
    X, codes, _ = data.draw(small())
    answer, k = rb.separability(X, codes, bias), len(set(codes.tolist()))
    order = np.random.default_rng(len(X)).permutation(len(X))
    same = {
        "order": rb.separability(X[order], codes[order], bias),
        "zeros": rb.separability(np.hstack((X, 0 * X[:, :1])), codes, bias),
        "twice": rb.separability(np.vstack((X, X)), np.append(codes, codes), bias),
        "labels": rb.separability(X, np.array(["a", "b", "c", "d"])[codes[:]], bias),
        "flipped": rb.separability(X, (k - 1) - codes, bias),
    }
    for name, other in same.items():
        assert other.separable == answer.separable, name
        if answer.separable:
            assert np.isclose(other.margin, answer.margin, rtol=1e-6), name
            assert np.isclose(other.margin_augmented, answer.margin_augmented, rtol=1e-6), name
    larger = rb.separability(scale * X, codes, bias)
    assert larger.separable == answer.separable
    if answer.separable:
        assert np.isclose(larger.margin, scale * answer.margin, rtol=1e-6)


@pytest.mark.parametrize("kind", ["csr", "csc", "csr int8", "Fortran", "float32", "frame", "list", "object"])
@settings(max_examples=10)
@given(data=st.data(), bias=st.booleans())
def test_every_container_has_the_same_answer(kind, data, bias):
    X, codes, _ = data.draw(small(features=(2, 3)))
    same = {
        "csr": lambda: sparse.csr_array(X.astype(float)),
        "csc": lambda: sparse.csc_matrix(X),
        "csr int8": lambda: sparse.csr_matrix(X.astype(np.int8)),
        "Fortran": lambda: np.asfortranarray(X, float),
        "float32": lambda: X.astype(np.float32),
        "frame": lambda: pd.DataFrame(X),
        "list": X.tolist,
        "object": lambda: X.astype(object),
    }[kind]()
    one, other = rb.separability(X, codes, bias), rb.separability(same, codes, bias)
    assert (other.separable, other.exact, other.how) == (one.separable, one.exact, one.how)
    assert other.verify(same, codes)
    assert other.verify(X, codes)
    assert one.verify(same, codes)
    if one.separable:
        assert np.isclose(other.margin, one.margin, rtol=1e-9)
    else:
        assert other.certificate.tolist() == one.certificate.tolist()


# ---- worked examples ---------------------------------------------------------------------------------------------


@biases
@pytest.mark.parametrize("method", ["auto", "programme", "revisit"])
def test_the_phrases_cancel(bias, method):
    X, y = PHRASES
    answer = rb.separability(X, y, bias, method=method)
    assert answer.separable is False
    assert answer.certificate.tolist() == [1, 1, 1, 1]
    assert answer.certificate.dtype == np.int64
    assert answer.exact
    assert answer.verify(X, y).exact


@biases
def test_with_word_pairs_the_phrases_separate(bias):
    """w = (1, −1, 0, −2, 2) has margins 1 and length √10; of unit rows z with γ² = 1/Σ λ, λ = (3, 3, 2, 2)."""
    X, y = PAIRS
    answer = rb.separability(X, y, bias)
    assert answer.separable
    assert answer.margin_squared == Fraction(1, 10)
    assert answer.margin_augmented_squared == Fraction(1, 10)  # symmetric: no bias helps
    assert np.allclose(answer.w / answer.w[0], [1, -1, 0, -2, 2])


def test_four_points_through_the_origin():
    X, y = FOUR_POINTS
    answer = rb.separability(X, y, fit_intercept=False)
    assert answer.margin_squared == Fraction(1, 5)  # w = (−2, 1): the smallest of 1, 1, 7, 3, over √5
    assert np.allclose(answer.w / answer.w[1], [-2, 1])
    assert np.isclose(answer.mistake_bound, 13 * 5)
    assert rb.Perceptron(fit_intercept=False, shuffle=False, tol=None).fit(X, y).n_updates_ == 13 <= 65


@pytest.mark.parametrize("method", ["auto", "programme", "revisit"])
def test_xor(method):
    X, y = XOR
    answer = rb.separability(X, y, method=method)
    assert answer.certificate.tolist() == [1, 1, 1, 1]
    assert answer.verify(X, y)
    assert rb.separability(X, y, fit_intercept=False, method=method).separable is False


def test_three_points():
    """x + y = 1/2 runs 1/√8 from each; with a bias that counts, (2, 2, −1) gives all three 1."""
    X, y = THREE_POINTS
    answer = rb.separability(X, y)
    assert answer.margin_squared == Fraction(1, 8)
    assert answer.margin_augmented_squared == Fraction(1, 9)
    assert answer.support.tolist() == [0, 1, 2]
    assert np.allclose(np.append(answer.w, answer.b), np.array([4, 4, -2]) / 2)
    assert np.isclose(answer.mistake_bound, 2 * 9)
    assert "1/8" in str(answer)
    assert "1/9" in str(answer)


def test_one_feature():
    answer = rb.separability([[1], [2], [5], [9]], ["low", "low", "high", "high"])
    assert answer.margin_squared == Fraction(9, 4)
    assert answer.support.tolist() == [1, 2]
    assert np.isclose(-answer.b / answer.w[0], 3.5)
    mixed = rb.separability([[1], [5], [3]], ["low", "low", "high"])
    assert mixed.certificate.tolist() == [1, 1, 2]


def test_equal_rows_with_different_labels():
    X, y = [[1, 2], [3, 4], [5, 6], [1, 2]], [0, 0, 1, 1]
    for method in ("auto", "duplicates"):
        answer = rb.separability(X, y, method=method)
        assert answer.certificate.tolist() == [1, 0, 0, 1]
        assert "rows 0 and 3" in answer.how
    assert rb.separability(X[:3], y[:3], method="duplicates").separable is None


def test_the_certificate_of_a_programme_is_small():
    """Two equal rows among many that overlap: other vertices than the first are tried."""
    sizes = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows, y = rng.integers(0, 2, (40, 6)), rng.integers(0, 2, 40)
        y[:2] = 0, 1
        rows[1] = rows[0]
        answer = rb.separability(rows, y, method="programme")
        assert answer.verify(rows, y).exact
        sizes.append(len(answer.support))
    assert max(sizes) <= 4  # a vertex may have 8


@biases
def test_equal_rows_of_three_classes(bias):
    """The two-row certificate, lifted: the first against the class of the second, and the other way round."""
    X, y = [[1, 2], [3, 4], [5, 6], [1, 2], [0, 7]], ["a", "b", "b", "c", "a"]
    answer = rb.separability(X, y, bias, method="duplicates")
    expected = np.zeros((5, 3), int)
    expected[0, 2] = expected[3, 0] = 1
    assert answer.certificate.tolist() == expected.tolist()
    assert answer.verify(X, y).exact
    check_certificate(answer, np.array(X), [0, 1, 1, 2, 0], 3, bias)


@pytest.mark.parametrize("y", [[0, 1, 1], [0, 1, 2]])
def test_a_zero_row_without_a_bias(y):
    X = [[1, 2], [0, 0], [-3, 1]]
    answer = rb.separability(X, y, fit_intercept=False)
    assert answer.separable is False
    assert answer.support.tolist() == [1]
    assert "row 1" in answer.how
    assert answer.verify(X, y)
    assert rb.separability(X, y, fit_intercept=True).separable


def test_integers_that_are_one_float_are_two_points():
    X, y = np.array([[2**53], [2**53 + 1], [0]]), [0, 1, 0]
    answer = rb.separability(X, y, method="duplicates")
    assert answer.separable is None
    assert rb.separability(np.array([[2**53 + 1], [2**53 + 1]]), [0, 1]).separable is False
    X, y = np.array([[2**53], [2**53 + 1], [7], [7], [-(2**53)], [-(2**53) - 1]]), [0, 1, 0, 1, 0, 1]
    answer = rb.separability(X, y, method="duplicates")  # neighbours as floats on either side of a true pair
    assert answer.certificate.tolist() == [0, 0, 1, 1, 0, 0]


def test_decimals_are_what_they_say():
    """(0.1, 0.7) and (0.3, 2.1) lie on one ray, though no float does: labelled apart, nothing through 0 separates."""
    X, y = np.array([[0.1, 0.7], [0.3, 2.1]]), [0, 1]
    answer = rb.separability(X, y, fit_intercept=False)
    assert answer.separable is False
    assert answer.certificate.tolist() == [3, 1]
    assert answer.exact


def test_float32_means_one_thing():
    """Either 0.1 or the nearest float32: whatever decides, the answer and its check read the same number."""
    for rows, y, bias in (
        (np.array([[0.1, 0.7], [0.3, 2.1]], np.float32), [0, 1], False),
        (np.array([[0.1], [0.3]], np.float32), [0, 1], True),
        (np.array([[0.1, 0.2], [0.3, -0.1], [0.2, 0.2]], np.float32), [0, 1, 1], True),
    ):
        answers = [rb.separability(rows, y, bias, method=method) for method in ("auto", "programme", "run")]
        assert len({answer.separable for answer in answers} - {None}) == 1
        for answer in answers:
            assert answer.separable is None or answer.verify(rows, y), answer.verify(rows, y).reason


# ---- runs --------------------------------------------------------------------------------------------------------

ADDITIVE = [
    rb.Perceptron(),
    rb.Perceptron(eta0=0.3, margin=0.5, multiclass="uniform"),
    rb.Perceptron(multiclass="proportional", ties="predict"),
    rb.AveragedPerceptron(),
    rb.PocketPerceptron(),
    rb.BatchPerceptron(),
    rb.PassiveAggressiveClassifier(variant="PA"),
    rb.PassiveAggressiveClassifier(C=0.1, average=True),
    rb.PassiveAggressiveClassifier(variant="PA-II"),
    rb.MIRA(),
    rb.MIRA(C=0.05),
    rb.MIRA(variant="norm"),
]


@pytest.mark.diagonal
@every(ADDITIVE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@few
@given(data=st.data(), bias=st.booleans(), seed=st.integers(0, 99), classes=st.booleans())
def test_the_maximum_margin_lies_within_the_bounds_of_every_run(estimator, dtype, data, bias, seed, classes):
    if classes:
        X, y, _ = data.draw(separable_classes())
    else:
        X, y, _, _ = data.draw(separable(bias=bias))
    X = X.astype(dtype)
    answer = rb.separability(X, y, bias)
    room = 1e-9 * answer.R
    given = {**estimator.get_params(), "fit_intercept": bias, "random_state": seed, "tol": None}
    for passes in (1, 3, 100):
        lower, upper = type(estimator)(**{**given, "max_iter": passes}).fit(X, y).margin_bounds_
        assert lower <= answer.margin_augmented + room
        assert answer.margin_augmented <= upper + room


@pytest.mark.parametrize("ties", ["mistake", "predict"])
@given(data=st.data(), bias=st.booleans(), seed=st.integers(0, 99), classes=st.booleans())
def test_no_perceptron_makes_more_mistakes_than_the_answer_allows(ties, data, bias, seed, classes):
    X, y = data.draw(separable_classes())[:2] if classes else data.draw(separable(bias=bias))[:2]
    answer = rb.separability(X, y, bias)
    Z = vectors_of(X, y if classes else (y > 0).astype(int), len(answer.classes), bias)
    assert np.isclose(answer.mistake_bound, radius2(Z) / best_margin(Z)[1] ** 2, rtol=1e-5)
    model = rb.Perceptron(fit_intercept=bias, ties=ties, random_state=seed, tol=None, max_iter=10**6).fit(X, y)
    assert model.mistakes_.sum() <= answer.mistake_bound * (1 + 1e-9)


# ---- a tampered answer does not verify ---------------------------------------------------------------------------


def certificates():
    rng = np.random.default_rng(0)
    return {
        "phrases": (*PHRASES, True),
        "xor": (*XOR, True),
        "phrases without a bias": (*PHRASES, False),
        "tenths": (rng.integers(-4, 5, (12, 2)) / 10, np.arange(12) % 2, True),
        "three classes": (rng.integers(-2, 3, (14, 2)), np.arange(14) % 3, True),
        "two equal rows": (np.array([[1, 2], [3, 4], [1, 2]]), np.array([0, 2, 1]), True),
    }


def separators():
    return {
        "three points": (*THREE_POINTS, True),
        "four points": (*FOUR_POINTS, False),
        "pairs": (*PAIRS, True),
        "tenths": (np.array([[0.1, 0.2], [0.3, 0.1], [0.7, 0.9], [0.8, 0.5]]), np.array([0, 0, 1, 1]), True),
        "three classes": (np.array([[3, 0], [0, 3], [-3, -3], [4, 1]]), np.array([0, 1, 2, 0]), True),
    }


every_certificate = pytest.mark.parametrize("case", certificates())
every_separator = pytest.mark.parametrize("case", separators())


def asked(case, kind):
    X, y, bias = kind()[case]
    answer = rb.separability(X, y, bias)
    assert answer.separable is (kind is separators)
    assert answer.verify(X, y)
    return answer, np.array(X), np.array(y)


@every_certificate
def test_a_changed_certificate(case):
    answer, X, y = asked(case, certificates)
    good = answer.certificate
    nonzero = [tuple(place) for place in np.argwhere(good)]
    for place in nonzero:
        for change in (1, -1):
            lam = good.copy()
            lam[place] += change
            assert not replace(answer, certificate=lam).verify(X, y)
        lam = good.copy()
        lam[place] *= -1
        assert not replace(answer, certificate=lam).verify(X, y)
    for place in np.argwhere(good == 0)[:6]:
        lam = good.copy()
        lam[tuple(place)] = 1
        code = np.searchsorted(answer.classes, y[place[0]])
        if lam.ndim == 1 or place[1] != code:
            assert not replace(answer, certificate=lam).verify(X, y)
    half = good.astype(float)
    half[nonzero[0]] += 0.5
    for lam in (0 * good, -good, -1.0 * good, 0.0 * good, None, good[:-1], np.append(good, good, axis=0), half):
        assert not replace(answer, certificate=lam).verify(X, y)
    for lam in (3 * good, good.astype(object) * Fraction(1, 3)):
        assert replace(answer, certificate=lam).verify(X, y).exact  # a factor changes nothing
    rough = replace(answer, certificate=good / 3).verify(X, y)
    assert rough
    assert not rough.exact
    assert 0 < rough.tolerance < 1e-6


@every_certificate
def test_a_certificate_of_other_data(case):
    answer, X, y = asked(case, certificates)
    i = answer.support[0]
    for j in range(X.shape[1]):
        other = X.copy()
        other[i, j] += 1
        assert not answer.verify(other, y)
    labels = y.copy()
    labels[i] = next(label for label in answer.classes if label != y[i])
    if set(labels) == set(y):
        assert not answer.verify(X, labels)
    assert not answer.verify(np.vstack((X, X[:1])), np.append(y, y[:1]))
    others = np.array(["a", "b", "c"])[np.searchsorted(answer.classes, y)]
    assert not answer.verify(X, others)


@every_certificate
def test_an_inseparable_answer_that_claims_the_opposite(case):
    answer, X, y = asked(case, certificates)
    assert not replace(answer, separable=True).verify(X, y)
    assert not replace(answer, separable=None).verify(X, y)
    w = np.ones(X.shape[1] if len(answer.classes) == 2 else (len(answer.classes), X.shape[1]))
    claim = {"separable": True, "w": w, "b": 0.0, "certificate": None, "exact": True}
    for margin in (None, 1.0):
        more = {"margin": margin, "margin_augmented": margin, "margin_bounds": (1.0, 1.0)}
        assert not replace(answer, **claim, **more, margin_augmented_bounds=(1.0, 1.0)).verify(X, y)


@every_certificate
def test_an_inseparable_answer_with_a_margin(case):
    """It has none: 0 is what is claimed of it."""
    answer, X, y = asked(case, certificates)
    assert not replace(answer, margin=0.5, margin_bounds=(0.5, 0.5)).verify(X, y)
    assert not replace(answer, margin_augmented=0.5, margin_augmented_bounds=(0.5, 0.5)).verify(X, y)


@every_separator
def test_a_larger_margin_is_claimed(case):
    answer, X, y = asked(case, separators)
    for factor in (0.5, 0.99, 1.01, 2.0, math.inf):
        margin, augmented = factor * answer.margin, factor * answer.margin_augmented
        assert not replace(answer, margin=margin).verify(X, y)
        assert not replace(answer, margin=margin, margin_bounds=(margin, margin)).verify(X, y)
        if answer.fit_intercept:
            assert not replace(answer, margin_augmented=augmented).verify(X, y)


@every_separator
@pytest.mark.parametrize("factor", [0.5, 1.01, 30.0])
def test_another_margin_of_the_longer_vectors_is_claimed(case, factor):
    """Of (x, 1): the answer's own bounds may be edited too, the data say what it is."""
    answer, X, y = asked(case, separators)
    if not answer.fit_intercept:
        pytest.skip("it is the same margin")
    value = factor * answer.margin_augmented
    bounds = (min(value, answer.margin_augmented), max(value, answer.margin_augmented))
    assert not replace(answer, margin_augmented=value, margin_augmented_bounds=(value, value)).verify(X, y)
    assert not replace(answer, margin_augmented=value, margin_augmented_bounds=bounds).verify(X, y)


@every_separator
def test_another_separator(case):
    answer, X, y = asked(case, separators)
    flat = answer.w.ravel()
    for j in range(flat.size):
        for change in (0.01, -0.01):
            w = flat.copy()
            w[j] += change * np.abs(flat).max()
            assert not replace(answer, w=w.reshape(answer.w.shape)).verify(X, y)
    assert not replace(answer, w=-answer.w).verify(X, y)
    assert not replace(answer, w=0 * answer.w).verify(X, y)
    if answer.fit_intercept:
        b = np.ravel(answer.b).copy()
        b[0] += 0.01 * np.abs(flat).max()
        assert not replace(answer, b=b if len(b) > 1 else b[0]).verify(X, y)
        assert not replace(answer, fit_intercept=False).verify(X, y) or not np.any(answer.b)


@every_separator
def test_other_support_points(case):
    answer, X, y = asked(case, separators)
    names = ("dual", "dual_augmented") if answer.fit_intercept else ("dual",)
    for name in names:
        good = getattr(answer, name)
        place = tuple(np.argwhere(good)[0])
        bad = []
        for factor in (2, -1, 0):
            lam = good.copy()
            lam[place] = lam[place] * factor
            bad.append(lam)
        for lam in (*bad, 0 * good, -good, None):
            assert not replace(answer, **{name: lam}).verify(X, y), (name, lam)


def test_support_points_of_one_margin_do_not_prove_the_other():
    """Without Σ λ·y = 0 the λ of (x, 1) say nothing of a margin whose bias is free."""
    answer, X, y = asked("three points", separators)
    assert answer.dual_augmented @ y != 0
    assert not replace(answer, dual=answer.dual_augmented).verify(X, y)


@every_separator
def test_a_margin_in_fractions_is_that_of_the_support_points(case):
    """γ² = 1/Σ λ: twice the λ bound the same margin, but claim another γ²."""
    answer, X, y = asked(case, separators)
    if not answer.exact:
        pytest.skip("no fractions")
    for name in ("dual", "dual_augmented")[: 1 + answer.fit_intercept]:
        tampered = replace(answer, **{name: 2 * getattr(answer, name)})
        assert tampered.verify(X, y).holds is False or tampered.margin_squared == answer.margin_squared


@every_separator
def test_a_separator_of_other_data(case):
    answer, X, y = asked(case, separators)
    for i in answer.support:
        other = y.copy()
        other[i] = next(label for label in answer.classes if label != y[i])
        if set(other) == set(y):
            assert not answer.verify(X, other)
        moved = X.copy()
        moved[i] = X[y != y[i]][0]
        assert not answer.verify(moved, y)
        nearer = X.astype(object if X.dtype.kind == "i" else float)
        nearer[i, np.abs(np.atleast_2d(answer.w)).max(axis=0).argmax()] += (
            Fraction(1, 16) if X.dtype.kind == "i" else 0.01
        )
        assert not answer.verify(nearer, y)


@every_separator
def test_another_number_of_rows(case):
    """A row more or less: not what the answer is about, whatever it would have said."""
    answer, X, y = asked(case, separators)
    far = 100 * X[-1:]
    assert not answer.verify(np.vstack((X, far)), np.append(y, y[-1:]))
    repeated = np.vstack((X, X))
    assert not answer.verify(repeated, np.append(y, y))
    for i in range(len(X)):
        fewer = np.delete(y, i)
        if set(fewer) == set(y):
            assert not answer.verify(np.delete(X, i, axis=0), fewer)
    with pytest.raises(ValueError, match="one label per row"):
        answer.verify(X, y[:-1])


@every_separator
def test_a_separator_of_other_columns(case):
    answer, X, y = asked(case, separators)
    for other in (np.hstack((X, np.arange(len(X))[:, None])), X[:, :-1]):
        with pytest.raises(ValueError, match="shape"):
            answer.verify(other, y)


@every_certificate
def test_a_certificate_of_other_columns(case):
    answer, X, y = asked(case, certificates)
    assert not answer.verify(np.hstack((X, (np.arange(len(X)) == answer.support[0])[:, None])), y)


@every_separator
def test_an_answer_that_claims_to_be_exact(case):
    """Floats that prove a margin to rounding do not become exact by saying so."""
    answer, X, y = asked(case, separators)
    rough = replace(
        answer, dual=answer.dual.astype(float), dual_augmented=answer.dual_augmented.astype(float),
        margin_bounds=tuple(np.array(answer.margin_bounds) * (1 - 1e-12, 1 + 1e-12)),
        margin_augmented_bounds=tuple(np.array(answer.margin_augmented_bounds) * (1 - 1e-12, 1 + 1e-12)),
    )  # fmt: skip
    found = replace(rough, exact=True).verify(X, y)
    assert found
    assert not found.exact
    assert 0 < found.tolerance < 1e-6


@pytest.mark.parametrize("bad", [np.nan, np.inf, "1", None])
def test_a_certificate_of_other_things(bad):
    answer, X, y = asked("phrases", certificates)
    lam = np.array([bad] * 4)
    assert not replace(answer, certificate=lam).verify(X, y)


def test_another_radius_is_claimed():
    answer, X, y = asked("three points", separators)
    assert not replace(answer, R=0.1).verify(X, y)


def test_bounds_without_a_maximum_are_checked_too():
    X, y = THREE_POINTS
    answer = rb.separability(X, y, maximize=False)
    assert answer.verify(X, y)
    assert not replace(answer, margin_bounds=(5.0, 6.0)).verify(X, y)
    assert not replace(answer, margin_augmented_bounds=(5.0, 6.0)).verify(X, y)


# ---- several classes ---------------------------------------------------------------------------------------------


def test_iris():
    X, y = load_iris(return_X_y=True)
    answer = rb.separability(X, y)
    assert answer.separable is False
    assert answer.verify(X, y).exact
    check_certificate(answer, X, y, 3, True)
    pairs = rb.separability(X, y, multiclass="pairwise")
    assert pairs.separable is False
    assert {couple: pair.separable for couple, pair in pairs.pairs.items()} == {
        (0, 1): True,
        (0, 2): True,
        (1, 2): False,
    }
    assert "2 of 3" in pairs.how
    assert pairs.verify(X, y)
    for (first, second), pair in pairs.pairs.items():
        rows = (y == first) | (y == second)
        assert pair.verify(X[rows], y[rows])
        if pair.separable:
            svc = SVC(kernel="linear", C=1e10, tol=1e-8).fit(X[rows], y[rows])
            assert np.isclose(pair.margin, 1 / np.linalg.norm(svc.coef_), rtol=1e-4)


def test_a_tampered_pair():
    X, y = load_iris(return_X_y=True)
    pairs = rb.separability(X, y, multiclass="pairwise", maximize=False)
    assert pairs.verify(X, y)
    for couple, pair in pairs.pairs.items():
        changed = replace(pair, w=-pair.w) if pair.separable else replace(pair, certificate=pair.certificate + 1)
        assert not replace(pairs, pairs={**pairs.pairs, couple: changed}).verify(X, y)
    assert not replace(pairs, separable=True).verify(X, y)
    fewer = {couple: pair for couple, pair in pairs.pairs.items() if pair.separable}
    assert not replace(pairs, separable=True, pairs=fewer).verify(X, y)


def test_all_pairs_of_digits_are_separable():
    X, y = load_digits(return_X_y=True)
    answer = rb.separability(X, y, multiclass="pairwise", maximize=False)
    assert answer.separable
    assert len(answer.pairs) == 45
    assert all(pair.separable for pair in answer.pairs.values())
    assert answer.verify(X, y)
    assert rb.separability(X, y, maximize=False).separable


@given(data=st.data(), bias=st.booleans())
def test_what_class_vectors_separate_pairs_do(data, bias):
    X, codes, k = data.draw(small(classes=(3, 4)))
    kesler = rb.separability(X, codes, bias, maximize=False)
    pairs = rb.separability(X, codes, bias, multiclass="pairwise", maximize=False)
    assert pairs.verify(X, codes) or k == 2
    assert pairs.separable or not kesler.separable
    if k > 2:
        assert pairs.separable == all(pair.separable for pair in pairs.pairs.values())
        assert set(pairs.pairs) == set(combinations(range(k), 2))


def test_pairs_that_separate_where_class_vectors_do_not():
    """On a line low, middle and high; without a bias every pair has a sign, but no class scores highest in between."""
    X, y = [[-1, 1], [1, 1], [0, 1], [0, 3]], [0, 1, 2, 2]
    assert rb.separability(X, y, multiclass="pairwise").separable
    ring = np.array([[1, 0], [2, 0], [0, 1], [0, 2], [-1, -1], [-2, -2]])
    assert rb.separability(ring, [0, 0, 1, 1, 2, 2], fit_intercept=False).separable
    X, y = np.array([[1], [2], [4], [5], [7], [8]]), np.array([0, 0, 1, 1, 2, 2])
    assert rb.separability(X, y, multiclass="pairwise").separable
    assert rb.separability(X, y).separable
    assert rb.separability(X, y, fit_intercept=False).separable is False
    assert rb.separability(X, y, fit_intercept=False, multiclass="pairwise").separable is False


# ---- hard cases --------------------------------------------------------------------------------------------------


def test_breast_cancer_as_it_is():
    """Columns from 0.001 to 4000, a margin of 4e-5: separable, in exact numbers."""
    X, y = load_breast_cancer(return_X_y=True)
    answer = rb.separability(X, y)
    assert answer.separable
    assert answer.exact
    assert answer.verify(X, y).exact
    assert np.isclose(answer.margin, 4.137137e-05, rtol=1e-6)
    assert answer.margin_augmented < answer.margin
    check_separator(answer, X, y, 2, True)


@pytest.mark.parametrize("bias", [False, True])
@given(data=st.data())
def test_columns_of_very_different_scales(bias, data):
    """A column times a positive number changes no answer, only the margin."""
    X, codes, k = data.draw(small(classes=(2, 3), features=(2, 3)))
    scales = np.array([10**6, 1, Fraction(1, 10**6)], object)[: X.shape[1]]
    scaled = X * scales
    for other in (scaled, scaled.astype(float)):
        answer = rb.separability(other, codes, bias)
        assert answer.separable == rb.separability(X, codes, bias).separable
        assert answer.verify(other, codes), answer.verify(other, codes).reason
    if answer.separable:
        check_separator(answer, scaled.astype(float), codes, k, bias)


@pytest.mark.parametrize("shift", [1e3, 1e6])
def test_points_far_from_the_origin(shift):
    rng = np.random.default_rng(1)
    X = rng.integers(-20, 21, (40, 2))
    y = np.where(X @ [1, 2] > 3, 1, 0)
    near, far = rb.separability(X, y), rb.separability(X + shift, y)
    assert far.separable
    assert far.verify(X + shift, y)
    assert np.isclose(far.margin, near.margin, rtol=1e-6)


def test_one_row_of_each_class():
    for d in (1, 2, 30):
        X = np.vstack((np.zeros(d), np.full(d, 2)))
        answer = rb.separability(X, [0, 1])
        assert answer.margin_squared == d
        assert answer.support.tolist() == [0, 1]


def test_all_rows_on_one_point():
    X = np.ones((5, 3))
    answer = rb.separability(X, [0, 0, 1, 1, 1])
    assert np.count_nonzero(answer.certificate) == 2
    assert answer.verify(X, [0, 0, 1, 1, 1])
    three = rb.separability(X, [0, 0, 1, 1, 2])
    assert three.separable is False
    assert three.verify(X, [0, 0, 1, 1, 2])


def test_identical_rows_of_one_class():
    X, y = np.array([[1, 1]] * 6 + [[3, 1]] * 5), [0] * 6 + [1] * 5
    answer = rb.separability(X, y)
    assert answer.margin_squared == 1
    assert answer.exact
    assert answer.verify(X, y)


@pytest.mark.parametrize("only", [1, -1])
def test_one_side_only(only):
    """Labels ±1 may all be the same. Without a bias that is a question; with one there is no largest margin."""
    X, y = np.array([[1, 2], [2, 1]]), [only, only]
    answer = rb.separability(X, y, fit_intercept=False)
    assert answer.separable
    assert answer.margin_squared == Fraction(9, 2)
    assert rb.separability([[1, 2], [-2, -4]], y, fit_intercept=False).certificate.tolist() == [2, 1]
    biased = rb.separability(X, y)
    assert biased.separable
    assert biased.verify(X, y)
    assert biased.margin is None or math.isinf(biased.margin)


def test_no_columns():
    assert rb.separability(np.zeros((2, 0)), [0, 1]).certificate.tolist() == [1, 1]
    assert rb.separability(np.zeros((2, 0)), [0, 1], fit_intercept=False).separable is False


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_many_more_rows_than_columns(kind):
    rng = np.random.default_rng(2)
    X = rng.integers(-50, 51, (4000, 3))
    s = X @ [3, -2, 1] + 7
    X, y = X[np.abs(s) > 5], np.sign(s[np.abs(s) > 5])
    rows = sparse.csr_matrix(X) if kind == "sparse" else X
    answer = rb.separability(rows, y)
    assert answer.separable
    assert answer.exact
    assert answer.verify(rows, y).exact
    assert answer.margin >= (np.abs(s[np.abs(s) > 5]).min() / np.sqrt(14)) * (1 - 1e-12)
    wrong = y.copy()
    wrong[np.argmax(np.abs(X @ [3, -2, 1]))] *= -1
    answer = rb.separability(rows, wrong)
    assert answer.separable is False
    assert answer.verify(rows, wrong).exact
    assert len(answer.support) <= 5


@pytest.mark.diagonal
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("classes", [2, 3])
def test_many_more_columns_than_rows(kind, classes):
    rng = np.random.default_rng(3)
    X = rng.integers(-1, 2, (24, 300)) * (rng.random((24, 300)) < 0.2)
    y = np.arange(24) % classes
    rows = sparse.csr_matrix(X) if kind == "sparse" else X
    answer = rb.separability(rows, y)
    assert answer.separable
    assert answer.verify(rows, y)
    _, high = best_margin(vectors_of(X, y, classes, True))
    assert np.isclose(answer.margin_augmented, high, rtol=1e-6)
    assert answer.margin_bounds[1] <= answer.margin_bounds[0] * (1 + 1e-6)


def test_sparse_rows_that_are_empty():
    X = sparse.random(60, 40, 0.05, random_state=4).toarray()
    X[:, 0] += 1  # no row is empty
    X[[7, 11]] = 0
    X = sparse.csr_matrix(X)
    y = np.arange(60) % 2
    y[[7, 11]] = 1
    answer = rb.separability(X, y)
    assert answer.separable is not None
    assert answer.verify(X, y)
    y[11] = 0
    answer = rb.separability(X, y)
    assert answer.support.tolist() == [7, 11]
    assert rb.separability(X, y, fit_intercept=False).support.tolist() == [7]


def test_a_perceptron_that_separates_by_rounding_alone():
    """Its last weights score 0 up to rounding: right, barely; the maximum margin is found from there."""
    for rows, y, bias in (
        ([[-0.2, 0.1], [-0.2, 0.2], [0.1, -0.1]], [2, 0, 1], True),
        ([[0.0, 0.1, 0.1], [0.0, 0.0, 0.0], [0.0, -0.2, 0.0]], [2, 0, 1], True),
    ):
        answer = rb.separability(rows, y, bias)
        assert answer.separable
        assert answer.verify(rows, y)
        _, high = best_margin(vectors_of(rows, y, 3, bias))
        assert np.isclose(answer.margin_augmented, high, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "limit"),
    [(name, limit) for name in ("cancer", "iris") for limit in (1e-9, 1e-3, 0.05)]
    + [pytest.param("digits", limit, marks=pytest.mark.slow) for limit in (1e-9, 1e-3, 0.05)],
)
def test_little_time(name, limit):
    """What was not proved is not claimed."""
    X, y = {"cancer": load_breast_cancer, "iris": load_iris, "digits": load_digits}[name](return_X_y=True)
    answer = rb.separability(X, y, time_limit=limit)
    assert answer.separable in {"cancer": (None, True), "iris": (None, False), "digits": (None, True)}[name]
    if answer.separable is None:
        assert (answer.w, answer.certificate, answer.margin) == (None, None, None)
        assert "time limit" in answer.how
        assert not answer.verify(X, y)
        assert "undecided" in str(answer)
        assert answer.mistake_bound is None
    else:
        assert answer.verify(X, y), answer.verify(X, y).reason


@biases
@given(data=st.data())
def test_without_the_maximum(bias, data):
    X, codes, _ = data.draw(small())
    answer, best = rb.separability(X, codes, bias, maximize=False), rb.separability(X, codes, bias)
    assert answer.separable == best.separable
    assert answer.verify(X, codes)
    if answer.separable:
        assert (answer.margin, answer.margin_augmented, answer.dual) == (None, None, None)
        assert answer.margin_squared is answer.margin_augmented_squared is None
        for bounds, value in (
            (answer.margin_bounds, best.margin),
            (answer.margin_augmented_bounds, best.margin_augmented),
        ):
            assert bounds[0] <= value * (1 + 1e-9)
            assert value <= bounds[1] * (1 + 1e-9)
        if answer.mistake_bound is not None:
            assert answer.mistake_bound >= best.mistake_bound * (1 - 1e-9)
    else:
        assert answer.certificate.tolist() == best.certificate.tolist()


def test_it_says_what_it_is_doing(capsys):
    rb.separability(*FOUR_POINTS, verbose=1)
    said = capsys.readouterr().out
    assert "perceptron" in said
    assert "maximum margin" in said
    rb.separability(*PHRASES, verbose=1)
    assert "linear programme" in capsys.readouterr().out
    rb.separability(*PHRASES)
    assert capsys.readouterr().out == ""


# ---- real data ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "programme"])
def test_a9a(data_folder, method):
    X, y = load_svmlight_file(str(data_folder / "a9a" / "a9a.gz"))
    answer = rb.separability(X, y, method=method)
    assert answer.separable is False
    assert answer.exact
    assert answer.verify(X, y).exact
    rows = X[answer.support].toarray().astype(int)
    signs = np.where(y[answer.support] > 0, 1, -1)
    lam = [int(a) * int(s) for a, s in zip(answer.certificate[answer.support], signs)]
    assert sum(lam) == 0
    assert not any(sum(a * int(v) for a, v in zip(lam, column)) for column in rows.T)
    assert len(answer.support) <= X.shape[1] + 2
    assert len(answer.support) == 2 or method == "programme"


@pytest.mark.slow
def test_imdb(data_folder):
    with gzip.open(data_folder / "imdb" / "train.csv.gz", "rt", newline="") as file:
        labels, texts = zip(*((row["label"], row["text"]) for row in csv.DictReader(file)))
    X = CountVectorizer().fit_transform(texts)
    answer = rb.separability(X, labels, maximize=False)
    assert answer.separable is not None
    assert answer.exact
    assert answer.verify(X, labels).exact


# ---- bad input ---------------------------------------------------------------------------------------------------


TABLES = {
    "one row": (X[0], "X must be a table", "1 dimension"),
    "three dimensions": (X[None], "X must be a table", "3 dimension"),
    "no rows": (X[:0], "X has no rows"),
    "ragged": ([[1, 2, 3], [1, 2]] * 3, "different lengths"),
    "text": ([["a", "b", "c"]] * 6, "X must hold real numbers"),
    "complex": (X + 1j, "X must hold real numbers", "complex"),
    "NaN": (with_cell(np.nan), "NaN", "row 4, column 1"),
    "infinity": (with_cell(np.inf), "infinity", "row 4, column 1"),
    "NaN in float32": (with_cell(np.nan, np.float32), "NaN", "row 4, column 1"),
    "NaN in CSR": (sparse.csr_array(with_cell(np.nan)), "NaN", "row 4, column 1"),
    "NaN in a frame": (pd.DataFrame(with_cell(np.nan)), "NaN", "row 4, column 1"),
    "None among objects": (with_cell(None, object), "NaN", "row 4, column 1"),
    "text among objects": (with_cell("many", object), "'many'", "row 4, column 1"),
    "too large": (with_cell(1e200), "overflows", "row 4"),
}
BAD_LABELS = [
    (LABELS[:5], ("one label per row", "(6,)", "(5,)")),
    (np.column_stack((LABELS, LABELS)), ("one label per row", "(6, 2)")),
    ([0] * 6, ("only one class", "0")),
    ([0, 1, 0, 1, np.nan, 1], ("y[4]", "nan")),
    ([0, 1, None, 1, 0, 1], ("label",)),
    (np.array(["a", 1, "b", 2, "a", 1], object), ("label", "types")),
    (np.array(["a", "b", "a", "b", np.nan, "a"], object), ("label",)),
]


@pytest.mark.parametrize("multiclass", ["kesler", "pairwise"])
@pytest.mark.parametrize("case", TABLES)
def test_bad_tables(case, multiclass):
    rows, *telling = TABLES[case]
    one_sentence(lambda: rb.separability(rows, [0, 1, 2] * 2, multiclass=multiclass), ValueError, *telling)
    answer = rb.separability(X, LABELS)
    one_sentence(lambda: answer.verify(rows, LABELS), ValueError, *telling)


@pytest.mark.parametrize(("y", "telling"), BAD_LABELS)
def test_bad_labels(y, telling):
    one_sentence(lambda: rb.separability(X, y), ValueError, *telling)
    answer = rb.separability(X, LABELS)
    one_sentence(lambda: answer.verify(X, y), ValueError, *telling)


def test_a_nan_among_labels_that_are_objects():
    """It equals no class, itself included: with the code −1 the native loop would write outside the weights."""
    y = np.array([0, 1, 0, 1, np.nan, 1], object)
    with pytest.raises(ValueError, match="label"):
        rb.theory.inputs.encode_labels(y, 6)  # before anything runs on it
    one_sentence(lambda: rb.separability(X, y), ValueError, "label")


@pytest.mark.parametrize(
    ("options", "telling"),
    [
        ({"method": "guess"}, ("method", "'guess'", "programme")),
        ({"method": None}, ("method", "None")),
        ({"multiclass": "ovr"}, ("multiclass", "'ovr'", "kesler")),
        ({"time_limit": 0}, ("time_limit", "0")),
        ({"time_limit": -1.0}, ("time_limit", "-1.0")),
        ({"time_limit": np.nan}, ("time_limit", "nan")),
        ({"time_limit": "soon"}, ("time_limit", "'soon'")),
    ],
)
def test_bad_options(options, telling):
    one_sentence(lambda: rb.separability(X, LABELS, **options), ValueError, *telling)


@pytest.mark.parametrize("limit", [np.int64(5), np.float32(5), 5, math.inf])
def test_any_real_number_of_seconds(limit):
    assert rb.separability(X, LABELS, time_limit=limit).separable


# ---- what a review found ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [10**7, 1_700_000_000, 1_700_000_000_000, 2**53])
def test_a_large_offset_hides_nothing(start):
    """Four whole numbers on a line, far from the origin, were declared inseparable to a tolerance."""
    X, y = [[start + i] for i in range(4)], [0, 0, 1, 1]
    answer = rb.separability(X, y)
    assert answer.separable is not False
    assert answer.separable is None or answer.verify(X, y)
    if start < 10**10:
        assert answer.separable
        assert np.isclose(answer.margin, 0.5, rtol=1e-6)


@pytest.mark.parametrize("offset", [1e-6, 1e-10, 1e-14])
def test_a_narrow_gap_is_decided_by_exact_numbers(offset):
    X = [[0, 0], [1, 1], [0.5, 0.5 + offset]]
    answer = rb.separability(X, [0, 0, 1])
    assert answer.separable
    assert answer.verify(X, [0, 0, 1])
    touching = [[0, 0], [1, 1], [0.5, 0.5]]
    assert rb.separability(touching, [0, 0, 1]).certificate.tolist() == [1, 1, 2]


@pytest.mark.parametrize("early", [1, 20, 301])
def test_the_time_limit_is_kept(early, monkeypatch):
    """After so many looks at the clock the limit is over, and few more are taken; without a limit there are 895."""
    looks = count()
    clockless.set_clock(monkeypatch, lambda: 1e9 * max(0, next(looks) - early + 1))
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 40)), rng.integers(0, 2, 200)
    answer = rb.separability(X, y, time_limit=20)
    assert answer.separable is None or answer.verify(X, y)
    assert next(looks) <= early + 15


def test_numbers_whose_powers_leave_the_floats_are_refused():
    for scale in (1e-150, 1e150):
        one_sentence(lambda scale=scale: rb.separability(np.array(X) * scale, LABELS), ValueError, "scale X")


def test_the_weights_of_the_longer_margin_are_there():
    X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    answer = rb.separability(X, y)
    assert np.isclose(
        rb.margin(X, y, answer.w_augmented, answer.b_augmented, fit_intercept=True), answer.margin_augmented, rtol=1e-12
    )
    assert rb.separability(X, y, fit_intercept=False).w_augmented is None


@pytest.mark.parametrize("n_features", [2, 12])
def test_no_clock_decides_an_answer(n_features, monkeypatch):
    """A busy machine, on which a thousand seconds pass from one look at the clock to the next."""
    rng = np.random.default_rng(n_features)
    X = np.round(rng.uniform(-4, 4, (60, n_features)), 1)
    problems = [(X, rng.integers(0, 2, 60)), (X, (X @ rng.standard_normal(n_features) > 0.1).astype(int))]
    calm = [str(rb.separability(*problem)) for problem in problems]
    clock = itertools.count(0, 1000)
    clockless.set_clock(monkeypatch, lambda: float(next(clock)))
    assert [str(rb.separability(*problem)) for problem in problems] == calm
    assert "exact" in calm[0]
