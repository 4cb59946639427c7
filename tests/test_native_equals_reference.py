"""The native core gives the bits of the reference: every rule, readout, layout, class count, number type and option."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from identity import same_bits
from problems import few, for_classes, problems

from rosenblatt.core import engine, reference, rules, weights
from rosenblatt.core.confidence import Moved
from rosenblatt.core.learner import Learner

PASSES = 3

#: (rule, share): every rule with everything it can do among several classes.
LEARNERS = [
    (rules.Perceptron(), "max"),
    (rules.Perceptron(eta0=0.3), "uniform"),
    (rules.Perceptron(), "proportional"),
    (rules.Perceptron(eta0=0.7), "ovr"),
    (rules.Perceptron(margin=0.5), "max"),
    (rules.Perceptron(margin=0.8, eta0=0.1), "uniform"),
    (rules.Perceptron(margin=0.3), "proportional"),
    (rules.Perceptron(margin=1.3), "ovr"),
    (rules.PAUM(), "max"),
    (rules.PAUM(margins=(0.8, 0.0, 2.5), eta0=0.7), "uniform"),
    (rules.PAUM(margins=(0.3, 1.3)), "proportional"),
    (rules.PA(), "max"),
    (rules.PA(), "ovr"),
    (rules.PA1(C=0.07), "max"),
    (rules.PA1(C=0.5), "ovr"),
    (rules.PA2(C=0.3), "max"),
    (rules.PA2(C=2.0), "ovr"),
    (rules.MIRA(), "max"),
    (rules.MIRA(C=0.05), "max"),
    (rules.NormMIRA(), "max"),
    (rules.NormMIRA(beta=0.7), "max"),
]
#: Those that keep a covariance beside the weights, which take no batch.
SECOND_ORDER = [
    (rules.SecondOrderPerceptron(), "max"),
    (rules.SecondOrderPerceptron(a=0.3, confidence="full"), "max"),
    (rules.SecondOrderPerceptron(a=2.0), "ovr"),
    (rules.CW(), "max"),
    (rules.CW(eta=0.7, variant="variance"), "ovr"),
    (rules.CW(eta=0.95, variant="variance", confidence="full"), "max"),
    (rules.CW(confidence="full"), "ovr"),
    (rules.AROW(r=0.1), "max"),
    (rules.AROW(variant="covariance"), "max"),
    (rules.AROW(r=3.0, confidence="full"), "ovr"),
    (rules.AROW(r=0.2, confidence="full"), "max"),
    (rules.AROW(r=0.5), "ovr"),
    (rules.SCW(C=0.1), "max"),
    (rules.SCW(C=2.0, eta=0.6, variant="II"), "max"),
    (rules.SCW(C=0.5, confidence="full"), "max"),
    (rules.SCW(variant="II", confidence="full"), "ovr"),
    (rules.NHERD(C=0.5), "max"),
    (rules.NHERD(variant="drop"), "ovr"),
    (rules.NHERD(C=3.0, variant="exact"), "max"),
    (rules.NHERD(C=0.3, confidence="full"), "max"),
]
READOUTS = [("last", False), ("averaged", False), ("pocket", False), ("pocket", True)]
LAYOUTS = ("dense", "csr int32", "csr int64")
#: And weights of more than two classes by lists, where these serve.
LISTS = ("lists int32", "lists int64")


def lay_out(X, layout):
    if layout == "dense":
        return X
    csr = sp.csr_array(X)
    index = np.int32 if layout.endswith("int32") else np.int64
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    rows = engine.admit(csr)
    assert rows.view.indptr.dtype == rows.view.indices.dtype == index
    return csr


class Oracle:
    """The reference run to the end that ALGORITHMS.md, section 1, prescribes."""

    def __init__(self, problem, rule, options, start=None):
        self.rule, self.dtype = rule, problem.X.dtype
        self.weights = problem.weight if options["weighted"] else None
        visited = np.arange(len(problem.X)) if self.weights is None else np.flatnonzero(self.weights > 0)
        shuffled = options["shuffle"] and not options["batch"]
        self.orders = problem.orders(PASSES, visited) if shuffled else [visited] * PASSES
        number = float if self.dtype == np.float64 else np.float32
        self.rows = [[number(v) for v in row] for row in problem.X]
        regression = options["epsilon"] is not None
        self.targets = (problem.targets if regression else problem.codes).tolist()
        k = 1 if regression or problem.n_classes == 2 else problem.n_classes
        form = "regression" if regression else "binary" if k == 1 else "multiclass"
        form = "ovr" if form == "multiclass" and options["share"] == "ovr" else form
        self.model = reference.Model(
            form, problem.X.shape[1], k, fit_intercept=options["fit_intercept"],
            constant=options.get("intercept_scaling", 1), ties=options["ties"],
            share=options["share"], epsilon=options["epsilon"] or 0, number=number, batch=options["batch"],
        )  # fmt: skip
        if start is not None:
            self.model.w, self.model.b = [[number(v) for v in w] for w in start[0]], [number(v) for v in start[1]]
        self.pocket = None
        training_set = [(self.rows[i], self.targets[i]) for i in visited]
        if options["readout"] == "pocket":
            self.pocket = reference.Pocket(self.model, training_set if options["ratchet"] else None)
        self.mistakes, self.updates, self.tau = [], 0, np.zeros(k if form == "ovr" else 1)
        self.run(training_set, regression)

    def run(self, training_set, regression):
        steps_of = reference.passes(
            self.model, self.rule, self.rows, self.targets, self.orders, self.weights, self.pocket
        )
        for steps in steps_of:
            self.mistakes.append(sum(step.mistakes for step in steps))
            updates = sum(step.updates for step in steps)
            self.updates += updates
            for step in steps:
                self.tau += np.where(np.array(step.gains) > 0, step.gains, 0)
            if updates == 0 if regression else self.mistakes[-1] == 0 and self.all_right(training_set):
                break
        if self.pocket is not None and self.all_right(training_set):
            self.pocket.separated(self.model, len(training_set))

    def all_right(self, training_set):
        return not any(self.model.consider(self.rule, x, y).mistakes for x, y in training_set)

    def stacked(self, w, b):
        """Biases in row 0, then one row per feature, one column per vector, in the type of the weights."""
        return np.vstack((np.array([b], dtype=self.dtype), np.array(w, dtype=self.dtype).T))


def native(problem, rule, options, start=None):
    learner = Learner(
        rule, readout=options["readout"], ties=options["ties"], multiclass=options["share"],
        fit_intercept=options["fit_intercept"], ratchet=options["ratchet"], batch=options["batch"],
        epsilon=options["epsilon"], intercept_scaling=options.get("intercept_scaling", 1),
    )  # fmt: skip
    rows = engine.admit(lay_out(problem.X, options["layout"]))
    regression = options["epsilon"] is not None
    with pytest.MonkeyPatch.context() as patch:
        if options["layout"] in LISTS:
            patch.setattr(weights, "WIDE", 0)
            patch.setattr(weights, "FEW", 0)
            patch.setattr(weights, "SIDE_BY_SIDE", 0)
        learner.allocate(rows.n_features, 0 if regression else problem.n_classes, rows.dtype)
    if start is not None:
        learner.begin(*start)
    learner.fit(
        rows, problem.targets if regression else problem.codes, problem.weight if options["weighted"] else None,
        max_iter=PASSES, tol=None, shuffle=options["shuffle"], rng=np.random.Generator(np.random.PCG64(problem.seed)),
    )  # fmt: skip
    return learner, rows


def compare(problem, rule, start=None, **options):
    options = {"readout": "last", "ratchet": False, "batch": False, "epsilon": None, "share": "max", **options}
    rule = for_classes(rule, problem.n_classes)
    learner, rows = native(problem, rule, options, start)
    serves = learner.n_vectors > 1 and start is None and options["readout"] != "pocket" and not options["batch"]
    serves = serves and rule.keeps is None
    assert (learner.lists is not None) == (serves and options["layout"] in LISTS)
    oracle = Oracle(problem, rule, options, start)
    k = learner.n_vectors
    same_bits(learner.read("last")[:, :k], oracle.stacked(oracle.model.w, oracle.model.b))
    assert not learner.weights[:, k:].any(), "the padding moved"
    if learner.precision is not None:
        same_bits(
            learner.expanded(learner.precision)[:, :k], oracle.stacked(oracle.model.sure.p, oracle.model.sure.p_b)
        )
    if learner.covariance is not None:
        same_bits(learner.covariance, np.array(oracle.model.sure.sigma, float))
    if options["epsilon"] is None:
        assert learner.mistakes == oracle.mistakes
    assert learner.n_iter == len(oracle.mistakes)
    assert learner.n_updates == oracle.updates
    assert learner.visited == oracle.model.visited
    same_bits(learner.tau[: learner.slots], oracle.tau)
    if options["readout"] == "averaged":
        same_bits(learner.read()[:, :k], oracle.stacked(*oracle.model.averaged()))
    if oracle.pocket is not None:
        same_bits(learner.read()[:, :k], oracle.stacked(oracle.pocket.w, oracle.pocket.b))
        tally = learner.tally
        assert (tally.best_run, tally.run) == (oracle.pocket.best_run, oracle.pocket.run)
        assert tally.is_current == oracle.pocket.holds_current
        assert tally.errors == (oracle.pocket.errors if options["ratchet"] else 0)
    scores = np.array([oracle.model.scores(x) for x in oracle.rows], dtype=problem.X.dtype)
    same_bits(learner.scores(rows, "last"), scores[:, 0] if k == 1 else scores)
    return learner


choices = {
    "layout": st.sampled_from(LAYOUTS + LISTS),
    "ties": st.sampled_from(("mistake", "predict")),
    "fit_intercept": st.booleans(),
    "intercept_scaling": st.sampled_from((1, 0.1, 0.75, 30.0)),
    "weighted": st.booleans(),
    "shuffle": st.booleans(),
}


@pytest.mark.parametrize(("rule", "share"), LEARNERS + SECOND_ORDER, ids=str)
@given(problem=problems(), readout=st.sampled_from(READOUTS), **choices)
def test_classifier(rule, share, problem, readout, **options):
    compare(problem, rule, share=share, readout=readout[0], ratchet=readout[1], **options)


@pytest.mark.parametrize("readout", READOUTS, ids=str)
@pytest.mark.parametrize("rule", [rules.Perceptron(), rules.PA1(C=0.2), rules.NormMIRA()], ids=str)
@given(problem=problems(classes=(2, 3), features=(2, 17), kinds=("integers", "eighths")), **choices)
def test_readout(rule, readout, problem, **options):
    compare(problem, rule, readout=readout[0], ratchet=readout[1], **options)


@pytest.mark.parametrize("rule", [rules.PA(), rules.PA1(C=0.07), rules.PA1(C=5.0), rules.PA2(C=0.4)], ids=str)
@given(
    problem=problems(classes=(2,)),
    epsilon=st.sampled_from([0.0, 0.1, 0.75]),
    readout=st.sampled_from(["last", "averaged"]),
    **choices,
)
def test_regressor(rule, problem, epsilon, readout, **options):
    compare(problem, rule, epsilon=epsilon, readout=readout, **options)


@pytest.mark.parametrize(("rule", "share"), LEARNERS, ids=str)
@few
@given(problem=problems(), **choices)
def test_batch(rule, share, problem, **options):
    compare(problem, rule, share=share, batch=True, **options)


@pytest.mark.parametrize(("rule", "share"), LEARNERS + SECOND_ORDER[::3], ids=str)
@few
@given(problem=problems(classes=(2, 3, 9)), readout=st.sampled_from(READOUTS), **choices)
def test_from_a_given_start(rule, share, problem, readout, **options):
    k, d = 1 if problem.n_classes == 2 else problem.n_classes, problem.X.shape[1]
    rng = np.random.default_rng(problem.seed + 1)
    b = rng.standard_normal(k) if options["fit_intercept"] else np.zeros(k)
    start = rng.standard_normal((k, d)).astype(problem.X.dtype), b.astype(problem.X.dtype)
    compare(problem, rule, start=start, share=share, readout=readout[0], ratchet=readout[1], **options)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 15, 16, 17, 31, 32, 47, 100])
def test_a_score_is_summed_in_sixteen_lanes(d, dtype, layout):
    """Numbers whose sum depends on the order of addition: only the lanes and their tree give these bits."""
    rng = np.random.default_rng(d)
    X, w = rng.standard_normal((2, 5, d)) * 10.0 ** rng.integers(-4, 5, (2, 5, d))
    X, w = X.astype(dtype), w[:1].astype(dtype)
    learner = Learner(rules.Perceptron(), fit_intercept=True)
    learner.allocate(d, 2, dtype)
    learner.begin(w, np.array([0.1], dtype))
    expected = [reference.dot(list(x), list(w[0])) + dtype(0.1) for x in X]
    same_bits(learner.scores(engine.admit(lay_out(X, layout))), np.array(expected, dtype))
    if d >= 47 and dtype == np.float64:
        exact = [float(sum(Fraction(a) * Fraction(b) for a, b in zip(x.tolist(), w[0].tolist()))) + 0.1 for x in X]
        plain = [float(np.add.accumulate(x * w[0])[-1]) + 0.1 for x in X]
        assert expected != exact
        assert expected != plain


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_step_too_small_for_the_weights_is_no_update(dtype):
    """A step is rounded to the type of the weights before it counts, with two classes as with three."""
    X = np.eye(3, dtype=dtype)
    for codes, k in (([0, 1, 1], 2), ([0, 1, 2], 3)):
        rows = engine.admit(X)
        learner = Learner(rules.Perceptron(eta0=1e-50), fit_intercept=False)
        learner.allocate(3, k, dtype)
        learner.fit(rows, np.array(codes, np.int32), max_iter=1, tol=None, shuffle=False)
        model = reference.Model(learner.form, 3, learner.n_vectors, fit_intercept=False, number=dtype)
        steps = next(reference.passes(model, learner.rule, [list(x) for x in X], codes, [range(3)]))
        assert learner.n_updates == sum(step.updates for step in steps)


@pytest.mark.parametrize("form", ["inverse", "herd", "covariance"])
def test_a_gain_beyond_float32_is_the_surest(form):
    """The reference in NumPy's float32 warned of an overflow that it then capped, as the native core does."""
    x, zero = np.float32(3), np.float32(0)
    _, p = Moved(1.0, np.float32)((form, 1e39), np.float32(1), x, x * x, zero, zero)
    assert p == 2.0**96
