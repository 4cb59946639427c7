"""What a learner is, rule × readout × space, and how its run goes: every door makes its learner here.

An estimator, a command, a run on a cluster, a trace and the playground all name an algorithm and its parameters.
``Spec.of`` checks them and refuses in one sentence what does not go together, ``Spec.learner`` makes the learner, and
``Spec.start`` gives it its first weights.

>>> Spec.of("PassiveAggressiveClassifier", {"variant": "PA-II", "average": True}).rule
PA2(C=1.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from . import engine, memory, rules
from .checks import check_constant, check_flag, check_jobs, check_name, check_number, check_share
from .learner import Learner
from .spaces.linear import LinearSpace

if TYPE_CHECKING:
    from .spaces.kernel.space import KernelSpace
    from .spaces.sequences.space import SequenceSpace

Array = NDArray[Any]
Parameters = Mapping[str, Any]
Space = Union[LinearSpace, "KernelSpace", "SequenceSpace"]

INITS = ("zeros", "random")
VARIANTS = ("PA", "PA-I", "PA-II")


# ---- the algorithms: their parameters, and what they are made of ---------------------------------------------------


def _perceptron(parameters: Parameters) -> rules.Rule:
    return rules.Perceptron(eta0=parameters["eta0"], margin=parameters["margin"])


def _passive_aggressive(parameters: Parameters) -> rules.Rule:
    check_name("variant", parameters["variant"], VARIANTS)
    if parameters["variant"] == "PA":
        return rules.PA()
    return (rules.PA1 if parameters["variant"] == "PA-I" else rules.PA2)(parameters["C"])


def _mira(parameters: Parameters) -> rules.Rule:
    check_name("variant", parameters["variant"], ("margin", "norm"))
    return rules.MIRA(parameters["C"]) if parameters["variant"] == "margin" else rules.NormMIRA(parameters["beta"])


def _second_order(kind: type[rules.Rule]) -> Callable[[Parameters], rules.Rule]:
    """The rule of this kind with its parameters, which have the same names."""
    own = tuple(kind().parameters)
    return lambda parameters: kind(**{name: parameters[name] for name in own})


def _any_rule(parameters: Parameters) -> rules.Rule:
    return rules.checked(parameters["rule"])


def _tagging_rule(parameters: Parameters) -> rules.Rule:
    return rules.PA1() if parameters["rule"] is None else rules.checked(parameters["rule"])


def _averaged(parameters: Parameters) -> str:
    return "averaged" if parameters["average"] else "last"


def _named_readout(parameters: Parameters) -> Any:
    return parameters["readout"]


class Algorithm(NamedTuple):
    """A published name: its parameters with their defaults, and what they make.

    Parameters
    ----------
    defaults : dict
        Its parameters.
    rule : callable
        The rule that the parameters name.
    readout : str, or a function of the parameters
        Which weights are the model.
    batch : bool
        Whether it takes one step per pass.
    space : {"linear", "kernel", "sequence"}
        Where it is.
    """

    defaults: dict[str, Any]
    rule: Callable[[Parameters], rules.Rule]
    readout: str | Callable[[Parameters], str] = "last"
    batch: bool = False
    space: str = "linear"

    @property
    def is_regression(self) -> bool:
        return "epsilon" in self.defaults


_LINEAR = {"intercept_scaling": 1.0}  # the constant feature: a kernel adds its own
_RUN = {
    "fit_intercept": True, "max_iter": 1000, "init": "zeros", "random_state": None, "early_stopping": False,
    "validation_fraction": 0.1, "n_iter_no_change": 5, "warm_start": False, "verbose": 0,
}  # fmt: skip
_BATCH = _RUN | {"tol": 1e-4, "ties": "mistake", "multiclass": "max", "class_weight": None, "n_jobs": None}
_CLASSIFIER = _BATCH | {"shuffle": True}
_MODEL = _CLASSIFIER | {"max_iter": 10, "tol": None}  # of what is for a model, not for a proof
_PERCEPTRON = {"eta0": 1.0, "margin": 0.0}
_PA = {"C": 1.0, "variant": "PA-I", "average": False}
_SECOND_ORDER = {"average": False, **_MODEL, **_LINEAR}
_KERNEL = {
    "kernel": "rbf", "gamma": "scale", "degree": 3, "coef0": 1.0, "rule": None, "readout": "last", "block_size": None,
    "cache_size": None, "budget": None, "budget_policy": "random", "projection_tol": 0.1, "device": "cpu",
    "precision": "float32", **_MODEL,
}  # fmt: skip

_SEQUENCE = {
    "rule": None, "readout": "averaged", "order": 1, "features": "words", "bits": 24, "constraints": None,
    "cost": "hamming", "ratchet": True, "max_iter": 10, "tol": None, "shuffle": True, "ties": "mistake",
    "random_state": None, "verbose": 0,
}  # fmt: skip

#: The algorithms by their names in Python; the estimators of these names have these parameters.
ALGORITHMS = {
    "Perceptron": Algorithm(_PERCEPTRON | _CLASSIFIER | _LINEAR, _perceptron),
    "AveragedPerceptron": Algorithm(_PERCEPTRON | _MODEL | _LINEAR, _perceptron, "averaged"),
    "PocketPerceptron": Algorithm(_PERCEPTRON | {"ratchet": True} | _CLASSIFIER | _LINEAR, _perceptron, "pocket"),
    "BatchPerceptron": Algorithm(_PERCEPTRON | _BATCH | _LINEAR, _perceptron, batch=True),
    "PassiveAggressiveClassifier": Algorithm(_PA | _MODEL | _LINEAR, _passive_aggressive, _averaged),
    "MIRA": Algorithm(_PA | {"variant": "margin", "C": None, "beta": 0.01} | _MODEL | _LINEAR, _mira, _averaged),
    "SecondOrderPerceptron": Algorithm(
        rules.SecondOrderPerceptron().parameters | _SECOND_ORDER, _second_order(rules.SecondOrderPerceptron), _averaged
    ),
    "ConfidenceWeighted": Algorithm(rules.CW().parameters | _SECOND_ORDER, _second_order(rules.CW), _averaged),
    "AROW": Algorithm(rules.AROW().parameters | _SECOND_ORDER, _second_order(rules.AROW), _averaged),
    "SCW": Algorithm(rules.SCW().parameters | _SECOND_ORDER, _second_order(rules.SCW), _averaged),
    "OnlineClassifier": Algorithm(
        {"rule": None, "readout": "last", "ratchet": True} | _MODEL | _LINEAR, _any_rule, _named_readout
    ),
    "KernelPerceptron": Algorithm(_KERNEL, _any_rule, _named_readout, space="kernel"),
    "VotedPerceptron": Algorithm(
        _KERNEL | {"kernel": "linear", "readout": "voted"}, _any_rule, _named_readout, space="kernel"
    ),
    "SequenceTagger": Algorithm(_SEQUENCE, _tagging_rule, _named_readout, space="sequence"),
    "PassiveAggressiveRegressor": Algorithm(
        _PA | {"epsilon": 0.1} | _RUN | {"shuffle": True, "max_iter": 20} | _LINEAR, _passive_aggressive, _averaged
    ),
}


# ---- a learner to be -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A learner to be, and its run.

    Parameters
    ----------
    algorithm : str
        Its name, one of ``ALGORITHMS``.
    parameters : mapping
        All parameters of the algorithm; those that were left out have their defaults.
    rule : Rule
        How far to move.
    readout : {"last", "averaged", "pocket", "voted"}
        Which weights are the model.
    space : LinearSpace or KernelSpace
        Where the weights live.
    batch : bool
        One step per pass.
    epsilon : float or None
        Of a regression; None: a classifier.
    """

    algorithm: str
    parameters: Parameters = field(repr=False)
    rule: rules.Rule
    readout: str
    space: Space
    batch: bool = False
    epsilon: float | None = None

    @classmethod
    def of(cls, algorithm: str, parameters: Parameters) -> Spec:
        """The learner of an algorithm with some of its parameters; the others have their defaults."""
        if algorithm not in ALGORITHMS:
            raise ValueError(f"there is no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}")
        named = ALGORITHMS[algorithm]
        unknown = [name for name in parameters if name not in named.defaults]
        if unknown:
            raise TypeError(f"{algorithm} has no parameter {unknown[0]!r}; it has {', '.join(sorted(named.defaults))}")
        full = named.defaults | dict(parameters)
        _check(full, named.defaults)
        space: Space = LinearSpace(bool(full.get("fit_intercept", False)), full.get("intercept_scaling", 1.0))
        if named.space == "sequence":
            from .spaces.sequences.space import sequence_space

            space = sequence_space(full)
        elif named.space == "kernel":
            from .spaces.kernel.space import kernel_space  # takes its time to import, and few need it

            space = kernel_space(full)
        readout = named.readout if isinstance(named.readout, str) else named.readout(full)
        epsilon = float(full["epsilon"]) if named.is_regression else None
        return cls(
            algorithm=algorithm, parameters=full, rule=named.rule(full), readout=readout, space=space,
            batch=named.batch, epsilon=epsilon,
        )  # fmt: skip

    # What the run goes by.

    @property
    def max_iter(self) -> int:
        return int(self.parameters["max_iter"])

    @property
    def tol(self) -> float | None:
        """The relative margin below which the search for a separator ends; None, as in a regression: it does not."""
        return self.parameters.get("tol")

    @property
    def shuffle(self) -> bool:
        return bool(self.parameters.get("shuffle", False))

    @property
    def class_weight(self) -> Any:
        return self.parameters.get("class_weight")

    @property
    def draws(self) -> bool:
        """Whether the learner itself draws random numbers, beside the order of the rows."""
        return self.parameters.get("init") == "random" or self.space.draws

    def learner(self) -> Learner:
        """A learner that has no weights yet."""
        parameters, options = self.parameters, {}
        if self.epsilon is not None:
            options["epsilon"] = self.epsilon
        else:
            options = {name: parameters[name] for name in ("ties", "multiclass") if name in parameters}
            options["ratchet"] = bool(parameters.get("ratchet", self.readout == "pocket"))
        if self.batch:
            options["batch"] = True
        return self.space.learner(self.rule, readout=self.readout, **options)

    def generator(self) -> np.random.Generator:
        """The one generator of a run. A RandomState gives it its seed, so that drawing twice gives two runs."""
        seed = self.parameters["random_state"]
        if isinstance(seed, np.random.RandomState):
            seed = seed.randint(np.iinfo(np.int32).max)
        try:
            return np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise ParameterError(
                f"random_state must be None, a whole number >= 0 or a generator; got {seed!r}", "random_state"
            ) from None

    def rows(self, X: Any, dtype: Any = None, names: Any = None, learner: Learner | None = None) -> Any:
        """Rows as a learner takes them; those of a run that is under way see them as it began."""
        return self.space.rows(engine.admit(X, dtype, names), learner)

    def start(
        self,
        learner: Learner,
        rows: Any,
        n_classes: int,
        rng: np.random.Generator | None,
        weight: Array | None = None,
        **weights: Any,
    ) -> str:
        """Make room for the rows of a run, and ``begin``; returns in words with which weights.

        In linear space something that has ``n_features`` and ``dtype`` will do for rows that are still to come.
        """
        learner.allocate(rows.n_features, n_classes, rows.dtype)
        self.space.settle(learner, rows, weight)
        return self.begin(learner, rng, **weights)

    def begin(
        self,
        learner: Learner,
        rng: np.random.Generator | None,
        coef: Any = None,
        intercept: Any = None,
        earlier: Learner | None = None,
    ) -> str:
        """Give a learner that has room its first weights; returns in words which."""
        self.space.share_generator(learner, rng)
        are_given = coef is not None or intercept is not None
        if self.space.name == "kernel" and are_given:
            raise ValueError("in kernel space a run begins with no examples: leave coef_init and intercept_init out")
        shape = (learner.n_vectors, learner.n_features)
        if earlier is not None and (earlier.n_vectors, earlier.n_features) != shape:
            raise ValueError(
                f"warm_start=True goes on from {earlier.n_vectors} × {earlier.n_features} weights, but this data needs "
                f"{shape[0]} × {shape[1]}; fit it with warm_start=False"
            )
        is_random = self.parameters.get("init") == "random" and earlier is None
        if not (are_given or is_random):
            if earlier is None:
                return "zero"
            learner.begin_at(earlier)
            return "the last weights of the fit before"
        memory.check(8 * shape[0] * shape[1], f"{shape[0]:,} × {shape[1]:,} starting weights", "start from zero")
        w, b = np.zeros(shape), np.zeros(shape[0])
        if earlier is not None:
            w, b = by_vector(earlier, "last")
        elif is_random:
            assert rng is not None
            w = rng.standard_normal(shape)
            b = rng.standard_normal(shape[0]) if learner.fit_intercept else b
        if coef is not None:
            w = _starting("coef_init", coef, shape)
        if intercept is not None:
            b = _starting("intercept_init", intercept, shape[:1])
        learner.begin(w, b)
        return "given weights" if are_given else "random weights"


