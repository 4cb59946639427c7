"""Parameters and attributes that several estimators share, documented once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from ..core.spec import ALGORITHMS
from .contract import parameters

C = TypeVar("C", bound=type)

PARAMETERS = {
    "eta0": """eta0 : float, default=1.0
    The step η > 0. From zero weights, and without a margin, it only scales them.""",
    "margin": """margin : float, default=0.0
    Update while ``y·s`` (several classes: ``s_y − s_r``) is at most this, not on mistakes alone.""",
    "C": """C : float, default=1.0
    The largest step (PA-I), or how little it is damped (PA-II); > 0. "PA" does not use it.""",
    "fit_intercept": """fit_intercept : bool, default=True
    Learn a bias, the weight of a constant feature. It counts in every norm and margin.""",
    "intercept_scaling": """intercept_scaling : float, default=1.0
    The constant feature s, from 1e-9 to 1e9: a row is (x, s), and ``intercept_`` is s times the weight of s. The
    smaller, the slower the bias moves beside the weights. On rows of norm 1, such as tf-idf of text, 0.1 steadies the
    last weights of a perceptron. Without a bias it has no effect.""",
    "max_iter": """max_iter : int, default={max_iter}
    Passes over the data at most.""",
    "tol": """tol : float or None, default={tol}
    The relative margin (margin/R) below which the search for a proof ends: once no separator with a larger one can
    exist, the verdict is "no margin", from the tenth pass on. That does not say inseparable: columns of very different
    scales make any margin small beside R, so scale them, or set 0 to look for any separator. Two equal rows with
    different labels prove it too. None: no search; exactly ``max_iter`` passes unless one separates, and no
    warning.""",
    "shuffle": """shuffle : bool, default=True
    Visit the rows in a fresh random order each pass; False: as they stand.""",
    "ties": """ties : {"mistake", "predict"}, default="mistake"
    Whether a score of exactly 0 is a mistake for either class, or a mistake only where ``predict`` is wrong.""",
    "multiclass": """multiclass : {"max", "uniform", "proportional", "ovr"}, default="max"
    With more than two classes, who loses what the right class gains: the best wrong class ("max"), every class that
    scores as high as the right one, alike ("uniform") or by how much ("proportional"). "ovr" trains each class
    against the rest.""",
    "init": """init : {"zeros", "random"}, default="zeros"
    Starting weights: zero, or standard normal. ``fit`` also takes them as ``coef_init`` and ``intercept_init``.""",
    "class_weight": """class_weight : dict, "balanced" or None, default=None
    Weights of the classes, multiplied with those of the examples. "balanced" makes the classes weigh alike.
    A class of weight 0 is left out with its rows.""",
    "n_jobs": """n_jobs : int or None, default=None
    With ``multiclass="ovr"``, so many threads at most learn some of the classes each, where there is enough to learn:
    None or -1 for all cores, -2 for all but one (``OMP_NUM_THREADS`` limits them). The model is the same to the bit.
    Else it has no effect: all classes learn in one reading of each row, and products of kernels go over all cores.""",
    "random_state": """random_state : int, Generator, RandomState or None, default=None
    Seed of the shuffles, of a random start and of the held-out part.""",
    "early_stopping": """early_stopping : bool, default=False
    Hold out a part of the data, score the readout on it after each pass, and end after ``n_iter_no_change`` passes
    without a better score; the weights of the best pass are kept, or the last ones if they separate.""",
    "validation_fraction": """validation_fraction : float, default=0.1
    Size of the held-out part.""",
    "n_iter_no_change": """n_iter_no_change : int, default=5
    Passes without a better held-out score before early stopping.""",
    "warm_start": """warm_start : bool, default=False
    Start ``fit`` from the last weights of the fit before.""",
    "verbose": """verbose : int, default=0
    1: a line for each of the first three passes, then about one a second; 2: one line a pass.""",
}

#: Those of the estimators in kernel space, in place of the ones above.
KERNEL_PARAMETERS = {
    "gamma": """gamma : {"scale", "auto"} or float, default="scale"
    The γ > 0 of "poly", "rbf" and "sigmoid": ``1/(n_features·X.var())``, ``1/n_features``, or a number.""",
    "degree": """degree : float, default=3
    The d of "poly".""",
    "coef0": """coef0 : float, default=1.0
    The c of "poly" and "sigmoid".""",
    "rule": """rule : Rule or None, default=None
    How far to move (``rb.rules``); None: Rosenblatt's rule.""",
    "block_size": """block_size : int or None, default=None
    Examples that go through a matrix product together; it changes the time alone. None: what suits the device.""",
    "cache_size": """cache_size : float or None, default=None
    Megabytes to remember rows of the kernel matrix in, from one pass to the next. None: 1000, or half of the free
    memory of a CUDA device.""",
    "budget": """budget : int or None, default=None
    Keep so many examples at most, for ever: a stream of any length in bounded memory and time per example. The readout
    is then "last", and there is no upper margin bound.""",
    "budget_policy": """budget_policy : {"random", "forgetron", "projectron", "projectron++"}, default="random"
    Which example is evicted for a new one: one at random; the oldest, after all were shrunk (Rosenblatt's rule, two
    classes, K(x, x) ≤ 1); or none: the step is projected onto those kept, on mistakes, or on small margins too
    (Rosenblatt's rule, two classes or ``multiclass="max"``).""",
    "projection_tol": """projection_tol : float, default=0.1
    The largest norm that a projection may lose while the budget is not full; for the projectrons.""",
    "device": """device : {"cpu", "cuda"}, default="cpu"
    Where to compute. "cuda" needs CuPy or PyTorch; sparse rows are made dense there, a block at a time.""",
    "precision": """precision : {"float32", "tf32"}, default="float32"
    How float32 rows are multiplied on a CUDA device: in full, so that it decides as the processor does, or faster.""",
    "init": """init : {"zeros"}, default="zeros"
    In kernel space a run begins with no examples, at zero.""",
    "warm_start": """warm_start : bool, default=False
    For linear learners: only False here; ``partial_fit`` goes on with a run.""",
    "random_state": """random_state : int, Generator, RandomState or None, default=None
    Seed of the shuffles, of the held-out part and of evicting at random.""",
}

