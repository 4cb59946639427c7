"""The rule that climbs to the maximum margin: native = reference to the bit, and each step raises the dual."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import problems

from rosenblatt.core import engine, reference, rules
from rosenblatt.core.rules.hard_margin import HardMargin


def native(X, codes, orders, fit_intercept):
    rows = engine.admit(X)
    alpha = np.zeros(len(codes))
    weights = engine.zeros(1 + rows.n_features, 1, rows.dtype)
    tally = engine.Tally(1)
    tally.room = np.inf
    model = engine.Model(form="binary", weights=weights, n_vectors=1, fit_intercept=fit_intercept)
    rule = engine.Rule(*HardMargin().native("max"))
    for order in orders:
        assert engine.learn(
            rows=rows.view, model=model, rule=rule, targets=codes.astype(np.int8), order=order.astype(np.int32),
            dual=alpha, tally=tally,
        )  # fmt: skip
    return weights[:, 0], alpha, tally.tau[0]


@given(problems(classes=(2,)), st.booleans(), st.sampled_from((np.asarray, sp.csr_matrix)))
def test_native_equals_reference(problem, fit_intercept, container):
    X, number = problem.X, problem.X.dtype.type
    model = reference.Model("binary", X.shape[1], fit_intercept=fit_intercept, number=number)
    orders, alpha = problem.orders(4), [0.0] * len(X)
    for order in orders:
        for i in order:
            step = model.visit(HardMargin(), list(X[i]), int(problem.codes[i]), alpha[i])
            alpha[i] += step.gains[0]
    weights, found, total = native(container(X), problem.codes, orders, fit_intercept)
    assert weights[1:].tolist() == [float(v) for v in model.w[0]]
    assert weights[0] == float(model.b[0])
    assert found.tolist() == alpha
    assert min(alpha) >= -1e-6 * max(alpha)  # rounding of a float32 step at most
    assert total == pytest.approx(sum(alpha), rel=1e-4, abs=1e-6)


@given(problems(classes=(2,), kinds=("integers", "normal"), dtypes=(np.float64,)), st.booleans())
def test_every_step_raises_the_dual(problem, fit_intercept):
    """Σ α − ½‖w‖² never falls, and w is Σ α·y·x."""
    X, y = problem.X, np.where(problem.codes == 1, 1.0, -1.0)
    Z = np.column_stack((X, np.ones(len(X)))) * y[:, None] if fit_intercept else X * y[:, None]
    last = 0.0
    order = problem.orders(1)[0]
    for end in range(1, len(order) + 1):
        weights, alpha, _ = native(X, problem.codes, [order, order[:end]], fit_intercept)
        w = np.append(weights[1:], weights[0]) if fit_intercept else weights[1:]
        assert np.allclose(w, alpha @ Z, rtol=1e-9, atol=1e-9)
        dual = alpha.sum() - 0.5 * w @ w
        assert dual >= last - 1e-9 * abs(last)
        last = dual


def test_it_is_not_in_the_table_of_rules():
    assert HardMargin not in rules.ALL
    assert "HardMargin" not in rules.__all__
