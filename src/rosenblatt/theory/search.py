"""The ways of finding out whether data can be separated. Only what was verified is claimed, whoever proposed it."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import engine, exact, reference, rules
from ..core.learner import Learner, Pass
from . import exact_arrays, inputs, programme, verification
from .answer import Separability
from .effort import Effort
from .exact_arrays import ArrayVectors
from .exact_vectors import kind_of_bias
from .maximum import HardMargin, Maximum
from .revisits import Revisits
from .shortest import Shortest, shortest, supported
from .vectors import Vectors

Array = NDArray[Any]

#: Numbers in the vectors of several classes from which on pairs are tried first, and beyond which they are not written
#: out.
_MANY_ENTRIES, _MOST_ENTRIES = 1_000_000, 100_000_000
_SMALLEST = 1e-70  # below it, fourth powers vanish
_MOST_EXACT = 20_000  # numbers in the vectors of data that are decided in fractions where floats cannot
_PASSES = 300  # of the perceptron in floats
_OTHERS = 2e8  # multiplications for each of the certificates that may be smaller than the first


class Search:
    """One question, and the ways of answering it. Each returns an answer, or None if it has none."""

    def __init__(
        self,
        X: Any,
        known: inputs.Labels,
        fit_intercept: bool,
        effort: Effort,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.X, self.known, self.fit_intercept = X, known, fit_intercept
        self.floats = inputs.as_floats(X)
        self.rows = engine.admit(self.floats)
        if self.rows.largest and not _SMALLEST < self.rows.largest < 1 / _SMALLEST:
            raise ValueError(
                f"the largest number in X is {self.rows.largest:g}, whose powers leave the range of floats; scale X so "
                f"that it lies between {_SMALLEST:g} and {1 / _SMALLEST:g}"
            )
        self.n_classes = len(known.classes)
        self.effort = effort
        self.say = say or (lambda text: None)
        self.upper = math.inf  # on the margin of (x, 1)
        self.R = math.sqrt(self.rows.radius2() + fit_intercept)
        self._vectors: Vectors | None = None
        self._centred: Vectors | None = None
        self.centre = np.zeros(X.shape[1])

    @property
    def entries(self) -> int:
        """How many numbers the vectors hold."""
        held = int(self.X.nnz if engine.is_sparse(self.X) else self.X.size)
        return held if self.n_classes == 2 else 2 * (self.n_classes - 1) * held

    @property
    def is_small(self) -> bool:
        """Whether exact numbers may look for an answer that floats have not found."""
        n, d = self.X.shape
        blocks = 1 if self.n_classes == 2 else (self.n_classes - 1) * self.n_classes
        return int(blocks * n * d) <= _MOST_EXACT

    def vectors(self) -> Vectors | None:
        """All z, unless they are too many to write out."""
        if self._vectors is None:
            if self.n_classes > 2 and self.entries > _MOST_ENTRIES:
                return None
            self._vectors = Vectors(self.floats, self.known.codes, self.n_classes, self.fit_intercept)
        return self._vectors

    def centred(self) -> Vectors | None:
        """All z of the rows less the first one: with a bias that changes no answer, and spares the floats an offset."""
        if self._centred is None and self.fit_intercept and not engine.is_sparse(self.X) and self.vectors() is not None:
            rows, self.centre = inputs.centred(self.X)
            self._centred = Vectors(rows, self.known.codes, self.n_classes, True)
        return self._centred or self.vectors()

    def moved_back(self, vectors: Vectors, w: Array, b: Array) -> tuple[Array, Array]:
        """Weights for centred rows as weights and biases for the rows themselves."""
        w, b = vectors.weights(w, b)
        return w, b - w @ self.centre if vectors is self._centred else b

    def answer(self, method: str, maximize: bool) -> Separability:
        """The first answer that is found, with the maximum margin if that is asked for; verified."""
        result = self._first_result(method)
        if result.separable and maximize and self.bounded:
            best = self.maximized(result)
            if verification.check(best, self.X, self.known):
                return best
            result = replace(result, how=result.how + "; what was found of the maximum margin could not be verified")
        if result.separable is None or verification.check(result, self.X, self.known):
            return result
        return self._answer(how="neither a separator nor a certificate could be verified")

    @property
    def bounded(self) -> bool:
        """Whether there is a largest margin: with a bias, not where all rows have one label."""
        return not (self.fit_intercept and np.all(self.known.codes == self.known.codes[0]))

    def _first_result(self, method: str) -> Separability:
        if not self.bounded:
            sign = float(self.known.signs[0])
            result = self.separated(np.zeros(self.X.shape[1]), sign, "all rows have one label: a bias alone is right")
            assert result is not None
            return result
        ways = (self.duplicates, self.run, self.pair, self.programme) if method == "auto" else (getattr(self, method),)
        for way in ways:
            result = way()
            if result is not None:
                return result
        bounds = (-math.inf, self.upper)
        how = "neither a separator nor a certificate was found"
        if self.effort.left == 0:
            how += f" within the time limit of {self.effort.time_limit:g} s"
        elif method != "auto":
            how += f" by the method {method!r} alone"
        return self._answer(how=how, margin_augmented_bounds=bounds)

    def _answer(self, **fields: Any) -> Separability:
        about = {"R": self.R, "n_rows": self.X.shape[0], "classes": self.known.classes}
        return Separability(fit_intercept=self.fit_intercept, **about, **fields)

    def separated(self, w: Any, b: Any, how: str) -> Separability | None:
        """The answer "separable", if these weights do it."""
        weights = verification.as_separator(w, b, self.X.shape[1], self.n_classes)
        if not verification.separator(self.X, self.known, weights):
            return None
        lower = longer = verification.lower_bound(self.X, self.known, weights, augmented=False)
        if self.fit_intercept:
            longer = verification.lower_bound(self.X, self.known, weights, augmented=True)
        return self._answer(
            separable=True,
            w=weights.w[0] if self.n_classes == 2 else weights.w,
            b=weights.b.tolist()[0] if self.n_classes == 2 else weights.b,
            how=how,
            exact=True,
            margin_bounds=(lower, math.inf),
            margin_augmented_bounds=(longer, math.inf),
        )

    def inseparable(self, certificate: Array, how: str) -> Separability | None:
        """The answer "inseparable", if this certificate holds."""
        check = verification.certificate(self.X, self.known, certificate, self.fit_intercept)
        if not check:
            return None
        none = (-math.inf, 0.0)
        return self._answer(
            separable=False,
            margin=0.0,
            margin_augmented=0.0,
            certificate=certificate,
            how=how,
            exact=check.exact,
            margin_bounds=none,
            margin_augmented_bounds=none,
        )

    # ---- the ways ------------------------------------------------------------------------------------------------

    def duplicates(self) -> Separability | None:
        """Equal rows with different labels; without a bias also a row of zeros, whose score is always 0."""
        self.say("looking for rows that contradict each other")
        codes = self.known.codes
        rng = np.random.default_rng(0)
        key = inputs.scores(self.floats, inputs.Weights(rng.standard_normal((1, self.X.shape[1])), np.zeros(1)))[:, 0]
        if not self.fit_intercept:
            for i in np.flatnonzero(key == 0).tolist():
                if not exact.entries(self.X, i):
                    how = f"row {i} is zero: its score is 0 without a bias"
                    return self.inseparable(self._weights_on({i: None}), how)
        order = np.lexsort((codes, key))
        touching = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(codes[order]) != 0))
        for first, second in zip(order[touching].tolist(), order[touching + 1].tolist()):
            if exact.entries(self.X, first) == exact.entries(self.X, second):
                first, second = sorted((first, second))
                how = f"rows {first} and {second} are equal but have different labels"
                return self.inseparable(self._weights_on({first: second, second: first}), how)
        return None

    def _weights_on(self, rivals: dict[int, int | None]) -> Array:
        """A certificate of weight 1 on some rows, each against the class of another (or against any)."""
        if self.n_classes == 2:
            certificate = np.zeros(self.X.shape[0], dtype=np.int64)
            certificate[list(rivals)] = 1
            return certificate
        certificate = np.zeros((self.X.shape[0], self.n_classes), dtype=np.int64)
        for row, other in rivals.items():
            code = int(self.known.codes[row])
            certificate[row, int(self.known.codes[other]) if other is not None else int(code == 0)] = 1
        return certificate

    def run(self) -> Separability | None:
        """A perceptron that gets every row right, within a tenth of the effort."""
        self.say("running a perceptron")
        learner = Learner(rules.Perceptron(), fit_intercept=self.fit_intercept)
        learner.allocate(self.rows.n_features, self.n_classes, np.float64)
        passes = min(_PASSES, 1 + int(self.effort.floats / 10 / (self.entries + len(self.known.codes))))
        until = self.effort.share(0.1).deadline

        def watch(done: Pass) -> None:
            if time.monotonic() > until:
                raise TimeoutError

        with contextlib.suppress(TimeoutError):
            learner.fit(
                self.rows, self.known.codes, max_iter=passes, tol=None, rng=np.random.default_rng(0), progress=watch
            )
        self.upper = min(self.upper, learner.margin_bounds[1] + 4 * inputs.EPS * self.R)  # decimals are not binary
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
        work = self.effort.exact_work(40)  # which is all that there is for it

        def orders() -> Iterator[range]:
            with contextlib.suppress(TimeoutError):
                while True:
                    work.count(self.entries + len(rows))
                    yield range(len(rows))

        for number, steps in enumerate(reference.passes(model, rules.Perceptron(eta0=1), rows, codes, orders()), 1):
            for row, step in enumerate(steps):
                watch.add(row, step.coef)
            if not any(step.mistakes for step in steps):
                how = f"a perceptron in exact numbers separated them in {number} passes"
                return self.separated([[float(v) for v in w] for w in model.w], [float(v) for v in model.b], how)
            revisit = watch.look(state())
            if revisit is not None:
                how = f"a perceptron came back to the weights it had before, in pass {number}"
                return self.inseparable(np.array(revisit.certificate), how)
        return None

    def pair(self) -> Separability | None:
        """Two of many classes that cannot be separated, on large data: a programme for each two is far smaller."""
        if self.n_classes == 2 or self.entries < _MANY_ENTRIES:
            return None
        for first, second in combinations(range(self.n_classes), 2):
            names = f"{self.known.classes[first]!s} against {self.known.classes[second]!s}"
            self.say(f"trying {names}")
            rows, known = self.known.pair(first, second)
            result = Search(self.X[rows], known, self.fit_intercept, self.effort).programme()
            if result is not None and result.certificate is not None:
                lifted = np.zeros((self.X.shape[0], self.n_classes), result.certificate.dtype)
                lifted[rows, np.where(known.codes == 1, first, second)] = result.certificate
                return self.inseparable(lifted, f"{names}: {result.how}")
        return None

    def programme(self) -> Separability | None:
        """The linear programme; where its answer is too narrow to verify, the hard-margin programme."""
        vectors = self.centred()
        if vectors is None:
            return None
        self.say("solving a linear programme")
        proposal = programme.propose(vectors, self.effort)
        if proposal.w is not None and proposal.b is not None:
            w, b = self.moved_back(vectors, proposal.w, proposal.b)
            result = self.separated(w, b, "a linear programme found a separator")
            if result is not None:
                return result
        if proposal.lam is not None:
            result = self._smallest(vectors, proposal.lam)
            if result is not None:
                return result
        return self._in_exact_numbers()

    def _in_exact_numbers(self) -> Separability | None:
        """The shortest vector of the hull in fractions, for small data on which floats could not decide."""
        if not self.is_small:
            return None
        self.say("deciding it in exact numbers")
        z = ArrayVectors(self.X, self.known, kind_of_bias(self.fit_intercept), self.effort.exact_work())
        try:
            least = shortest(z)
        except TimeoutError:
            return None
        if not least.square:
            weights = exact_arrays.in_whole_numbers(z, least.point)
            return self.inseparable(weights, f"exact numbers {_found(weights)}")
        return self.separated(*self._floats_or_fractions(z, least), "exact numbers found a separator")

    def _floats_or_fractions(self, z: ArrayVectors, least: Shortest) -> tuple[Array, Array]:
        """The weights of the shortest vector in floats, if these separate, else in fractions."""
        rounded = z.as_weights(least.w, least.biases, over=least.square)
        separator = verification.as_separator(*rounded, self.X.shape[1], self.n_classes)
        if verification.separator(self.X, self.known, separator):
            return rounded
        return z.as_fractions(least.w, least.biases)

    def _smallest(self, vectors: Vectors, lam: Array) -> Separability | None:
        """The smallest certificate among a few, in whole numbers if possible."""
        proposals = [lam]
        if vectors.Z.shape[0] * vectors.Z.shape[1] <= 200_000 and np.count_nonzero(lam) > 2:
            proposals += programme.other_certificates(vectors, 8, replace(self.effort, floats=_OTHERS))
        exact_ones: list[Array] = []
        work = self.effort.exact_work()  # for all of them together
        try:
            for proposal in proposals:
                weights = exact_arrays.made_exact(self.X, self.known, vectors, proposal, work)
                exact_ones += [] if weights is None else [weights]
        except TimeoutError:
            if not exact_ones:  # floats, where exact numbers are too much work; elsewhere exact numbers have refuted it
                exact_ones = [vectors.per_row(lam / lam.max())]
        if not exact_ones:
            return None
        weights = min(exact_ones, key=lambda each: (np.count_nonzero(each), each.max()))
        return self.inseparable(weights, f"a linear programme {_found(weights)}")

    # ---- the maximum margin --------------------------------------------------------------------------------------

    def maximized(self, result: Separability) -> Separability:
        """The same answer with the largest margins."""
        vectors = self.vectors()
        if vectors is None:
            return replace(result, how=result.how + "; too large for the maximum margin")
        self.say("looking for the maximum margin")
        start = self._start(result, vectors)
        if self.is_small:  # floats need not come near, nor take their time
            frees = (False, True)[: 1 + self.fit_intercept]
            near = [vectors.per_row(HardMargin(vectors, free).near(start)) for free in frees]
            best = self._in_fractions(result, near[0], near[-1])
            if best is not None:
                return best
        augmented = HardMargin(vectors, free=False).run(start, effort=self.effort.share(0.5), report=self._reporter())
        geometric = augmented
        if self.fit_intercept:
            vectors = self.centred() or vectors
            moved = augmented.moved(self.centre, self.n_classes) if vectors is self._centred else augmented
            geometric = HardMargin(vectors, free=True, start=moved).run(
                (moved.w, moved.b), effort=self.effort, report=self._reporter()
            )
        better = self.separated(*self.moved_back(vectors, geometric.w, geometric.b), result.how)
        if better is None or better.margin_bounds[0] < result.margin_bounds[0]:
            better = result  # the effort was spent before there was anything better
        longer = self.separated(*vectors.weights(augmented.w, augmented.b), result.how)
        if longer is None or longer.margin_augmented_bounds[0] < result.margin_augmented_bounds[0]:
            longer = result
        margin, margin_augmented = better.margin_bounds[0], longer.margin_augmented_bounds[0]
        dual_augmented = vectors.per_row(augmented.lam)
        dual = vectors.per_row(geometric.lam) if self.fit_intercept else dual_augmented
        best_result = replace(
            better,
            margin=margin,
            margin_augmented=margin_augmented,
            margin_bounds=(margin, self._upper(dual, augmented=False)),
            margin_augmented_bounds=(margin_augmented, self._upper(dual_augmented, augmented=True)),
            dual=dual,
            dual_augmented=dual_augmented,
            w_augmented=longer.w if self.fit_intercept else None,
            b_augmented=longer.b if self.fit_intercept else None,
            exact=False,
        )
        return self._in_fractions(best_result, dual_augmented, dual) or best_result

    def _start(self, result: Separability, vectors: Vectors) -> tuple[Array, Array]:
        """Weights that separate, for the search to start from."""
        if result.margin_augmented_bounds[0] < 1e-9 * self.R and self.entries < _MANY_ENTRIES:  # too narrow for that
            proposal = programme.propose(vectors, self.effort)
            if proposal.w is not None and proposal.b is not None:
                return proposal.w, proposal.b
        w, b = np.ravel(np.asarray(result.w, dtype=float)), np.ravel(np.asarray(result.b, dtype=float))
        return w, b if self.fit_intercept else np.zeros(0)

    def _upper(self, dual: Array, augmented: bool) -> float:
        return verification.upper_bound(self.X, self.known, dual, self.fit_intercept, augmented)

    def _reporter(self) -> Callable[[Maximum], None]:
        last = time.monotonic()

        def report(best: Maximum) -> None:
            nonlocal last
            if time.monotonic() - last > 2:
                last = time.monotonic()
                self.say(f"maximum margin in [{best.lower:.6g}, {best.upper:.6g}]")

        return report

    def _in_fractions(self, result: Separability, near_augmented: Array, near: Array) -> Separability | None:
        """The margins as square roots of fractions, from λ near theirs; None where that is too much work."""
        try:
            outer = self._shortest(kind_of_bias(self.fit_intercept), near_augmented)
            inner = self._shortest("free", near) if self.fit_intercept else outer
        except TimeoutError:
            return None
        if inner is None or outer is None:
            return None
        fields: dict[str, Any] = {"exact": True}
        for name, (z, least) in {"": inner, "_augmented": outer}.items():
            if name and not self.fit_intercept:
                fields |= {f"{key}_augmented": fields[key] for key in ("dual", "margin")}
                fields["margin_augmented_bounds"] = fields["margin_bounds"]
                break
            separator = self.separated(*self._floats_or_fractions(z, least), result.how)
            assert separator is not None
            fields |= {f"w{name}": separator.w, f"b{name}": separator.b}
            fields[f"dual{name}"] = z.per_row({place: share / least.square for place, share in least.point.items()})
            fields[f"margin{name}"] = exact.root(least.square)
            fields[f"margin{name}_bounds"] = exact.root_below(least.square), exact.root_above(least.square)
        return replace(result, **fields)

    def _shortest(self, bias: str, near: Array) -> tuple[ArrayVectors, Shortest] | None:
        """The shortest vector; of large data only if it has its λ just where those in floats are."""
        z = ArrayVectors(self.X, self.known, bias, self.effort.exact_work())
        near = np.where(near > 1e-9 * near.max(initial=0.0), near, 0.0)
        least = shortest(z, near) if self.is_small else supported(z, near)
        return None if least is None else (z, least)


def _found(weights: Array) -> str:
    return f"found a certificate of {len(verification.rows_with_weight(weights))} rows"
