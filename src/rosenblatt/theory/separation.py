"""Separable or not, proved: the answer and how it is found.

Cheap proofs come first: rows that contradict each other, a perceptron that separates. Then the linear programme decides.
Whatever proposes an answer, only what was verified is claimed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine, exact, reference, rules
from ..learner import Learner, Pass
from ..state import check_name
from . import certificates, given, verification
from .maximum import HardMargin, Maximum
from .revisits import Revisits
from .vectors import Vectors
from .verification import Verification

Array = NDArray[Any]

METHODS = ("auto", "duplicates", "run", "revisit", "programme")
_MOST_ENTRIES = 100_000_000  # numbers in the vectors of several classes, beyond which they are not written out
_EXACT_SUPPORT = 60  # support points for which the maximum margin is computed in fractions


@dataclass(frozen=True, eq=False)
class Separability:
    """Whether data can be separated, with the proof.

    Attributes
    ----------
    separable : bool or None
        True, False, or None where neither could be proved: then ``margin_augmented_bounds`` say what is known.
    margin : float or None
        The maximum margin, the distance of the nearest point to the best boundary; 0.0 if inseparable.
    margin_augmented : float or None
        The maximum margin of the vectors (x, 1), over ‖(w, b)‖: the one that mistake bounds and ``margin_bounds_`` speak
        of. The same as ``margin`` without a bias.
    w : ndarray of shape (n_features,) or (n_classes, n_features), or None
        Weights that separate with that margin.
    b : float, ndarray of shape (n_classes,), or None
        Their bias.
    certificate : ndarray of shape (n_samples,) or (n_samples, n_classes), or None
        If inseparable: weights λ ≥ 0, one for each row (several classes: for each row and wrong class), with ``Σ λ·y·x = 0``
        and with a bias ``Σ λ·y = 0``. Whole numbers if ``exact``.
    how : str
        What decided it.
    exact : bool
        Whether the proof holds without rounding. (That w separates always does.)
    margin_bounds, margin_augmented_bounds : (float, float)
        Proven bounds on the two margins. They agree to rounding, or to a relative 1e-6 on very large data.
    dual, dual_augmented : ndarray like a certificate, or None
        Weights λ ≥ 0 of the support points, which prove the margins maximal: none exceeds ``‖Σ λ·z‖/Σ λ``. Fractions
        where they could be found.
    R : float
        The radius of the vectors that the bounds speak of.
    fit_intercept : bool
        Whether separators may have a bias.
    classes : ndarray
        The labels; of two, the second is y = +1.
    pairs : dict
        With ``multiclass="pairwise"``: the answer for each pair of labels.
    """

    separable: bool | None
    margin: float | None
    margin_augmented: float | None
    w: Array | None
    b: Any
    certificate: Array | None
    how: str = ""
    exact: bool = False
    margin_bounds: tuple[float, float] = (-math.inf, math.inf)
    margin_augmented_bounds: tuple[float, float] = (-math.inf, math.inf)
    dual: Array | None = None
    dual_augmented: Array | None = None
    R: float = math.nan
    fit_intercept: bool = True
    classes: Any = None
    pairs: dict[tuple[Any, Any], Separability] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """ "separable", "inseparable" or "undecided"."""
        return {True: "separable", False: "inseparable", None: "undecided"}[self.separable]

    @property
    def support(self) -> Array:
        """The rows that prove the answer: those with a weight in ``certificate`` or ``dual``."""
        weights = self.certificate if self.certificate is not None else self.dual
        if weights is None:
            return np.zeros(0, dtype=int)
        return np.flatnonzero((weights != 0).reshape(len(weights), -1).any(axis=1))

    @property
    def margin_squared(self) -> Fraction | None:
        """γ² of the maximum margin as a fraction, where it was found exactly."""
        return _squared(self.dual)

    @property
    def margin_augmented_squared(self) -> Fraction | None:
        """γ² of the maximum margin of (x, 1) as a fraction, where it was found exactly."""
        return _squared(self.dual_augmented)

    @property
    def mistake_bound(self) -> float | None:
        """``(R/γ)²`` for the best γ: so many mistakes a perceptron from zero makes at most (several classes: 2(R/γ)²)."""
        if not self.separable or not self.margin_augmented_bounds[0] > 0:
            return None
        return (1 if len(self.classes) == 2 else 2) * (self.R / self.margin_augmented_bounds[0]) ** 2

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the answer from the data alone, however it was found.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The rows that it was asked about.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        Verification
            True or false in an ``if``, with ``exact``, ``tolerance`` and ``reason``. An undecided answer claims nothing and
            does not verify.
        """
        X = given.table(X)
        known = given.label(y, X.shape[0])
        if known.classes.tolist() != np.asarray(self.classes).tolist():
            return Verification(False, True, 0.0, f"y holds {known.classes.tolist()}, the answer is about {self.classes}")
        if self.separable is None:
            return Verification(False, True, 0.0, "it is undecided: nothing is claimed")
        if self.pairs:
            return self._verify_pairs(X, known)
        if not self.separable:
            return verification.certificate(X, known, self.certificate, self.fit_intercept)
        return self._verify_separator(X, known)

    def _verify_separator(self, X: Any, known: given.Labels) -> Verification:
        weights = given.weigh(self.w, self.b, X.shape[1], len(known.classes))
        if not self.fit_intercept and np.any(weights.b != 0):
            return Verification(False, True, 0.0, "it has a bias, and separators without one were asked for")
        found = verification.separator(X, known, weights)
        if not found or self.margin is None:
            return found
        shown = float(given.functional_margins(X, known, weights).min()) / weights.norm(False)
        slack = verification.TOLERANCE * max(1.0, 1e-6 * self.R / shown)  # what rounding makes of a narrow margin
        slack = max(slack, 1.1 * _gap(self.margin_bounds), 1.1 * _gap(self.margin_augmented_bounds))
        if abs(shown - self.margin) > slack * shown:
            return Verification(False, False, slack, f"(w, b) has the margin {shown:.9g}, not {self.margin:.9g}")
        for claimed, dual, free in (
            (self.margin, self.dual, True),
            (self.margin_augmented, self.dual_augmented, not self.fit_intercept),
        ):
            if dual is None or claimed is None:
                return replace(found, reason=f"{found.reason}; that the margin is the largest is not claimed")
            upper = verification.upper_bound(X, known, dual, self.fit_intercept, free)
            if abs(upper - claimed) > slack * claimed:
                reason = f"the support points show that no margin exceeds {upper:.9g}; claimed is {claimed:.9g}"
                return Verification(False, False, slack, reason)
        return Verification(True, self.exact, 0.0 if self.exact else slack,
                            f"{found.reason}, and the support points prove that no margin is larger")  # fmt: skip

    def _verify_pairs(self, X: Any, known: given.Labels) -> Verification:
        for (first, second), answer in self.pairs.items():
            rows = _rows_of_pair(known, first, second)
            if answer.separable is not None:
                found = answer.verify(X[rows], known.classes[known.codes[rows]])
                if not found:
                    return replace(found, reason=f"{first!r} against {second!r}: {found.reason}")
        decided = [answer.separable for answer in self.pairs.values()]
        good = self.separable == (None if None in decided and False not in decided else all(decided))
        is_exact = all(answer.exact for answer in self.pairs.values())
        return Verification(good, is_exact, 0.0, "every pair was checked" if good else "the pairs do not say so")

    def __str__(self) -> str:
        return "\n".join(_describe(self))

    __repr__ = __str__