def by_vector(learner: Learner, readout: str | None = None) -> tuple[Array, Array]:
    """(n_vectors, n_features) weights and (n_vectors,) biases, as copies."""
    (weights, lists), k, features = learner.stored_with_lists(readout), learner.n_vectors, learner.features()
    if lists is not None:
        coef, entries = learner.zeros_by_vector(), learner.entries(lists)
        coef[entries.classes, entries.rows if features is None else features[entries.rows]] = entries.weights
    elif features is None:
        coef = np.array(weights[1:, :k].T, order="C")
    else:
        coef = learner.zeros_by_vector()
        there = features < learner.n_features
        coef[:, features[there]] = learner.in_order(weights)[1:, :k][there].T
    return coef, weights[0, :k].copy()


def _starting(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Weights to start from, as numbers of this shape."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers, got {value!r}") from None
    if array.size != np.prod(shape) or (len(shape) == 2 and shape[0] > 1 and array.shape != shape):
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} contains NaN or infinity; give finite starting weights")
    return array.reshape(shape)


def _check(parameters: Parameters, defaults: Parameters) -> None:
    """Refuse parameters that are not of their kind."""
    check_number("max_iter", parameters["max_iter"], 1, whole=True)
    check_number("verbose", parameters["verbose"], 0)
    if "init" in parameters:
        check_name("init", parameters["init"], INITS)
    if "early_stopping" in parameters:
        check_number("n_iter_no_change", parameters["n_iter_no_change"], 1, whole=True)
        check_share("validation_fraction", parameters["validation_fraction"])
    if parameters.get("tol") is not None:
        check_number("tol", parameters["tol"], 0)
    if parameters.get("n_jobs") is not None:
        check_jobs(parameters["n_jobs"])
    if "intercept_scaling" in parameters:
        check_constant(parameters["intercept_scaling"])
    if "epsilon" in parameters:
        check_number("epsilon", parameters["epsilon"], 0)
    for name, default in defaults.items():
        if isinstance(default, bool):
            check_flag(name, parameters[name])
