"""Iterative parameter mixing: the bits of its reference, the identity of one shard, theorem, average, bounds."""

import warnings
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from identity import same_bits
from problems import problems

import rosenblatt as rb
from rosenblatt import mixing, reference, reference_mixing, rules
from rosenblatt.distributed import fit

SEED = 5

LEARNERS = [
    (rules.Perceptron(), "max"),
    (rules.Perceptron(eta0=0.3), "uniform"),
    (rules.Perceptron(margin=0.5), "proportional"),
    (rules.Perceptron(eta0=0.7), "ovr"),
    (rules.PA(), "max"),
    (rules.PA1(C=0.07), "ovr"),
    (rules.PA2(C=0.3), "max"),
    (rules.MIRA(), "max"),
    (rules.NormMIRA(), "max"),
]

cases = st.fixed_dictionaries(
    {
        "learner": st.sampled_from(LEARNERS),
        "readout": st.sampled_from(("last", "averaged")),
        "mix": st.sampled_from(mixing.MIXES),
        "shards": st.integers(1, 11),
        "sparse": st.booleans(),
        "weighted": st.booleans(),
        "shuffle": st.booleans(),
        "fit_intercept": st.booleans(),
        "random": st.booleans(),
    }
)


def edges_of(n, shards):
    return [i * n // shards for i in range(shards + 1)]


def orders_of(weight, shards, n, shuffle):
    """Endless orders of each shard: shard 0 draws as a local fit does, the others by their number."""
    generators = [np.random.default_rng(SEED), *(np.random.default_rng([SEED, i]) for i in range(1, shards))]
    edges = edges_of(n, shards)
    while True:
        orders = []
        for rng, (a, b) in zip(generators, pairwise(edges)):
            order = np.arange(b - a) if weight is None else np.flatnonzero(weight[a:b] > 0)
            if shuffle:
                order = rng.permutation(order)
            orders.append(order.tolist())
        yield orders


def quietly(estimator, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(estimator, *data, client="here", progress=False, **options)


@settings(max_examples=150)
@given(problems(max_rows=24), cases)
def test_shards_give_the_bits_of_the_reference(problem, case):
    (rule, share), n = case["learner"], len(problem.X)
    shards, averaged = min(case["shards"], n), case["readout"] == "averaged"
    weight = problem.weight if case["weighted"] else None
    k = 1 if problem.n_classes == 2 else problem.n_classes
    estimator = rb.OnlineClassifier(
        rule=rule, readout=case["readout"], multiclass=share, shuffle=case["shuffle"], random_state=SEED, max_iter=3,
        fit_intercept=case["fit_intercept"], tol=None,
    )  # fmt: skip
    orders = orders_of(weight, shards, n, case["shuffle"])
    model = quietly(
        estimator, sp.csr_array(problem.X) if case["sparse"] else problem.X, problem.codes, shards=shards,
        mix=case["mix"], sample_weight=weight,
    )  # fmt: skip

    number = float if problem.X.dtype == np.float64 else np.float32
    form = "binary" if k == 1 else "ovr" if share == "ovr" else "multiclass"
    expected = reference.Model(
        form, problem.X.shape[1], k, fit_intercept=case["fit_intercept"], share=share, number=number
    )
    edges = edges_of(n, shards)
    rows = [[number(v) for v in row] for row in problem.X]
    parts = [
        (rows[a:b], problem.codes[a:b].tolist(), None if weight is None else weight[a:b].tolist())
        for a, b in pairwise(edges)
    ]
    for number_of_pass in range(model.n_iter_):
        passed = reference_mixing.mixed_pass(expected, rule, parts, next(orders), case["mix"], averaged)
        assert sum(passed.mistakes) == model.mistakes_[number_of_pass]
        assert tuple(passed.shares) == model.distributed_[number_of_pass].shares
    last = model._learner.active[:, :k]
    same_bits(last[1:].T, np.array(expected.w, problem.X.dtype))
    same_bits(last[0], np.array(expected.b, problem.X.dtype))
    if averaged:
        total = model._learner.total[:, :k]
        same_bits(total[1 : 1 + problem.X.shape[1]].T, np.array(expected.total_w, np.float64))
        same_bits(total[0], np.array(expected.total_b, np.float64))
    assert model._learner.visited == expected.visited