def separability(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    multiclass: str = "kesler",
    method: str = "auto",
    maximize: bool = True,
    time_limit: float = 300.0,
    verbose: int = 0,
) -> Separability:
    """Whether a hyperplane can separate the classes, with a proof that can be checked.

    If it can: a separator, the maximum margin, and the support points that prove it maximal. If it cannot: Gordan's
    certificate, weights λ ≥ 0 under which the examples cancel, with as few rows as were easily found.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The rows: whole numbers, fractions or floats (each is the rational number that it is).
    y : array of shape (n_samples,)
        Their labels.
    fit_intercept : bool, default=True
        Whether the hyperplane may lie off the origin.
    multiclass : {"kesler", "pairwise"}, default="kesler"
        With more than two classes: one vector for each such that the right class always scores highest, or a hyperplane
        between each two classes. Kesler's sense implies the other.
    method : {"auto", "duplicates", "run", "revisit", "programme"}, default="auto"
        How to look: for equal rows with different labels (or zero rows without a bias), by a perceptron that separates,
        by one in exact numbers that comes back to weights it has had, by linear programming; or the first, the second
        and the last in turn.
    maximize : bool, default=True
        Whether to find the maximum margin too, which takes most of the time on large data.
    time_limit : float, default=300.0
        Seconds after which to stop looking, roughly. What is proved by then is the answer.
    verbose : int, default=0
        1: say what is being tried.

    Returns
    -------
    Separability
        The answer; ``separable`` is None where neither could be proved.

    References
    ----------
    Gordan (1873); Duda & Hart (1973), section 5.12 for Kesler's construction.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> words = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]]  # good, bad, not good, not bad
    >>> answer = rb.separability(words, ["+", "-", "-", "+"])
    >>> answer.separable, answer.certificate, bool(answer.verify(words, ["+", "-", "-", "+"]))
    (False, array([1, 1, 1, 1]), True)
    >>> answer = rb.separability([[0, 0], [1, 0], [0, 1]], [-1, 1, 1])
    >>> answer.separable, answer.margin_squared, answer.margin_augmented_squared
    (True, Fraction(1, 8), Fraction(1, 9))
    """
    check_name("multiclass", multiclass, ("kesler", "pairwise"))
    check_name("method", method, METHODS)
    if not (isinstance(time_limit, (int, float)) and time_limit > 0):
        raise ValueError(f"time_limit must be a number of seconds > 0, got {time_limit!r}")
    X = given.table(X)
    known = given.label(y, X.shape[0])
    if len(known.classes) > 2 and multiclass == "pairwise":
        return _pairwise(X, known, bool(fit_intercept), method, maximize, time_limit, verbose)
    search = Search(X, known, bool(fit_intercept), time_limit, print if verbose else None)
    return search.answer(method, maximize)


