"""Separable or not in plain Python: the margins of ``separability`` to the bit, certificates that hold, and no more."""

import math
from dataclasses import replace

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.core import exact
from rosenblatt.theory import small
from rosenblatt.theory.effort import Effort

EFFORT = Effort(exact=1e5, floats=3e7)
SAME = ("margin", "margin_augmented", "margin_squared", "margin_augmented_squared", "margin_bounds",
        "margin_augmented_bounds", "mistake_bound", "R", "exact")  # fmt: skip


def points(seed):
    """Up to 30 points of 1 to 5 features and 2 to 4 classes, some far apart, some at one place."""
    rng = np.random.default_rng(seed)
    n, d, n_classes = int(rng.integers(4, 31)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
    X = np.round(rng.normal(size=(n, d)) * 2, int(rng.choice([0, 1, 2, 6])))
    y = np.arange(n) % n_classes
    if seed % 2:
        X[:, 0] += 5 * y
    return X, y, bool(rng.integers(2))


def check(seed):
    X, y, bias = points(seed)
    answer = small.separability(exact.rows(X), small.encode(y.tolist()), bias, EFFORT)
    expected = rb.separability(X, y, bias)
    assert answer.separable is expected.separable, seed
    if answer.separable:
        assert {name: getattr(answer, name) for name in SAME} == {name: getattr(expected, name) for name in SAME}, seed
    arrays = {name: np.array(value, dtype=object) for name in ("certificate", "dual", "dual_augmented")
              if (value := getattr(answer, name)) is not None}  # fmt: skip
    checked = replace(answer, **arrays, w=None if answer.w is None else np.array(answer.w), classes=expected.classes)
    if answer.separable and bias:
        checked = replace(checked, w_augmented=np.array(answer.w_augmented))
    verified = checked.verify(X, y)
    assert verified, (seed, verified.reason)
    assert verified.exact


@pytest.mark.parametrize("seed", [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 60))])
def test_the_answer_is_that_of_the_library(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 2000, 100))
def test_the_answers_are_those_of_the_library(first):
    for seed in range(first, first + 100):
        check(seed)


def test_of_several_certificates_a_small_one_is_taken():
    rows = [[0, 0], [4, 0], [0, 4], [1, 1], [7, 5], [3, 8], [2, 2]]
    answer = small.separability(rows, small.encode([0, 0, 0, 1, 0, 0, 1]), True, EFFORT)
    assert answer.how == "exact numbers found a certificate of 3 rows"
    assert answer.certificate == [0, 1, 1, 0, 0, 0, 2]  # (2, 2) lies between (4, 0) and (0, 4)


def test_what_is_too_much_work_is_not_claimed():
    rng = np.random.default_rng(0)
    X, y = np.round(rng.normal(size=(40, 6)), 3), np.arange(40) % 3
    for effort in (Effort(exact=10, floats=10), Effort(exact=10, floats=1e7)):
        answer = small.separability(exact.rows(X), small.encode(y.tolist()), True, effort)
        assert answer.separable is None
        assert answer.margin is None
        assert answer.margin_augmented_bounds[0] == -math.inf
        assert "undecided with a bias: neither a separator nor a certificate" in str(answer)
    X[:, 0] += 20 * y  # apart: floats show it, and that is checked exactly
    X[:, 1] += 20 * (y == 1)
    answer = small.separability(exact.rows(X), small.encode(y.tolist()), True, Effort(exact=10, floats=1e7))
    assert answer.separable is True
    low, high = answer.margin_augmented_bounds
    assert low <= rb.separability(X, y).margin_augmented <= high