#: Parameters of both text transformers, besides those of their cores.
TEXT_PARAMETERS = {
    "input": """input : {"content", "filename", "lines"}, default="content"
    Whether X holds the documents, files of one document each, or files (or is one) of one document per line.""",
    "dtype": """dtype : type, default=np.float32
    Type of the values, float32 or float64. Learners take either as it is; float32 halves their memory.""",
    "n_jobs": """n_jobs : int or None, default=-1
    Threads; -1: all cores, None: one. The rows are the same for any number.""",
}

CLASSIFIER_ATTRIBUTES = """coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Weights of the readout.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Biases of the readout.
classes_ : ndarray
    The labels; with two, ``classes_[1]`` is y = +1.
verdict_ : {"separated", "no margin", "stopped"}
    Why the run ended: the last weights get every row right; no separator with a relative margin (margin/R) above
    ``tol`` can exist; or neither was decided.
converged_ : bool
    Whether the verdict is "separated".
margin_bounds_ : (float, float)
    Bounds on the best possible margin of the training set, proved by the run.
equal_rows_ : (int, int) or None
    Two equal rows of X with different labels, if they are what proves "no margin".
mistakes_ : ndarray of int
    Mistakes in each pass (one against the rest: summed over the classes).
n_updates_ : int
    Updates over all passes.
n_iter_ : int
    Passes made.
validation_scores_ : ndarray
    Score of the readout on the held-out part after each pass, with early stopping."""

#: Besides, of those whose rule keeps how sure it is.
CONFIDENT_ATTRIBUTES = """variance_ : ndarray of the shape of coef_
    The variance of each weight (the last ones, whatever the readout): the smaller, the surer.
intercept_variance_ : ndarray of the shape of intercept_
    The same of the biases.
covariance_ : ndarray of shape (n_vectors, 1 + n_features, 1 + n_features)
    With ``confidence="full"``, how the weights vary together, the bias first."""

