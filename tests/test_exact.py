"""Exact numbers: what a float means, whole numbers in proportion, and linear equations without rounding."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.core import exact


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (True, 1),
        (np.bool_(False), 0),
        (np.int8(-4), -4),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (10**40, 10**40),
        (Fraction(6, 3), 2),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (np.float64(-2.5), Fraction(-5, 2)),
        (1e300, 10**300),
        (5e-324, Fraction(5, 10**324)),
        (2.0, 2),
        (-0.0, 0),
        (0.1 + 0.2, Fraction(30000000000000004, 10**17)),
    ],
)
def test_a_number_is_the_rational_that_it_prints_as(value, expected):
    found = exact.number(value)
    assert found == expected
    assert type(found) is type(expected)


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_and_its_exact_number_round_to_each_other(value):
    assert float(exact.number(value)) == value
    assert exact.number(-value) == -exact.number(value)


@pytest.mark.parametrize("value", ["many", None, [1], 1j, math.nan, math.inf])
def test_what_is_no_number_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        exact.number(value)


ROWS = [[1, 0, -2], [0, 0, 0], [3, 1, 0]]
TABLES = {
    "list": list,
    "int64": np.array,
    "int8": lambda rows: np.array(rows, np.int8),
    "float64": lambda rows: np.array(rows, float),
    "float32": lambda rows: np.array(rows, np.float32),
    "Fortran": lambda rows: np.asfortranarray(rows, float),
    "object": lambda rows: np.array(rows, object),
    "frame": pd.DataFrame,
    "csr": sparse.csr_array,
    "csc": lambda rows: sparse.csc_matrix(np.array(rows, float)),
    "coo": sparse.coo_array,
}


@pytest.mark.parametrize("kind", TABLES)
def test_rows_of_any_table(kind):
    X = TABLES[kind](ROWS)
    assert exact.rows(X) == ROWS
    assert exact.rows(X, [2, 0]) == [ROWS[2], ROWS[0]]
    assert exact.rows(X, np.array([1])) == [ROWS[1]]
    assert exact.rows(X, []) == []
    assert {type(value) for row in exact.rows(X) for value in row} == {int}


def test_rows_keep_fractions_and_integers_beyond_float():
    X = np.array([[Fraction(1, 3), 2**53 + 1]], object)
    assert exact.rows(X) == [[Fraction(1, 3), 2**53 + 1]]
    assert exact.rows(np.array([[2**53 + 1]])) == [[2**53 + 1]]


rationals = st.fractions(-20, 20, max_denominator=12)


@given(values=st.lists(rationals, max_size=6), scale=st.fractions(Fraction(1, 50), 50))
def test_whole_numbers_are_the_smallest_in_proportion(values, scale):
    found = exact.whole(values)
    assert all(type(value) is int for value in found)
    assert math.gcd(*found) == (1 if any(values) else 0)
    assert exact.whole([scale * value for value in values]) == found  # positive factors change nothing: signs stay
    k = next((i for i, value in enumerate(values) if value), None)
    if k is not None:
        assert [value * found[k] for value in values] == [values[k] * value for value in found]
        assert (found[k] > 0) == (values[k] > 0)


def test_whole_numbers_of_a_known_proportion():
    assert exact.whole([Fraction(1, 2), Fraction(-1, 3), 0]) == [3, -2, 0]
    assert exact.whole([0, 0]) == [0, 0]
    assert exact.whole([]) == []


def times(matrix, x):
    return [sum((Fraction(a) * b for a, b in zip(row, x)), Fraction(0)) for row in matrix]


@st.composite
def matrices(draw):
    """Small matrices of any rank: some rows are combinations of others, some columns 0."""
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    A = rng.integers(-3, 4, (m, n)) * (rng.random(n) < 0.8)
    if m > 2 and draw(st.booleans()):
        A[0] = 2 * A[1] - A[2]
    if draw(st.booleans()):
        return [[Fraction(int(a), int(q)) for a, q in zip(row, rng.integers(1, 5, n))] for row in A]
    return A.tolist()


@given(matrix=matrices(), seed=st.integers(0, 2**31))
def test_equations_that_have_a_solution_get_one(matrix, seed):
    x = np.random.default_rng(seed).integers(-3, 4, len(matrix[0])).tolist()
    right = times(matrix, x)
    found = exact.solve(matrix, right)
    assert found is not None
    assert times(matrix, found) == right
    assert all(isinstance(value, Fraction) for value in found)


@given(matrix=matrices(), right=st.lists(rationals, min_size=5, max_size=5))
def test_equations_without_a_solution_have_a_witness(matrix, right):
    """Either A·x = b, or some y has y·A = 0 and y·b ≠ 0: then A has a smaller rank than A with b beside it."""
    right = right[: len(matrix)]
    found = exact.solve(matrix, right)
    if found is None:
        A = np.array(matrix, float)
        wider = np.column_stack((A, np.array(right, float)))
        assert np.linalg.matrix_rank(wider) > np.linalg.matrix_rank(A)
    else:
        assert times(matrix, found) == right


@given(matrix=matrices())
def test_homogeneous_equations_have_a_solution_that_is_not_zero_if_the_rank_leaves_one(matrix):
    found = exact.solve(matrix)
    full = np.linalg.matrix_rank(np.array(matrix, float)) == len(matrix[0])
    assert (found is None) == full
    if found is not None:
        assert any(found)
        assert not any(times(matrix, found))


def test_a_system_that_floats_would_call_singular():
    """Hilbert's matrix of order 12: its condition number is 10^16, its inverse is whole."""
    n = 12
    H = [[Fraction(1, i + j + 1) for j in range(n)] for i in range(n)]
    assert exact.solve(H, times(H, range(1, n + 1))) == list(range(1, n + 1))


def test_unknowns_that_are_left_open():
    """They are 0, but for the last of them where the right side is 0."""
    assert exact.solve([[0, 0]]) == [0, 1]
    assert exact.solve([[1, 1, 1]]) == [-1, 0, 1]
    assert exact.solve([[1, 1, 1]], [5]) == [5, 0, 0]


def test_numbers_far_beyond_int64():
    big = 10**30
    assert exact.solve([[big, 1], [1, big]], [big + 1, big + 1]) == [1, 1]
    assert exact.solve([[big, 1], [big, 1]], [0, 1]) is None


# ---- decimals ------------------------------------------------------------------------------------------------------


def test_decimals_write_themselves_and_stay_decimals():
    a, b = exact.Decimals("1.4"), exact.Decimals("-0.4")
    results = [a + b, b + 1, 1 - a, a * b, -a, abs(b), a / 2, 2 * a, b**2, a / 7]
    assert [str(v) for v in results] == ["1", "0.6", "-0.4", "-0.56", "-1.4", "0.4", "0.7", "2.8", "0.16", "0.2"]
    assert {type(v) for v in (a + b, Fraction(1, 2) + a, a - Fraction(1, 2), a / 3)} == {exact.Decimals}
    assert str(a / 3) == "7/15"
    assert str(exact.Decimals(1, 1024)) == "0.0009765625"
    assert str(exact.Decimals(-1, 20)) == "-0.05"
    assert a == Fraction(7, 5)
    assert hash(a) == hash(Fraction(7, 5))
    assert type(exact.number(a)) is exact.Decimals
    assert type(exact.number(a / a)) is int


def test_short_decimals():
    assert exact.are_short([1, 0.1, -2.25, Fraction(1, 8), 0.0001, 1e6])
    for long in (1 / 3, 0.00001, Fraction(1, 3)):
        assert not exact.are_short([0.1, long])
