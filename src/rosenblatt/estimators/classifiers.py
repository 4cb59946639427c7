"""The classifiers: names for combinations of a rule and a readout."""

from __future__ import annotations

from typing import ClassVar

from .classification import LinearClassifier
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


@published
class OnlineClassifier(LinearClassifier):
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
