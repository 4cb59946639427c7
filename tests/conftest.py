"""Settings of the whole test run: hypothesis profiles, signals, the posix marker, and where the real data lie."""

import math
import os
import signal
from collections import defaultdict
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: there is a test process on each core already

import pytest
from hypothesis import HealthCheck, settings

ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("everyday", derandomize=True, max_examples=15, **ANY_SPEED)
settings.register_profile("thorough", derandomize=False, max_examples=300, print_blob=True, **ANY_SPEED)
settings.load_profile("everyday")  # `--hypothesis-profile` overrides it

#: Signals that tests send, and what they do in a shell: under nohup, or behind a script's &, some are ignored.
SIGNALS = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL, "SIGTERM": signal.SIG_DFL}
for name, handler in SIGNALS.items():
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), handler)


#: Checks of scikit-learn's that take longest: in kernel space, of which one of each kind runs every day,
LONG_CHECKS = (
    "KernelPerceptron()-check_estimator_sparse_array",
    "KernelPerceptron()-check_classifiers_train(readonly_memmap=True",
    "VotedPerceptron()-check_estimator_sparse_array",
    "VotedPerceptron()-check_estimator_sparse_matrix",
    # and in linear space, where those that differ from others by their rule alone are for the slow run.
    *(
        f"{name}()-{check}"
        for name in ("AveragedPerceptron", "ConfidenceWeighted", "MIRA", "PassiveAggressiveClassifier", "SCW",
                     "SecondOrderPerceptron")
        for check in ("check_class_weight_classifiers", "check_classifier_data_not_an_array", "check_classifiers_train",
                      "check_estimators_dtypes", "check_sample_weight_equivalence")
    ),
)  # fmt: skip


def mark_off_the_diagonal(items):
    """Mark ``slow``, of each test that is marked ``diagonal``, the combinations that no value needs to be met.

    They are looked at in a mixed order, the same every day, and one stays that has a value of some parameter that none
    before it had: of 14 estimators × 5 containers × 3 numbers, some 15 combinations of 210.
    """
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("diagonal"):
            tests[item.path, item.originalname].append(item)
    for combinations in tests.values():
        n, met = len(combinations), set()
        step = next(step for step in range(round(0.618 * n) or 1, n + 2) if math.gcd(step, n) == 1)
        for i in range(n):
            item = combinations[i * step % n]
            values = {(name, id(value)) for name, value in item.callspec.params.items()}
            if values <= met:
                item.add_marker(pytest.mark.slow)
            met |= values


@pytest.hookimpl(tryfirst=True)  # before ``-m`` selects by the marks
def pytest_collection_modifyitems(items):
    """Mark ``slow`` what is for the slow run; skip, elsewhere, the tests that are marked ``posix``."""
    mark_off_the_diagonal(items)
    for item in items:
        if "test_scikit_learns_checks" in item.name and any(name in item.name for name in LONG_CHECKS):
            item.add_marker(pytest.mark.slow)
    if os.name != "posix":
        reason = "needs named pipes, signals, links, permissions or a shell as POSIX has them"
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def data_folder():
    """The folder of the real data sets: $ROSENBLATT_DATA, else ../shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ROSENBLATT_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is not a folder; set ROSENBLATT_DATA to where the data sets lie")
    return folder