class Search:
    """One question, and the ways of answering it. Each returns an answer, or None if it has none."""

    def __init__(
        self, X: Any, known: given.Labels, fit_intercept: bool, time_limit: float, say: Callable[[str], None] | None
    ) -> None:
        self.X, self.known, self.fit_intercept = X, known, fit_intercept
        self.floats = given.as_floats(X)
        self.rows = engine.admit(self.floats)
        self.n_classes = len(known.classes)
        self.deadline, self.time_limit = time.monotonic() + time_limit, time_limit
        self.say = say or (lambda text: None)
        self.upper = math.inf  # on the margin of (x, 1)
        self.R = math.sqrt(self.rows.radius2() + fit_intercept)
        self._vectors: Vectors | None = None

    @property
    def left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def vectors(self) -> Vectors | None:
        """All z, unless they are too many to write out."""
        if self._vectors is None:
            entries = self.X.nnz if engine.is_sparse(self.X) else self.X.size
            if self.n_classes > 2 and 2 * (self.n_classes - 1) * entries > _MOST_ENTRIES:
                return None
            self._vectors = Vectors(self.floats, self.known.codes, self.n_classes, self.fit_intercept)
        return self._vectors

    def answer(self, method: str, maximize: bool) -> Separability:
        """The first answer that is found, with the maximum margin if that is asked for."""
        ways = (self.duplicates, self.run, self.programme) if method == "auto" else (getattr(self, method),)
        for way in ways:
            found = way()
            if found is not None:
                return self.maximized(found) if found.separable and maximize else found
        bounds = (-math.inf, self.upper)
        how = "neither a separator nor a certificate was found"
        if self.left == 0:
            how += f" within the time limit of {self.time_limit:g} s"
        elif method != "auto":
            how += f" by the method {method!r} alone"
        return self._answer(None, None, None, None, None, None, how=how, margin_augmented_bounds=bounds)

    def _answer(self, *fields: Any, **more: Any) -> Separability:
        return Separability(*fields, R=self.R, fit_intercept=self.fit_intercept, classes=self.known.classes, **more)

    def separated(self, w: Any, b: Any, how: str) -> Separability | None:
        """The answer "separable", if these weights do it."""
        weights = given.weigh(w, b, self.X.shape[1], self.n_classes)
        if not verification.separator(self.X, self.known, weights):
            return None
        least = float(given.functional_margins(self.X, self.known, weights).min())
        w, b = (weights.w[0], float(weights.b[0])) if self.n_classes == 2 else (weights.w, weights.b)
        return self._answer(True, None, None, w, b, None, how=how, exact=True,
                            margin_bounds=(least / weights.norm(False), math.inf),
                            margin_augmented_bounds=(least / weights.norm(self.fit_intercept), self.upper))  # fmt: skip

    def inseparable(self, certificate: Array, how: str) -> Separability | None:
        """The answer "inseparable", if this certificate holds."""
        found = verification.certificate(self.X, self.known, certificate, self.fit_intercept)
        if not found:
            return None
        return self._answer(False, 0.0, 0.0, None, None, certificate, how=how, exact=found.exact,
                            margin_bounds=(-math.inf, 0.0), margin_augmented_bounds=(-math.inf, 0.0))  # fmt: skip

    # ---- the ways ------------------------------------------------------------------------------------------------

    def duplicates(self) -> Separability | None:
        """Equal rows with different labels; without a bias also a row of zeros, whose score is always 0."""
        self.say("looking for rows that contradict each other")
        codes = self.known.codes
        rng = np.random.default_rng(0)
        key = given.scores(self.floats, given.Weights(rng.standard_normal((1, self.X.shape[1])), np.zeros(1)))[:, 0]
        if not self.fit_intercept:
            for i in np.flatnonzero(key == 0).tolist():
                if not any(certificates.rows_of(self.X, np.array([i]))[0]):
                    return self.inseparable(self._weights_on({i: None}), f"row {i} is zero: its score is 0 without a bias")
        order = np.lexsort((codes, key))
        touching = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(codes[order]) != 0))
        for first, second in zip(order[touching].tolist(), order[touching + 1].tolist()):
            pair = certificates.rows_of(self.X, np.array([first, second]))
            if pair[0] == pair[1]:
                first, second = sorted((first, second))
                how = f"rows {first} and {second} are equal but have different labels"
                return self.inseparable(self._weights_on({first: second, second: first}), how)
        return None

    def _weights_on(self, rivals: dict[int, int | None]) -> Array:
        """A certificate of weight 1 on some rows, each against the class of another (or against any)."""
        if self.n_classes == 2:
            found = np.zeros(self.X.shape[0], dtype=np.int64)
            found[list(rivals)] = 1
            return found
        found = np.zeros((self.X.shape[0], self.n_classes), dtype=np.int64)
        for row, other in rivals.items():
            code = int(self.known.codes[row])
            found[row, int(self.known.codes[other]) if other is not None else int(code == 0)] = 1
        return found

    def run(self) -> Separability | None:
        """A perceptron that gets every row right, within a tenth of the time."""
        self.say("running a perceptron")
        learner = Learner(rules.Perceptron(), fit_intercept=self.fit_intercept)
        learner.allocate(self.rows.n_features, self.n_classes, np.float64)
        until = time.monotonic() + self.left / 10

        def watch(done: Pass) -> None:
            if time.monotonic() > until:
                raise TimeoutError

        try:
            learner.fit(self.rows, self.known.codes, max_iter=300, tol=None, rng=np.random.default_rng(0), progress=watch)
        except TimeoutError:
            pass
        self.upper = min(self.upper, learner.margin_bounds[1])
        if learner.verdict != "separated":
            return None
        weights = learner.read("last")[:, : learner.n_vectors]
        how = f"a perceptron separated them in {learner.n_iter} passes"
        return self.separated(weights[1:].T, weights[0], how)

    def revisit(self) -> Separability | None:
        """A perceptron in exact numbers that comes back to weights it has had before; or that separates."""
        self.say("running a perceptron in exact numbers")
        rows, codes = exact.rows(self.X), self.known.codes.tolist()
        binary = self.n_classes == 2
        model = reference.Model(
            "binary" if binary else "multiclass", self.X.shape[1], 1 if binary else self.n_classes,
            fit_intercept=self.fit_intercept,
        )  # fmt: skip

        def state() -> tuple[Any, ...]:
            return (*(tuple(w) for w in model.w), *model.b)

        watch = Revisits(rows, codes, self.fit_intercept, state(), self.n_classes)
        orders = iter(lambda: range(len(rows)) if self.left else None, None)
        for number, steps in enumerate(reference.passes(model, rules.Perceptron(eta0=1), rows, codes, orders), 1):
            for row, step in enumerate(steps):
                watch.add(row, step.coef)
            if not any(step.mistakes for step in steps):
                how = f"a perceptron in exact numbers separated them in {number} passes"
                return self.separated([[float(v) for v in w] for w in model.w], [float(v) for v in model.b], how)
            found = watch.look(state())
            if found is not None:
                how = f"a perceptron came back to the weights it had before, in pass {number}"
                return self.inseparable(np.array(found.certificate), how)
        return None

    def programme(self) -> Separability | None:
        """The linear programme; where its answer is too narrow to verify, the hard-margin programme."""
        from . import programme

        vectors = self.vectors()
        if vectors is None:
            return None
        self.say("solving a linear programme")
        proposal = programme.propose(vectors, self.left)
        if proposal.w is not None and proposal.b is not None:
            found = self.separated(*vectors.weights(proposal.w, proposal.b), "a linear programme found a separator")
            if found is not None:
                return found
        if proposal.lam is not None:
            found = self._smallest(vectors, proposal.lam)
            if found is not None:
                return found
        if len(vectors) > 5000:
            return None
        self.say("solving the hard-margin programme")
        best = HardMargin(vectors, free=False).run(time_limit=min(self.left, 10.0))
        self.upper = min(self.upper, best.upper)
        if best.lower > 0:
            return self.separated(*vectors.weights(best.w, best.b), "the hard-margin programme found a separator")
        found = self._smallest(vectors, best.lam)
        return found

    def _smallest(self, vectors: Vectors, lam: Array) -> Separability | None:
        """The smallest certificate among a few, in whole numbers if possible."""
        from . import programme

        proposals = [lam]
        if vectors.Z.shape[0] * vectors.Z.shape[1] <= 200_000 and np.count_nonzero(lam) > 2:
            proposals += programme.other_certificates(vectors, 8, min(1.0, self.left))
        found = [certificates.made_exact(self.X, vectors, proposal) for proposal in proposals]
        answers = [
            answer
            for weights in found
            if weights is not None
            for answer in [self.inseparable(weights, _by_programme(weights))]
            if answer is not None
        ]
        if answers:
            return min(answers, key=lambda a: (len(a.support), int(a.certificate.max())))  # type: ignore[union-attr]
        weights = vectors.per_row(lam / lam.max())
        return self.inseparable(weights, _by_programme(weights))

    # ---- the maximum margin --------------------------------------------------------------------------------------

    def maximized(self, found: Separability) -> Separability:
        """The same answer with the largest margins."""
        vectors = self.vectors()
        if vectors is None:
            return replace(found, how=found.how + "; too large for the maximum margin")
        self.say("looking for the maximum margin")
        u = np.ravel(found.w), np.ravel(found.b) if self.fit_intercept else np.zeros(0)
        augmented = HardMargin(vectors, free=False).run(u, time_limit=self.left / 2, report=self._reporter())
        geometric = augmented
        if self.fit_intercept:
            u = augmented.w, augmented.b
            geometric = HardMargin(vectors, free=True, start=augmented).run(
                u, time_limit=self.left, report=self._reporter()
            )
        better = self.separated(*vectors.weights(geometric.w, geometric.b), found.how)
        if better is None or geometric.lower < found.margin_bounds[0]:
            better = found  # the time was up before anything better was found
        result = replace(
            better,
            margin=max(geometric.lower, better.margin_bounds[0]),
            margin_augmented=max(augmented.lower, found.margin_augmented_bounds[0]),
            margin_bounds=(max(geometric.lower, better.margin_bounds[0]), geometric.upper),
            margin_augmented_bounds=(max(augmented.lower, found.margin_augmented_bounds[0]),
                                     min(augmented.upper, self.upper)),
            dual=vectors.per_row(geometric.lam),
            dual_augmented=vectors.per_row(augmented.lam),
            exact=False,
        )  # fmt: skip
        return self._in_fractions(result, vectors, geometric, augmented)

    def _reporter(self) -> Callable[[Maximum], None]:
        last = time.monotonic()

        def report(best: Maximum) -> None:
            nonlocal last
            if time.monotonic() - last > 2:
                last = time.monotonic()
                self.say(f"maximum margin in [{best.lower:.6g}, {best.upper:.6g}]")

        return report

    def _in_fractions(
        self, result: Separability, vectors: Vectors, geometric: Maximum, augmented: Maximum
    ) -> Separability:
        """The margins as square roots of fractions, where there are few support points."""
        if self.n_classes > 2:
            return result
        outer = exact_maximum(self.X, self.known, augmented, self.fit_intercept, free=False)
        inner = outer
        if self.fit_intercept:
            inner = exact_maximum(self.X, self.known, geometric, self.fit_intercept, free=True)
        if inner is None or outer is None:
            return result
        (dual, w, b), (dual_augmented, _, _) = inner, outer
        margin, margin_augmented = (1 / math.sqrt(sum(found[found != 0])) for found in (dual, dual_augmented))
        rounded = given.Weights(np.array([[float(v) for v in w]]), np.array([float(b)]))
        if not verification.separator(self.X, self.known, rounded):
            return result
        return replace(
            result, exact=True, margin=margin, margin_augmented=margin_augmented, w=rounded.w[0], b=float(b),
            margin_bounds=(margin, margin), margin_augmented_bounds=(margin_augmented, margin_augmented),
            dual=dual, dual_augmented=dual_augmented,
        )  # fmt: skip


