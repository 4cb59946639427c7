"""How many mistakes there can be: Novikoff's bound, that from any start, Freund and Schapire's, the second-order."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import rules
from ..core.checks import check_flag
from ..tables import Table
from . import inputs

Array = NDArray[Any]


@dataclass(frozen=True)
class MistakeBound:
    """A bound on the mistakes of a learner, with what it is made of. It prints as a table.

    Attributes
    ----------
    bound : float
        So many mistakes at most: the theorem that applies. Compare it as a number: ``float(result)``.
    theorem : str
        Which one that is.
    R : float
        The radius: the length of the longest vector x, or (x, 1) with a bias.
    gamma : float
        The margin γ of the weights given, or the one asked for where they do not separate.
    margin : float
        The smallest margin of the weights given; they separate the rows if it is positive.
    D : float
        How far the points fall short of γ altogether, ``√Σ max(0, γ − u·z)²`` (second order: the sum over all passes);
        0 where all reach it.
    alpha, beta : float
        The multiple of ŵ that each update comes nearer to, and by how much at least: ``‖w − αŵ‖²`` falls by β².
    from_start : bool
        Whether the bound is that from starting weights other than zero.
    fit_intercept : bool
        Whether the vectors are (x, 1).
    in_kernel : bool
        Whether they are those of a kernel's space, φ(x), which has the bias in its constant 1.
    learner : str or None
        The fitted estimator that was compared.
    mistakes : int or None
        Its mistakes, all passes together (in its first pass, where the bound speaks of one pass); its updates, where
        the bound is on those.
    of_updates : bool
        Whether the bound is on updates, of which mistakes are some.
    """

    bound: float
    theorem: str
    R: float
    gamma: float
    margin: float
    D: float
    alpha: float
    beta: float
    fit_intercept: bool
    from_start: bool = False
    learner: str | None = None
    mistakes: int | None = None
    in_kernel: bool = False
    of_updates: bool = False
    constant: float = 1.0  # the feature whose weight, times it, is the bias
    is_hinge: bool = False  # D is a plain sum, Σ max(0, γ − u·z), over all passes

    def __float__(self) -> float:
        return self.bound

    @property
    def separates(self) -> bool:
        """Whether the weights given get every row right, with a margin."""
        return self.margin > 0

    @property
    def ratio(self) -> float | None:
        """Mistakes made over mistakes allowed; at most 1."""
        if self.mistakes is None:
            return None
        return self.mistakes / self.bound if self.bound else math.inf if self.mistakes else 0.0

    def table(self) -> Table:
        """The symbols, their values and what they are."""
        apart = self.fit_intercept and not self.in_kernel
        vector = "φ(x)" if self.in_kernel else f"(x, {self.constant:g})" if apart else "x"
        weights = ("(w, b)" if self.constant == 1 else f"(w, b/{self.constant:g})") if apart else "w"
        rows = [("R", self.R, f"the length of the longest vector {vector}")]
        if self.D > 0:
            rows.append(("γ", self.gamma, f"the margin asked of {weights}, which not every row reaches"))
            how = "Σ d over all passes" if self.is_hinge else "√Σ d²"
            rows.append(("D", self.D, f"{how}, where d is what a row falls short of γ"))
        elif self.gamma == self.margin:
            rows.append(("γ", self.gamma, f"the smallest margin of {weights}, which separates the rows"))
        else:
            rows.append(("γ", self.gamma, f"the margin asked of {weights}, which every row reaches"))
        if self.from_start:
            rows.append(("α", self.alpha, "the multiple of the unit weights ŵ that updates approach"))
            rows.append(("β²", self.beta**2, "what each update takes off ‖w − αŵ‖²"))
        rows.append(("bound", self.bound, f"mistakes at most: {self.theorem}"))
        if self.mistakes is not None and self.ratio is not None:
            rows.append(("mistakes", float(self.mistakes), f"made by the {self.learner}"))
            rows.append(("ratio", self.ratio, "mistakes made over mistakes allowed"))
        return Table(("symbol", "value", "what it is"), [(a, f"{v:.6g}", c) for a, v, c in rows], align="lrl")

    def __str__(self) -> str:
        return self.table().text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.table().html()


def mistake_bound(
    X: Any,
    y: Any,
    w: Any,
    b: Any = 0.0,
    w0: Any = None,
    b0: Any = 0.0,
    *,
    gamma: float | str | None = None,
    fit_intercept: bool | None = None,
    estimator: Any = None,
) -> MistakeBound:
    """How many mistakes a perceptron can make on these rows, given weights that separate them, or nearly.

    Weights that separate with margin γ give Novikoff's ``(R/γ)²``, whatever the order and the number of passes; from
    starting weights w₀ it is ``‖w₀ − αŵ‖²/β²`` with ``β = R`` and ``α = β²/γ``. Weights that do not separate give
    Freund and Schapire's ``((R + D)/γ)²`` for one pass.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Their labels: −1 and +1, or any classes; of two, the second in sorted order is +1.
    w : array of shape (n_features,) or (n_classes, n_features)
        The weights to compare with, of any length. An answer of ``rb.separability`` gives those of the largest margin
        that counts here, ``w_augmented`` and ``b_augmented`` for a learner with a bias; a fitted estimator, its own.
        In the space of a kernel, that of ``estimator`` or of a model given as w: a coefficient for each row.
    b : float or array of shape (n_classes,), default=0.0
        Their bias.
    w0, b0 : array and float, default=None and 0.0
        The weights that the learner starts from; None: zero.
    gamma : float, "best" or None, default=None
        The margin γ > 0 of Freund and Schapire's bound; "best" takes the one that makes the bound smallest. None: the
        margin of the weights where they separate, else ``1/‖w‖``, where the score is 1.
    fit_intercept : bool or None, default=None
        Whether the learner has a bias, so that the vectors are (x, 1). None: as the estimator has or the answer was
        asked, else if b is not 0.
    estimator : fitted estimator, default=None
        Compare its mistakes on these rows with the bound that holds for its rule: the margin perceptron's is
        ``(R² + 2m)/γ²`` updates, PA's ``(R/γ)²``, PA-I's ``max(R², 1/C)/γ²``, PA-II's ``(R² + 1/(2C))/γ²``, the batch
        perceptron's ``n·(R/γ)²``. That of the second-order perceptron, with a full confidence and two classes, goes by
        the rows that it erred on, and holds for weights that do not separate too. Rows of weight 1 are meant.

    Returns
    -------
    MistakeBound
        The bound and its parts; it prints as a table.

    References
    ----------
    Novikoff (1962); Freund & Schapire (1999), theorem 2; Crammer et al. (2006), theorems 2, 4 and 5; several classes:
    Crammer & Singer (2003). Second order: Cesa-Bianchi, Conconi & Gentile (2005), theorem 3.1.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    >>> model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> rb.mistake_bound(X, y, w=[-2, 1], estimator=model)  # or w=rb.separability(X, y, fit_intercept=False)
    symbol       value  what it is
    ──────────────────────────────────────────────────────────────────────
    R          3.60555  the length of the longest vector x
    γ         0.447214  the smallest margin of w, which separates the rows
    bound           65  mistakes at most: (R/γ)², Novikoff 1962
    mistakes        13  made by the Perceptron
    ratio          0.2  mistakes made over mistakes allowed
    """
    X = inputs.table(X)
    known = inputs.encode_labels(y, X.shape[0])
    n_classes = len(known.classes)
    learner = None if estimator is None else _learner_of(estimator, X.shape[1], known)
    model = w if estimator is None else estimator
    if hasattr(type(model), "dual_coef_"):
        if w0 is not None or fit_intercept is not None or np.any(np.asarray(b) != 0) or np.any(np.asarray(b0) != 0):
            raise ValueError("in the space of a kernel a run begins at zero and K has the bias: give X, y and w alone")
        return _in_kernel_space(X, known, w, gamma, model._fitted.kernel, estimator, learner)
    if fit_intercept is None and learner is not None:
        fit_intercept = learner.fit_intercept
    if getattr(w, "w_augmented", None) is not None and fit_intercept is not False:
        w, b, fit_intercept = w.w_augmented, w.b_augmented, True
    weights = inputs.as_weights(w, b, X.shape[1], n_classes)
    if fit_intercept is None:
        fit_intercept = bool(np.any(weights.b != 0))
    check_flag("fit_intercept", fit_intercept)
    if not fit_intercept and np.any(weights.b != 0):
        raise ValueError("a bias b is given for a learner without one (fit_intercept=False); leave it out")
    if not fit_intercept and np.any(np.asarray(b0) != 0):
        raise ValueError("a starting bias b0 is given for a learner without a bias; leave it out")
    constant = float(fit_intercept) * (1.0 if learner is None else learner.intercept_scaling)
    length = weights.norm(constant)
    if not length > 0:
        raise ValueError("w is zero, which has no margin; give weights that are not all 0")
    margins = inputs.functional_margins(X, known, weights) / length
    R, several = math.hypot(inputs.radius(X), constant), 1 if n_classes == 2 else 2
    if learner is not None and learner.rule.bounds_own_run and several == 1:
        if w0 is not None or learner.start is not None:
            raise ValueError("the second-order perceptron's bound is for a start at zero; leave w0 and b0 out")
        return _by_the_run(margins, weights, length, R, gamma, learner, type(estimator).__name__)
    result = _from_zero(margins, length, R, several, gamma, learner, fit_intercept)
    result = replace(result, constant=constant or 1.0)
    if result.D > 0:
        if w0 is not None:
            raise ValueError("from a start w0 the bound needs weights that separate the rows; these do not reach γ")
        return result if learner is None else _compared(result, estimator, learner)
    start = None if w0 is None else inputs.as_weights(w0, b0, X.shape[1], n_classes, name="w0")
    if learner is not None and start is None and learner.start is not None:
        begun = learner.expanded(learner.start)[:, : learner.n_vectors].astype(np.float64)
        start = inputs.Weights(begun[1:].T, begun[0])
    if start is not None:
        eta = learner.rule.step_factor if learner is not None else 1.0
        towards = result.alpha / length
        gap = inputs.Weights(start.w / eta - towards * weights.w, start.b / eta - towards * weights.b)
        bound, theorem = (gap.norm(constant) / result.beta) ** 2, "‖w₀ − αŵ‖²/β², from the starting weights w₀"
        result = replace(result, bound=bound, theorem=theorem, from_start=True)
    return result if learner is None else _compared(result, estimator, learner)


def _from_zero(
    margins: Array, length: float, R: float, several: int, gamma: float | str | None, learner: Any, fit_intercept: bool
) -> MistakeBound:
    """The bound of a run from zero, by the margins of weights of length 1, which had some length."""
    least = float(margins.min())
    asked, D = _margin_asked(gamma, margins, least, math.sqrt(several) * R, length)
    if D > 0:
        theorem = f"(({'√2·' if several == 2 else ''}R + D)/γ)² in one pass, Freund & Schapire 1999"
        bound = ((math.sqrt(several) * R + D) / asked) ** 2 if math.isfinite(asked) else float(len(margins))
        if math.isinf(asked):
            theorem = f"{theorem}: no γ gives less than the number of rows"
        return MistakeBound(bound, theorem, R, asked, least, D, math.nan, math.nan, fit_intercept)
    known = _theorem(learner, R**2, several, asked, len(margins))
    alpha, beta = known.alpha, math.sqrt(known.beta2)
    return MistakeBound(
        alpha**2 / known.beta2, known.words, R, asked, least, 0.0, alpha, beta, fit_intercept,
        of_updates=known.of_updates,
    )  # fmt: skip


def _by_the_run(
    margins: Array, weights: inputs.Weights, length: float, R: float, gamma: float | str | None, learner: Any, name: str
) -> MistakeBound:
    """The second-order perceptron's: ``D/γ + √((a‖u‖² + Σ (u·x)²)·Σ ln(1 + λ/a))/γ``, the sums over its mistakes.

    Of these it has ``A = a·I + Σ x xᵀ``: the first sum is u·A·u, the second ln det(A/a). D, what the examples fall
    short of γ, is summed over all rows of all passes, of which mistakes are some. Cesa-Bianchi et al. (2005).
    """
    a, constant = float(learner.rule.prior), learner.intercept_scaling if learner.fit_intercept else 0.0
    first = 0 if learner.fit_intercept else 1
    sigma = learner.covariance[0][first : 1 + learner.n_features, first : 1 + learner.n_features]
    u = np.concatenate((weights.b, weights.w[0])) if first == 0 else weights.w[0]
    scale = np.ones(len(u))
    if first == 0:
        scale[0] = constant  # the bias and its variance are those of a weight times this
    u, A = u / scale / length, np.linalg.inv(sigma / np.outer(scale, scale))
    spread = math.sqrt(max(0.0, float(u @ A @ u)) * max(0.0, float(np.linalg.slogdet(A / a)[1])))
    passes, least = max(1, learner.n_iter), float(margins.min())

    def bound(margin: float) -> float:
        return float((passes * np.maximum(0.0, margin - margins).sum() + spread) / margin)

    if gamma == "best":  # in 1/γ it is convex, and bent where a row reaches γ
        asked = min((float(m) for m in margins[margins > 0]), key=bound, default=1 / length)
    else:
        asked = _margin_asked(gamma, margins, least, R, length)[0]
    short = passes * float(np.maximum(0.0, asked - margins).sum())
    theorem = "D/γ + √((a‖u‖² + Σ(u·x)²)·Σ ln(1 + λ/a))/γ, Cesa-Bianchi, Conconi & Gentile 2005"
    return MistakeBound(
        bound(asked) * (1 + 1e-9), theorem, R, asked, least, short, math.nan, math.nan, learner.fit_intercept,
        learner=name, mistakes=int(sum(learner.mistakes)), constant=constant or 1.0, is_hinge=True,
    )  # fmt: skip


def _in_kernel_space(
    X: Any, known: inputs.Labels, w: Any, gamma: float | str | None, kernel: Any, estimator: Any, learner: Any
) -> MistakeBound:
    """The bound by weights ``Σ w·φ(x)``: their length is ``√(wᵀKw)``, their scores ``K·w``, and R² is max K(x, x)."""
    n, k = X.shape[0], len(known.classes)
    name = "w (in the space of a kernel)"
    weights = inputs.as_weights(inputs.coefficients(w, n, name) if hasattr(w, "fit") else w, 0.0, n, k, name).w
    K = inputs.kernel_values(kernel, inputs.as_floats(X))(slice(None), slice(None))
    scores = K @ weights.T
    norm2 = float(np.sum(weights * scores.T))
    if not norm2 > 0:
        raise ValueError("w is zero in the space of the kernel, or the kernel is no inner product: it has no margin")
    length, R = math.sqrt(norm2), math.sqrt(max(0.0, float(np.diagonal(K).max())))
    margins, several = inputs.margins_of(scores, known) / length, 1 if k == 2 else 2
    result = _from_zero(margins, length, R, several, gamma, learner, kernel.bias)
    result = replace(result, in_kernel=True)
    return result if learner is None else _compared(result, estimator, learner)


def _theorem(learner: Any, R2: float, several: int, gamma: float, n_rows: int) -> rules.MistakeTheorem:
    """The theorem for a learner (None: the perceptron); with several classes a step moves two vectors: 2R²."""
    rule = rules.Perceptron() if learner is None else learner.rule
    batch_rows = n_rows if learner is not None and learner.batch else None
    theorem = rule.mistake_theorem(several * R2, gamma, "2" if several == 2 else "", batch_rows)
    if theorem is None:
        how = " in batches" if batch_rows is not None else ""
        raise ValueError(f"no bound here speaks of this learner: none is known of {type(rule).__name__}{how}")
    return theorem


def _margin_asked(
    gamma: float | str | None, margins: Array, least: float, R: float, length: float
) -> tuple[float, float]:
    """γ and the D that goes with it."""
    if isinstance(gamma, str) and gamma != "best":
        raise ValueError(f"gamma must be a number > 0, 'best' or None; got {gamma!r}")
    if gamma == "best":
        gamma = _best_gamma(margins, R)
    elif gamma is None:
        gamma = least if least > 0 else 1 / length
    elif not (isinstance(gamma, (int, float, np.number)) and 0 < float(gamma) < math.inf):
        raise ValueError(f"gamma must be a finite number > 0, 'best' or None; got {gamma!r}")
    gamma = float(gamma)
    if gamma <= least:
        return gamma, 0.0
    return gamma, float(np.linalg.norm(np.maximum(0.0, gamma - margins))) if math.isfinite(gamma) else math.inf


def _best_gamma(margins: Array, R: float) -> float:
    """The γ of the smallest ``(R + D)/γ``: with t = 1/γ that is ``R·t + ‖max(0, 1 − t·margins)‖``, convex in t."""
    positive = margins[margins > 0]
    if not len(positive):
        return math.inf

    def slope(t: float) -> float:
        short = np.maximum(0.0, 1 - t * margins)
        total = float(np.linalg.norm(short))
        return R - float(margins @ short) / total if total > 0 else R

    low, high = 0.0, 1 / float(positive.min())
    if slope(0.0) >= 0:  # the larger γ, the better: the bound goes down to the number of rows
        return math.inf
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return 1 / high


def _learner_of(estimator: Any, n_features: int, known: inputs.Labels) -> Any:
    """What a fitted estimator learned with; refuses those that the theorems do not speak of."""
    name = type(estimator).__name__
    if isinstance(estimator, type) or not hasattr(type(estimator), "_fitted"):
        raise TypeError(f"estimator must be a fitted estimator of this package, got {name}")
    learner = estimator._fitted  # one that is not fitted says so
    n_classes = len(known.classes)
    if getattr(estimator, "budget", None) is not None:
        raise ValueError(f"no bound here speaks of this {name}: it forgets examples to keep its budget")
    other = {"regression": "a regression", "ovr": "several learners, one against the rest"}.get(learner.form)
    if other is not None:
        raise ValueError(f"no bound here speaks of this {name}: it is {other}")
    if (learner.n_features, learner.n_classes) != (n_features, n_classes):
        raise ValueError(
            f"the {name} was fitted on {learner.n_features} columns and {learner.n_classes} classes, but X and y have "
            f"{n_features} and {n_classes}; give the rows it was fitted on"
        )
    if estimator.classes_.tolist() != known.classes.tolist():
        raise ValueError(
            f"the {name} was fitted on the labels {estimator.classes_.tolist()}, but y holds {known.classes.tolist()}"
        )
    if learner.weighted:
        raise ValueError(f"the {name} was fitted with sample or class weights, of which no bound here speaks")
    return learner


def _compared(result: MistakeBound, estimator: Any, learner: Any) -> MistakeBound:
    """The bound beside the mistakes that a learner made: its updates, where the bound is on those."""
    if result.D > 0:
        if learner.batch or not learner.rule.bounds_one_pass:
            raise ValueError(
                "Freund and Schapire's bound, for weights that do not separate, is the perceptron's; "
                f"{type(estimator).__name__} as fitted is another learner"
            )
        if learner.start is not None:
            raise ValueError("Freund and Schapire's bound is for a start at zero, but this learner began elsewhere")
        mistakes = learner.mistakes[0]
        name = f"{type(estimator).__name__} in its first pass"
    else:
        mistakes = learner.n_updates if result.of_updates else sum(learner.mistakes)
        name = f"{type(estimator).__name__}" + (" (updates)" if result.of_updates else "")
    return replace(result, learner=name, mistakes=int(mistakes))
