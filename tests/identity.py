"""What the tests mean by the same: equal in shape, type and every bit; and how they run over estimators."""

import numpy as np
import pytest

import rosenblatt as rb


def same_bits(got, expected):
    """Equal in shape, type and every bit: −0 is not 0."""
    got, expected = np.ascontiguousarray(got), np.ascontiguousarray(expected)
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    assert got.tobytes() == expected.tobytes(), f"{got} is not {expected}"


def is_regressor(estimator):
    return isinstance(estimator, rb.PassiveAggressiveRegressor)


def every(estimators):
    """Run the test for each estimator, under its signature."""
    return pytest.mark.parametrize("estimator", estimators, ids=lambda e: repr(e).replace("\n", ""))