def exact_maximum(
    X: Any, known: given.Labels, found: Maximum, fit_intercept: bool, free: bool
) -> tuple[Array, list[Any], Any] | None:
    """λ, w and b of the maximum margin in fractions, from its support points; None where they do not show it.

    ``w·z + b·f = 1`` on the support points, λ ≥ 0, and every other row at least 1: then γ² = 1/Σ λ.
    """
    support = np.flatnonzero(found.lam > 1e-9 * found.lam.max(initial=0.0))
    if not 0 < len(support) <= _EXACT_SUPPORT:
        return None
    rows, signs = exact.rows(X, support), [1 if code == 1 else -1 for code in known.codes[support].tolist()]
    z = [[s * v for v in x] for x, s in zip(rows, signs)]
    products = [[sum(u * v for u, v in zip(p, q) if u and v) for q in z] for p in z]
    right: list[Any] = [1] * len(z)
    if fit_intercept and not free:
        products = [[g + s * t for g, t in zip(line, signs)] for line, s in zip(products, signs)]
    elif fit_intercept:
        products = [[*line, s] for line, s in zip(products, signs)] + [[*signs, 0]]
        right.append(0)
    solution = exact.solve(products, right)
    if solution is None or min(solution[: len(z)]) < 0:
        return None
    part = solution[: len(z)]
    w = [sum(a * p[j] for a, p in zip(part, z) if a) for j in range(X.shape[1])]
    b = 0 if not fit_intercept else solution[-1] if free else sum(a * s for a, s in zip(part, signs))
    rounded = given.Weights(np.array([[float(v) for v in w]]), np.array([float(b)]))
    margins = given.functional_margins(X, known, rounded)
    for i in np.flatnonzero(margins < 1 + 1e-6).tolist():
        if verification.exact_margin(exact.rows(X, [i])[0], int(known.codes[i]), [w], [b]) < 1:
            return None
    dual = np.zeros(X.shape[0], dtype=object)
    dual[support] = part
    return dual, w, b


