"""The conventions of other perceptrons: what they do where the textbooks differ, and which parameters here do the same.

One entry per algorithm. What it says of a library was read in the version it names; the pseudocode of the two texts is
written out in the tests. They hold the numbers equal where an entry says so, and show each difference that it names.

>>> import rosenblatt as rb
>>> theirs = rb.conventions.named("scikit-learn Perceptron")
>>> theirs.ties
'A score of 0 is a mistake for either class; `predict` gives it to the first.'
>>> print(theirs.here)
rb.Perceptron(ties="mistake", multiclass="ovr", shuffle=False, tol=None)
>>> model = theirs.build(max_iter=20)
>>> model.fit([[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]).verdict_
'separated'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

__all__ = ["ALL", "Convention", "named"]


@dataclass(frozen=True, kw_only=True)
class Convention:
    """How one algorithm elsewhere treats what the textbooks leave open, and what does the same here.

    Parameters
    ----------
    name : str
        What the table calls it.
    there : str
        What the entry speaks of: the call that sets it up there, or where it is printed.
    ties : str
        What a score of 0, or two equal scores, count as.
    bias : str
        Whether there is a bias and how it moves.
    order : str
        In which order the rows are visited, and when a run ends.
    averaging : str
        Which mean of the weights is the model, if one is.
    labels : str
        Which labels it takes, and what it does with more than two.
    estimator : str
        Name of the class here that gives the same numbers.
    parameters : mapping
        The parameters of that class that do.
    arguments : str
        What its arguments are called here.
    differs : str
        What no parameter here reproduces, and the way around it where there is one; empty where all is the same.
    source : str
        The text, or the library with its version and files.
    """

    name: str
    there: str
    ties: str
    bias: str
    order: str
    averaging: str
    labels: str
    estimator: str
    parameters: Mapping[str, Any] = field(hash=False)
    arguments: str
    differs: str
    source: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    @property
    def here(self) -> str:
        """The estimator that does the same, as code."""
        return f"rb.{self.estimator}({', '.join(f'{name}={_code(value)}' for name, value in self.parameters.items())})"

    def build(self, **more: Any) -> Any:
        """The estimator here that does the same.

        Parameters
        ----------
        **more
            Further parameters; they replace those of the table.

        Returns
        -------
        estimator
            Not fitted yet.
        """
        # The package's own name, looked up late: only then is scikit-learn loaded.
        return getattr(import_module(__package__), self.estimator)(**{**self.parameters, **more})


def _code(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


#: Rows as they stand, in a fixed number of passes.
_AS_GIVEN = {"shuffle": False, "tol": None}

_MISTAKE_FOR_EITHER = "A score of 0 is a mistake for either class; `predict` gives it to the first."
_NO_TIES_IN_PA = (
    "None in training: it moves wherever the margin is below 1. A score of 0 is predicted as the first class."
)
_NO_TIES_IN_REGRESSION = "None: it moves wherever the prediction is off by more than ε."
_SLOW_ON_SPARSE_ROWS = "Moves with the weights, at full speed on dense rows and at 1 % of it on sparse ones."
_OUTSIDE_THE_NORM = (
    "Moves by the step τ but is left out of `‖x‖²`: an uncapped step leaves the margin `1 + 1/‖x‖²`, at x = (1, 0.5) "
    "1.8 instead of our 1."
)
_OVERSHOOTS = "Moves by the step τ but is left out of `‖x‖²`: an uncapped step overshoots the target."
_OWN_SHUFFLES = (
    "As given, or shuffled before each pass by its own generator. `max_iter` passes, fewer where the loss stays level "
    "(`tol`)."
)
_STREAM = "A stream: one row per `learn_one`, in the order given."
_SKIPS_ZEROS = "With `average=True` that of the averaged perceptron, but PA-I does not count a row of zeros."
_ONE_AGAINST_THE_REST = "Any that sort: of two the second is +1; more are trained one against the rest."
_BOOLEANS = "`False` and `True`, or 0 and 1; the second is +1. Two only."
_SAME_ARGUMENTS = "`eta0`, `fit_intercept`, `max_iter` and `sample_weight` mean the same."
_VARIANT = '`eta0` is `C`; `learning_rate="pa2"` is `variant="PA-II"`'
_MODE = '`mode` 0, 1, 2 is `variant` "PA", "PA-I", "PA-II"; `C` means the same'
_GOES_ON = (
    "Our `fit` ends at a separator, theirs goes on: call `partial_fit` with `classes` once per pass to go on like it."
)
_SHUFFLES_DIFFER = "Its shuffles cannot be had here."
_ORIGIN_FORM = "Only the origin form is the same. For our `fit_intercept=True`, give it a column of ones and no bias."
_CLASS_WEIGHTS_DIFFER = "With more than two classes, a class weight counts there only in the problem of that class."
_WEIGHTS_DIFFER = "A sample weight multiplies the step there and C here."
_CIML = "Daumé, A Course in Machine Learning, version 0.99 (2017), chapter 4"
_FREUND_SCHAPIRE = (
    "Freund & Schapire (1999), Large margin classification using the perceptron algorithm, Machine Learning 37(3)"
)
_KERNELS = "None; the kernels `(1 + x·x′)^d` of the experiments hold one."

#: The other perceptrons, each an entry; docs/reference/other-perceptrons.md is made of them.
ALL = (
    Convention(
        name="scikit-learn Perceptron",
        there="`sklearn.linear_model.Perceptron(shuffle=False, tol=None)`",
        ties=_MISTAKE_FOR_EITHER,
        bias=_SLOW_ON_SPARSE_ROWS,
        order=_OWN_SHUFFLES,
        averaging="None.",
        labels=_ONE_AGAINST_THE_REST,
        estimator="Perceptron",
        parameters={"ties": "mistake", "multiclass": "ovr", **_AS_GIVEN},
        arguments=_SAME_ARGUMENTS,
        differs=(
            "The bias of sparse rows; `intercept_scaling=0.1` here gives the slow one. "
            f"{_CLASS_WEIGHTS_DIFFER} {_SHUFFLES_DIFFER}"
        ),
        source="scikit-learn 1.9.1: `linear_model/_sgd_fast.pyx.tp`, `_stochastic_gradient.py`, `_base.py`",
    ),
    Convention(
        name="scikit-learn averaged perceptron",
        there=(
            '`sklearn.linear_model.SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None, '
            "average=True, shuffle=False, tol=None)`"
        ),
        ties=_MISTAKE_FOR_EITHER,
        bias=_SLOW_ON_SPARSE_ROWS,
        order=_OWN_SHUFFLES,
        averaging="The mean of the weights after each visited row, over all passes; so is ours.",
        labels=_ONE_AGAINST_THE_REST,
        estimator="AveragedPerceptron",
        parameters={"ties": "mistake", "multiclass": "ovr", **_AS_GIVEN},
        arguments=_SAME_ARGUMENTS,
        differs=(
            f"{_GOES_ON} Its own `partial_fit` loses the bias from one call to the next while it averages. The bias of "
            f"sparse rows. {_CLASS_WEIGHTS_DIFFER} {_SHUFFLES_DIFFER}"
        ),
        source=(
            "scikit-learn 1.9.1: `linear_model/_sgd_fast.pyx.tp`, `_stochastic_gradient.py`, "
            "`utils/_weight_vector.pyx.tp`"
        ),
    ),
    Convention(
        name="scikit-learn PA",
        there=(
            '`sklearn.linear_model.SGDClassifier(loss="hinge", learning_rate="pa1", eta0=1.0, penalty=None, '
            "fit_intercept=False, shuffle=False, tol=None)`"
        ),
        ties=_NO_TIES_IN_PA,
        bias=f"{_OUTSIDE_THE_NORM} On sparse rows it moves by 1 % of τ.",
        order=_OWN_SHUFFLES,
        averaging=_SKIPS_ZEROS,
        labels=_ONE_AGAINST_THE_REST,
        estimator="PassiveAggressiveClassifier",
        parameters={"variant": "PA-I", "fit_intercept": False, "multiclass": "ovr", **_AS_GIVEN},
        arguments=f'{_VARIANT}; our `variant="PA"` is `"pa1"` with a huge `eta0`.',
        differs=f"{_ORIGIN_FORM} {_WEIGHTS_DIFFER} {_CLASS_WEIGHTS_DIFFER} {_GOES_ON} {_SHUFFLES_DIFFER}",
        source="scikit-learn 1.9.1: `linear_model/_sgd_fast.pyx.tp`",
    ),
    Convention(
        name="scikit-learn PA regression",
        there=(
            '`sklearn.linear_model.SGDRegressor(loss="epsilon_insensitive", learning_rate="pa1", eta0=1.0, '
            "penalty=None, fit_intercept=False, shuffle=False, tol=None)`"
        ),
        ties=_NO_TIES_IN_REGRESSION,
        bias=f"{_OVERSHOOTS} On sparse rows it moves by 1 % of τ.",
        order=_OWN_SHUFFLES,
        averaging=_SKIPS_ZEROS,
        labels="Numbers.",
        estimator="PassiveAggressiveRegressor",
        parameters={"variant": "PA-I", "fit_intercept": False, "shuffle": False},
        arguments=f"{_VARIANT}; `epsilon` means the same.",
        differs=(
            f"{_ORIGIN_FORM} {_WEIGHTS_DIFFER} Our `fit` ends after a pass without an update, which only an average "
            f"can tell. {_SHUFFLES_DIFFER}"
        ),
        source="scikit-learn 1.9.1: `linear_model/_sgd_fast.pyx.tp`",
    ),
    Convention(
        name="River Perceptron",
        there="`river.linear_model.Perceptron()`",
        ties="A score of 0 is a mistake for either class; `predict_one` gives it to `False`.",
        bias="Moves with the weights, at full speed; it is always there.",
        order=_STREAM,
        averaging="None.",
        labels=_BOOLEANS,
        estimator="Perceptron",
        parameters={"ties": "mistake"},
        arguments="`learn_one` and `predict_one` mean the same; its weight `w` is `sample_weight`.",
        differs="`learn_many` takes one mean step for its n rows, as `rb.BatchPerceptron(eta0=1/n).partial_fit` does.",
        source="River 0.26.1: `linear_model/perceptron.py`, `linear_model/base.py`, `optim/losses.py`",
    ),
    Convention(
        name="River PAClassifier",
        there="`river.linear_model.PAClassifier(C=1.0, mode=1, learn_intercept=False)`",
        ties=_NO_TIES_IN_PA,
        bias=_OUTSIDE_THE_NORM,
        order=_STREAM,
        averaging="None.",
        labels=_BOOLEANS,
        estimator="PassiveAggressiveClassifier",
        parameters={"variant": "PA-I", "fit_intercept": False},
        arguments=f"{_MODE}.",
        differs="Only the origin form is the same. For our `fit_intercept=True`, give it a feature 1 and no bias.",
        source="River 0.26.1: `linear_model/pa.py`, `optim/losses.py`",
    ),
    Convention(
        name="River PARegressor",
        there="`river.linear_model.PARegressor(C=1.0, mode=1, eps=0.1, learn_intercept=False)`",
        ties=_NO_TIES_IN_REGRESSION,
        bias=_OVERSHOOTS,
        order=_STREAM,
        averaging="None.",
        labels="Numbers, but the loss is measured against 2·y − 1.",
        estimator="PassiveAggressiveRegressor",
        parameters={"variant": "PA-I", "fit_intercept": False},
        arguments=f"{_MODE}; `eps` is `epsilon`.",
        differs=(
            "The size of a step is that for the target 2·y − 1, its direction that for y: a target of 3 is learned as "
            "5. The numbers are the same only where every target is 1."
        ),
        source="River 0.26.1: `linear_model/pa.py`, `optim/losses.py`",
    ),
    Convention(
        name="mlxtend Perceptron",
        there="`mlxtend.classifier.Perceptron(eta=0.1, epochs=50)`",
        ties="A score of 0 is class 1: a mistake for a row of class 0 alone.",
        bias="Moves with the weights, at full speed; it is always there and starts at 0.",
        order=(
            "Shuffled before each pass by `numpy.random.RandomState(random_seed)`; all `epochs` passes. The weights "
            "start at random, normal with deviation 0.01."
        ),
        averaging="None.",
        labels="The integers 0 and 1.",
        estimator="Perceptron",
        parameters={"eta0": 0.2, "ties": "predict", "max_iter": 50, **_AS_GIVEN},
        arguments="`eta0` is twice `eta`, since a mistake adds `eta·(y − ŷ)`, which is ±2·eta; `epochs` is `max_iter`.",
        differs=(
            "Its start and its orders. To repeat a run, draw them from its seed; give the start to `fit` as "
            "`coef_init`, and the rows of all passes, one pass after the other, as one X with `max_iter=1`. A score of "
            "0 is the first class here: where ties happen, fit 1 − y, and the weights come out negated."
        ),
        source="mlxtend 0.25.0: `classifier/perceptron.py`, `_base/_iterative_model.py`",
    ),
    Convention(
        name="NLTK AveragedPerceptron",
        there="`nltk.tag.perceptron.AveragedPerceptron()`",
        ties="Of equal scores the last label in sorted order is the guess; a mistake where the guess is wrong.",
        bias="None; its tagger gives every example a feature named `bias`.",
        order="The caller's. Its tagger shuffles the sentences after each pass, with Python's `random`.",
        averaging="The mean of the weights *before* each visited row, rounded to three decimals.",
        labels="Any that sort, one vector each: the right class gains the example, the guessed one loses it.",
        estimator="AveragedPerceptron",
        parameters={"fit_intercept": False, "ties": "predict", "multiclass": "max", **_AS_GIVEN},
        arguments="`predict` and then `update` are our `learn_one`; a feature `bias` of 1 is `fit_intercept=True`.",
        differs=(
            "Ties go to the first label here: number the labels in reverse to get the same run. Its mean is ours less "
            "w/N, with w the last weights and N the rows visited. An update adds ±1 whatever a feature's value, even "
            f"0: the same only for features that are 1 or absent. {_GOES_ON}"
        ),
        source="NLTK 3.10.4: `tag/perceptron.py`",
    ),
    Convention(
        name="CIML perceptron",
        there="Algorithms 5 and 6, PerceptronTrain and PerceptronTest",
        ties="`y·a ≤ 0` is a mistake, so 0 is one for either class. The test returns sign(a), which leaves 0 open.",
        bias="Moves with the weights, at full speed.",
        order="As given, MaxIter passes; the text advises a new permutation for each.",
        averaging="None.",
        labels="−1 and +1.",
        estimator="Perceptron",
        parameters={"ties": "mistake", **_AS_GIVEN},
        arguments="MaxIter is `max_iter`.",
        differs="",
        source=_CIML,
    ),
    Convention(
        name="CIML averaged perceptron",
        there="Algorithm 7, AveragedPerceptronTrain",
        ties="`y·a ≤ 0` is a mistake, so 0 is one for either class.",
        bias="Moves with the weights and is averaged with them.",
        order="As given, MaxIter passes; the text advises a new permutation for each.",
        averaging="`w − u/c` with c from 1: the mean of the zero start and the weights after each of N visited rows.",
        labels="−1 and +1.",
        estimator="AveragedPerceptron",
        parameters={"ties": "mistake", **_AS_GIVEN},
        arguments="MaxIter is `max_iter`.",
        differs=f"Its mean is ours times N/(N + 1) and predicts the same. {_GOES_ON}",
        source=_CIML,
    ),
    Convention(
        name="Freund & Schapire averaged",
        there="Section 5, the method avg, on the vectors of fig. 1",
        ties="A mistake where sign(v·x) is not y; sign(0) is left open, and we take it for a mistake.",
        bias=_KERNELS,
        order="As given, T passes.",
        averaging="`Σ c·v`: each vector times the number of rows it survived, the row that made it included.",
        labels="−1 and +1; the experiments train one against the rest.",
        estimator="AveragedPerceptron",
        parameters={"fit_intercept": False, "ties": "mistake", "multiclass": "ovr", **_AS_GIVEN},
        arguments="T is `max_iter`.",
        differs=f"Its sum is ours times the N rows visited and predicts the same. {_GOES_ON}",
        source=_FREUND_SCHAPIRE,
    ),
    Convention(
        name="Freund & Schapire voted",
        there="Fig. 1",
        ties="A mistake where sign(v·x) is not y; sign(0) is left open.",
        bias=_KERNELS,
        order="As given, T passes.",
        averaging="None: each vector votes sign(v·x), as often as it survived rows, the row that made it included.",
        labels="−1 and +1; the experiments train one against the rest.",
        estimator="VotedPerceptron",
        parameters={"fit_intercept": False, "ties": "mistake", "multiclass": "ovr", **_AS_GIVEN},
        arguments="T is `max_iter`; K is `kernel`.",
        differs=_GOES_ON,
        source=_FREUND_SCHAPIRE,
    ),
)


def named(name: str) -> Convention:
    """The entry of that name.

    Parameters
    ----------
    name : str
        As in the table, for example "NLTK AveragedPerceptron".

    Returns
    -------
    Convention
        The entry.
    """
    for convention in ALL:
        if convention.name == name:
            return convention
    raise ValueError(f"no convention is named {name!r}; there are {', '.join(repr(entry.name) for entry in ALL)}")
