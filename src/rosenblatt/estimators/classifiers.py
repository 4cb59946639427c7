"""The classifiers: names for combinations of a rule and a readout."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .classification import LinearClassifier
from .locking import reads
from .shared import published


@published
class Perceptron(LinearClassifier):
    """Rosenblatt's perceptron: ``w ← w + η·y·x`` on each mistake, until there are none.

    With more than two classes there is one vector per class; on a mistake the right class gains ``η·x`` and the best
    wrong class loses it.

    Parameters
    ----------
    {shared}

    Notes
    -----
    On data with margin γ and radius R it makes at most (R/γ)² mistakes, whatever their order (Novikoff 1962). It
    updates on mistakes alone, so its last weights can be poor on data that cannot be separated: see
    AveragedPerceptron and PocketPerceptron.

    References
    ----------
    Rosenblatt (1958), "The perceptron"; Crammer & Singer (2003) for several classes.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    >>> model = rb.Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> model.verdict_, model.n_updates_, model.coef_
    ('separated', 13, array([[-5.,  3.]]))
    """

    _poor_score = True


@published
class AveragedPerceptron(Perceptron):
    """The perceptron read as the mean of its weights after each visited example, over all passes.

    The strong default for real data: the updates are the perceptron's, the model is steadier than any one of them.

    Parameters
    ----------
    {shared}

    Notes
    -----
    The mean is exact, accumulated in double precision. The verdict speaks of the last weights: the mean may err on a
    training row of data that the last weights separate.

    References
    ----------
    Freund & Schapire (1999), section 5; Collins (2002).
    """


@published
class PocketPerceptron(Perceptron):
    """The perceptron that keeps in its pocket the weights with the longest run of right answers.

    A run that ends "separated" leaves the weights that separate there.

    Parameters
    ----------
    ratchet : bool, default=True
        Replace the weights in the pocket only by such as make strictly fewer mistakes on the whole training set (a tie
        counts as ``ties`` says). A stream (``partial_fit``, ``learn_one``) has no whole to count on: there the run
        length alone decides.
    {shared}

    References
    ----------
    Gallant (1990), "Perceptron-based learning algorithms".
    """


@published
class BatchPerceptron(LinearClassifier):
    """Gradient descent on the perceptron criterion: ``w ← w + η·Σ y·x`` over all mistaken rows, once per pass.

    Each row is judged by the weights at the start of the pass, so the order of the rows does not matter (but for
    rounding), and a row that stands there k times counts as one of weight k.

    Parameters
    ----------
    {shared}

    Notes
    -----
    On separable data of n rows the updates are at most n·(R/γ)². ``partial_fit`` takes one step for the rows of the
    call.

    References
    ----------
    Duda & Hart (1973), section 5.5.
    """

    _contract_exceptions: ClassVar[dict[str, str]] = {}


@published
class PassiveAggressiveClassifier(LinearClassifier):
    """Passive-aggressive: the smallest step after which the example has margin 1, capped or damped by C.

    ``τ = ℓ/‖x‖²`` (PA), ``min(C, ℓ/‖x‖²)`` (PA-I) or ``ℓ/(‖x‖² + 1/(2C))`` (PA-II), with ``ℓ = max(0, 1 − y·s)``. The
    bias is a feature like any other and counts in ``‖x‖²``. With several classes the right one plays the best wrong
    one.

    Parameters
    ----------
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Which step.
    average : bool, default=False
        Read the mean of the weights instead of the last.
    multiclass : {"max", "ovr"}, default="max"
        With more than two classes: play the best wrong class, or train each class against the rest.
    {shared}

    Notes
    -----
    Updates happen on right answers too, so ``n_updates_`` exceeds the sum of ``mistakes_``. On separable data
    ``Σ ℓ² ≤ (R/γ)²`` for PA.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), fig. 1.
    """


@published
class MIRA(LinearClassifier):
    """MIRA: the smallest change of all class vectors that puts the right class first.

    Parameters
    ----------
    variant : {"margin", "norm"}, default="margin"
        "margin": the smallest change after which every wrong class is beaten by 1. "norm": as first published, the
        class vectors of smallest norm, each moved by at most one example.
    C : float or None, default=None
        Caps the summed step of "margin"; None: no cap. With two classes it is PA, or PA-I with this C.
    beta : float, default=0.01
        The margin below which "norm" counts an example as wrong, > 0.
    average : bool, default=False
        Read the mean of the weights instead of the last.
    multiclass : {"max"}, default="max"
        MIRA's step itself fixes who moves.
    {shared}

    References
    ----------
    Crammer & Singer (2003), "Ultraconservative online algorithms for multiclass problems".
    """

    _poor_score = True


class ConfidentClassifier(LinearClassifier):
    """A classifier whose rule may keep how sure it is of each weight."""

    @property
    @reads
    def variance_(self) -> NDArray[Any]:
        """The variance of each weight, of the shape of ``coef_``: the smaller, the surer; computed when read."""
        return np.ascontiguousarray(self._variances()[1:].T)

    @property
    @reads
    def intercept_variance_(self) -> NDArray[Any]:
        """The variance of each bias."""
        return np.array(self._variances()[0])

    @property
    @reads
    def covariance_(self) -> NDArray[Any]:
        """With ``confidence="full"``, (n_vectors, 1 + n_features, 1 + n_features): the covariance, the bias first."""
        learner = self._fitted
        if learner.covariance is None:
            raise AttributeError("covariance_ is there with confidence='full' alone; variance_ has the diagonal")
        there = slice(1 + learner.n_features)
        return np.array(learner.covariance[:, there, there])

    def _variances(self) -> NDArray[Any]:
        learner = self._fitted
        if learner.rule.keeps is None:
            raise AttributeError(f"{type(learner.rule).__name__} keeps no variance of its weights; AROW and its kin do")
        return learner.variances()


@published
class SecondOrderPerceptron(ConfidentClassifier):
    """The second-order perceptron: on a mistake ``b ← b + y·x`` and ``A ← A + x xᵀ``; the weights are ``w = A⁻¹b``.

    A begins as ``a·I``. Directions in which many mistakes lay count less, so that correlated or badly scaled features
    cost fewer mistakes than the perceptron's.

    Parameters
    ----------
    a : float, default=1.0
        > 0. The larger, the nearer to the perceptron.
    confidence : {"diagonal", "full"}, default="diagonal"
        Keep the diagonal of A, for any number of features, or all of it, for at most some thousands.
    average : bool, default=False
        Read the mean of the weights instead of the last.
    multiclass : {"max", "ovr"}, default="max"
        With more than two classes: play the best wrong class, or train each class against the rest.
    {shared}

    Notes
    -----
    With ``confidence="full"`` and two classes its mistakes are bounded for any u and γ > 0 (``rb.mistake_bound``). A
    step is no multiple of y·x: ``margin_bounds_`` has no upper bound, and the verdict is never "no margin".

    References
    ----------
    Cesa-Bianchi, Conconi & Gentile (2005), "A second-order perceptron algorithm".
    """


@published
class ConfidenceWeighted(ConfidentClassifier):
    """Confidence-weighted learning: the nearest Gaussian over weights that is right about the example, probably.

    Weights have a mean and a variance. A step is the smallest change (in relative entropy) after which the example is
    right with probability η: ``w ← w + α·y·Σx``, and Σ becomes smaller along x. It makes every example right, wrong
    labels too.

    Parameters
    ----------
    eta : float, default=0.9
        The probability, between 0.5 and 1.
    variant : {"stdev", "variance"}, default="stdev"
        The margin against its standard deviation, which is the probability itself, or against its variance, as first
        published.
    confidence : {"diagonal", "full"}, default="diagonal"
        Keep a variance for each weight, for any number of features, or their covariance, for at most some thousands.
    average : bool, default=False
        Read the mean of the weights instead of the last.
    multiclass : {"max", "ovr"}, default="max"
        With more than two classes: play the best wrong class, or train each class against the rest.
    {shared}

    Notes
    -----
    A step is no multiple of y·x: ``margin_bounds_`` has no upper bound, and the verdict is never "no margin".

    References
    ----------
    Dredze, Crammer & Pereira (2008); Crammer, Dredze & Pereira (2008).
    """

    _poor_score = True


@published
class AROW(ConfidentClassifier):
    """Adaptive regularisation of weights: ``w ← w + α·y·Σx``, ``α = (1 − m)/(v + r)`` while the margin m is below 1.

    ``v = xᵀΣx`` is the variance of the score, and Σ becomes smaller along x with each step: features that were seen
    often move little, rare ones much. One pass of it is often as good as an average over several of another rule.

    Parameters
    ----------
    r : float, default=1.0
        > 0. The larger, the smaller the steps, and the slower the confidence grows.
    variant : {"inverse", "covariance"}, default="inverse"
        With ``confidence="diagonal"``, what is dropped: the off-diagonal of Σ⁻¹, ``1/Σ_j ← 1/Σ_j + x_j²/r``, or that
        of Σ, ``Σ_j ← Σ_j − Σ_j²x_j²/(v + r)``.
    confidence : {"diagonal", "full"}, default="diagonal"
        Keep a variance for each weight, for any number of features, or their covariance, for at most some thousands.
    average : bool, default=False
        Read the mean of the weights instead of the last.
    multiclass : {"max", "ovr"}, default="max"
        With more than two classes: play the best wrong class, or train each class against the rest.
    {shared}

    Notes
    -----
    A step is no multiple of y·x: ``margin_bounds_`` has no upper bound, and the verdict is never "no margin".

    References
    ----------
    Crammer, Kulesza & Dredze (2009), "Adaptive regularization of weight vectors".

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]], ["pos", "neg", "neg"]
    >>> model = rb.AROW(fit_intercept=False, shuffle=False).fit(X, y)
    >>> model.verdict_
    'separated'
    >>> model.variance_.round(2)[0].tolist()
    [0.2, 0.2, 0.33, 0.33]
    """


@published
class SCW(ConfidentClassifier):
    """Soft confidence-weighted learning: confidence-weighted, but an example may stay wrong at the price C of its loss.

    Parameters
    ----------
    C : float, default=1.0
        > 0. The larger, the nearer to ConfidenceWeighted. On text much depends on it.
    eta : float, default=0.9
        The probability of a right answer that is asked for, between 0.5 and 1.
    variant : {"I", "II"}, default="I"
        The loss as it is, so that a step is at most C; or squared.
    confidence : {"diagonal", "full"}, default="diagonal"
        Keep a variance for each weight, for any number of features, or their covariance, for at most some thousands.
    average : bool, default=False
        Read the mean of the weights instead of the last.
    multiclass : {"max", "ovr"}, default="max"
        With more than two classes: play the best wrong class, or train each class against the rest.
    {shared}

    Notes
    -----
    A step is no multiple of y·x: ``margin_bounds_`` has no upper bound, and the verdict is never "no margin".

    References
    ----------
    Wang, Zhao & Hoi (2012), "Exact soft confidence-weighted learning".
    """


@published
class OnlineClassifier(ConfidentClassifier):
    """The general form: any rule with any readout. The other classifiers are its names.

    Parameters
    ----------
    rule : Rule or None, default=None
        How far to move, from ``rosenblatt.rules``; None: ``rules.Perceptron()``.
    readout : {"last", "averaged", "pocket"}, default="last"
        Which weights are the model.
    ratchet : bool, default=True
        For the pocket: replace its weights only by such as make strictly fewer mistakes on the training set.
    multiclass : {"max", "uniform", "proportional", "ovr"}, default="max"
        Who loses what the right class gains. "uniform" and "proportional" go with the perceptron rule, "ovr" with all
        but MIRA.
    {shared}

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]], ["pos", "neg", "neg"]
    >>> rb.OnlineClassifier(rule=rb.rules.PA1(C=0.5), readout="averaged", shuffle=False).fit(X, y).verdict_
    'separated'
    """

    _poor_score = True