def _pairwise(
    X: Any, known: given.Labels, fit_intercept: bool, method: str, maximize: bool, time_limit: float, verbose: int
) -> Separability:
    """Each two classes by themselves."""
    deadline = time.monotonic() + time_limit
    pairs: dict[tuple[Any, Any], Separability] = {}
    couples = list(combinations(known.classes.tolist(), 2))
    for done, (first, second) in enumerate(couples):
        rows = _rows_of_pair(known, first, second)
        left = max(0.1, deadline - time.monotonic()) / (len(couples) - done)
        pairs[first, second] = separability(
            X[rows], known.classes[known.codes[rows]], fit_intercept,
            method=method, maximize=maximize, time_limit=left, verbose=verbose,
        )  # fmt: skip
    decided = [answer.separable for answer in pairs.values()]
    separable = None if None in decided and False not in decided else all(decided)
    narrowest = min(pairs.values(), key=lambda a: a.margin_augmented_bounds[0])
    count = sum(answer is True for answer in decided)
    return Separability(
        separable, narrowest.margin, narrowest.margin_augmented, None, None, None,
        how=f"{count} of {len(couples)} pairs of classes are separable",
        exact=all(answer.exact for answer in pairs.values()),
        margin_bounds=narrowest.margin_bounds, margin_augmented_bounds=narrowest.margin_augmented_bounds,
        R=max(answer.R for answer in pairs.values()), fit_intercept=fit_intercept, classes=known.classes, pairs=pairs,
    )  # fmt: skip


