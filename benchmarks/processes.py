"""Processes that are timed from outside, and start-up: what importing and a first fit cost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness import Missing, Row, Setting, Work, peer, race

QUESTION = "startup"
HERE = Path(__file__).resolve().parent
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
WABBIT = "import sys; from vowpalwabbit import pyvw; pyvw.Workspace(' '.join(sys.argv[1:])).finish()"


def ours(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rosenblatt", *map(str, arguments)]


def wabbit(*arguments: object) -> list[str]:
    return [sys.executable, "-c", WABBIT, *map(str, arguments)]


def python(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, arguments)]


def script(name: str, *arguments: object) -> list[str]:
    return [sys.executable, str(HERE / name), *map(str, arguments)]


def done(command: Sequence[str]) -> str:
    """What the command printed; it has to succeed."""
    ran = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"a command ended with {ran.returncode}: {ran.stderr.strip()[-300:]}")
    return ran.stdout


def available_cores() -> int:
    """How many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def pinned(cores: int) -> Iterator[bool]:
    """Processes started meanwhile run on the first so many cores; says whether this system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield False
        return
    before = os.sched_getaffinity(0)
    if cores > len(before):
        raise Missing(f"{cores} cores are asked for and {len(before)} are here")
    os.sched_setaffinity(0, set(sorted(before)[:cores]))
    try:
        yield True
    finally:
        os.sched_setaffinity(0, before)


def peak(command: Sequence[str]) -> int:
    """Bytes that the command's resident set had at most, measured by a small process that waited for it."""
    if sys.platform == "win32":
        raise Missing("peak memory of a process is not known here")
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * int(done(python(code, *command)))


def high_water() -> int:
    """Bytes that this process's resident set has had at most."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


FIT = """
import numpy as np
X = np.array([[1., 0.], [0., 1.]] * 50); y = np.array([0, 1] * 50)
{}().fit(X, y)
"""
OURS_FIT = "import rosenblatt as rb" + FIT.format("rb.Perceptron")
THEIR_FIT = "from sklearn.linear_model import Perceptron" + FIT.format("Perceptron")


def startup(setting: Setting) -> Iterator[Row]:
    nothing = done(python("print(1)"))
    assert nothing.strip() == "1"
    fitted = ("a first fit of 100 rows", OURS_FIT, "Perceptron().fit")
    imported = ("import", "import rosenblatt", "import rosenblatt")
    cases = [
        ("import-sklearn", *imported, "scikit-learn", "import sklearn.linear_model"),
        ("import-river", *imported, "river", "import river.linear_model"),
        ("import-vw", *imported, "vowpalwabbit", "import vowpalwabbit.pyvw"),
        ("first-fit", *fitted, "scikit-learn", THEIR_FIT),
    ]
    for name, what, mine, ours_name, package, code in cases:
        said = code if "fit" not in code else "Perceptron().fit"
        try:
            theirs = peer(package, said)
        except Missing as reason:
            yield {"question": QUESTION, "name": name, "missing": str(reason)}
            continue
        yield race(
            QUESTION, name, f"process start, {what}, process end", lambda _, c=mine: done(python(c)),
            lambda _, c=code: done(python(c)), None, setting.repeats, warm=True, ours_name=ours_name, peer_name=theirs,
        )  # fmt: skip


def version(setting: Setting) -> Iterator[Row]:
    raced = race(
        QUESTION, "version", "rosenblatt --version, process start to end", lambda _: done(ours("--version")), None,
        lambda one, _: one.strip(), max(setting.repeats, 5), warm=True, ours_name="rosenblatt --version",
        peer_name="0.25 s allowed", reach=1, at_most=True,
    )  # fmt: skip
    yield raced | {"ratios": [taken / 0.25 for taken in raced["ours"]], "peer": [0.25]}


WORKS = (
    Work("version", QUESTION, version, quick=True),
    Work("startup", QUESTION, startup),
)