TAGGER_ATTRIBUTES = """classes_ : ndarray
    The tags; those that came in mid-stream last.
transitions_ : ndarray of shape (1 + n_tags, n_tags + 1)
    Of order 1, the weight of a tag after another: rows from the start, then from each tag; columns to each tag, then to
    the end.
verdict_ : {"separated", "no margin", "stopped"}
    Why the run ended: the last weights get every sentence right; no weights with a relative margin above ``tol`` can;
    or neither was decided.
converged_ : bool
    Whether the verdict is "separated".
margin_bounds_ : (float, float)
    Bounds on the best possible margin over all wrong sequences of all sentences, proved by the run.
equal_rows_ : (int, int) or None
    Two equal sentences with different tags, if they are what proves "no margin".
mistakes_ : ndarray of int
    Sentences mistaken in each pass.
n_updates_ : int
    Updates over all passes.
n_iter_ : int
    Passes made."""

KERNEL_ATTRIBUTES = """support_ : ndarray of int
    The rows that were updated on, in the order they first were; with a budget, those kept, by slot (one that came
    again is there again).
support_vectors_ : ndarray or sparse matrix
    Those rows; none with a precomputed kernel.
n_support_ : ndarray of int, (n_classes,)
    How many there are of each class.
dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
    Their coefficients in the readout (of the votes there is none: the last ones).
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Weights of the readout, with ``kernel="linear"`` alone.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Biases of the readout, sums of its coefficients; 0 without ``fit_intercept``.
n_voters_ : int
    How many weight vectors the run went through, zero included: so many vote.
""" + CLASSIFIER_ATTRIBUTES[CLASSIFIER_ATTRIBUTES.index("classes_ : ") :]

REGRESSOR_ATTRIBUTES = """coef_ : ndarray of shape (n_features,)
    Weights of the readout.
intercept_ : ndarray of shape (1,)
    Bias of the readout.
n_updates_ : int
    Updates over all passes.
n_iter_ : int
    Passes made.
validation_scores_ : ndarray
    R² of the readout on the held-out part after each pass, with early stopping."""


def published(cls: C) -> C:
    """A class as the estimator of the algorithm of its name: it takes the parameters of that.

    ``{shared}`` in its docstring stands for those that it does not describe itself, and for its attributes.
    """
    defaults = ALGORITHMS[cls.__name__].defaults
    cls.__annotations__ = dict.fromkeys(defaults, Any)
    for name, default in defaults.items():
        setattr(cls, name, default)
    parameters(cls)
    cls._algorithm = cls.__name__  # type: ignore[attr-defined]
    own = inspect.getdoc(cls) or ""
    described, attributes = PARAMETERS, REGRESSOR_ATTRIBUTES
    if "kernel" in defaults:
        described, attributes = PARAMETERS | KERNEL_PARAMETERS, KERNEL_ATTRIBUTES
    elif "features" in defaults:
        attributes = TAGGER_ATTRIBUTES
    elif "ties" in defaults:
        attributes = CLASSIFIER_ATTRIBUTES
    if "confidence" in defaults:
        attributes = f"{attributes}\n{CONFIDENT_ATTRIBUTES}"
    entries = [described[name] for name in defaults if name in described and f"\n{name} : " not in own]
    shared = "\n".join([*entries, "", "Attributes", "----------", attributes])
    cls.__doc__ = own.replace("{shared}", shared)
    for name in ("max_iter", "tol"):
        cls.__doc__ = cls.__doc__.replace(f"{{{name}}}", str(defaults.get(name)))
    return cls


def with_entries(shared: dict[str, str]) -> Callable[[C], C]:
    """Fill ``{parameters}`` of a class docstring with those of its parameters that it does not document itself."""

    def decorated(cls: C) -> C:
        own = inspect.getdoc(cls) or ""
        entries = [
            shared[name].replace(f"{{{name}}}", str(parameter.default))
            for name, parameter in inspect.signature(cls).parameters.items()
            if f"\n{name} : " not in own and name in shared
        ]
        cls.__doc__ = own.replace("{parameters}", "\n".join(entries))
        return cls

    return decorated


def entries_of(*documented: type) -> dict[str, str]:
    """The entries of parameters in class docstrings, by name."""
    entries: dict[str, str] = {}
    for cls in documented:
        section = (inspect.getdoc(cls) or "").partition("\n----------\n")[2].partition("\n\n")[0]
        entries |= {entry.partition(" : ")[0]: entry for entry in re.split(r"\n(?=\S)", section)}
    return entries