def _rows_of_pair(known: given.Labels, first: Any, second: Any) -> Array:
    labels = known.classes.tolist()
    return np.flatnonzero((known.codes == labels.index(first)) | (known.codes == labels.index(second)))


def _by_programme(weights: Array) -> str:
    count = int(np.count_nonzero((weights != 0).reshape(len(weights), -1).any(axis=1)))
    return f"a linear programme found a certificate of {count} rows"


def _gap(bounds: tuple[float, float]) -> float:
    low, high = bounds
    return (high - low) / high if 0 < high < math.inf else 0.0


def _squared(dual: Array | None) -> Fraction | None:
    return 1 / Fraction(sum(dual[dual != 0])) if dual is not None and dual.dtype == object else None


def _describe(answer: Separability) -> list[str]:
    """The lines that a person reads."""
    bias = "with a bias" if answer.fit_intercept else "without a bias"
    lines = [f"{answer.verdict} {bias}: {answer.how}"]
    rows = ", ".join(map(str, answer.support[:12])) + (", …" if len(answer.support) > 12 else "")
    if answer.pairs:
        lines += [f"  {a!r} against {b!r}: {pair.verdict}, {pair.how}" for (a, b), pair in answer.pairs.items()]
    elif answer.separable is None:
        lines.append(f"  the best margin{_of_x1(answer)} is at most {answer.margin_augmented_bounds[1]:.6g}")
    elif not answer.separable and answer.certificate is not None:
        weights = answer.certificate[answer.support].tolist()
        shown = ", ".join(map(str, weights[:12])) + (", …" if len(weights) > 12 else "")
        lines.append(f"  certificate: Σ λ·z = 0 with λ = ({shown}) on the {len(weights)} rows {rows}")
        lines.append(f"  {'exact: a proof' if answer.exact else f'in floats, to a relative {verification.TOLERANCE:g}'}")
    elif answer.margin is not None:
        for name, value, squared, bounds in (
            ("margin", answer.margin, answer.margin_squared, answer.margin_bounds),
            ("margin of (x, 1)", answer.margin_augmented, answer.margin_augmented_squared,
             answer.margin_augmented_bounds),
        )[: 2 if answer.fit_intercept else 1]:  # fmt: skip
            known = f"γ² = {squared} exactly" if squared is not None and len(str(squared)) < 40 else (
                f"between {bounds[0]:.12g} and {bounds[1]:.12g}"
            )
            lines.append(f"  maximum {name} {value:.6g} ({known})")
        lines.append(f"  support points: {len(answer.support)} rows, {rows}")
        lines.append(f"  a perceptron from zero makes at most {answer.mistake_bound:.6g} mistakes (R = {answer.R:.6g})")
    return lines


def _of_x1(answer: Separability) -> str:
    return " of (x, 1)" if answer.fit_intercept else ""
