"""The program that a CUDA device compiles: the native rules themselves, run here by a host compiler as one thread."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from problems import for_classes

from rosenblatt import rules
from rosenblatt.core import engine
from rosenblatt.core.spaces.kernel import arrays, cuda

HEADER = (Path(__file__).parents[1] / "native" / "rules.hpp").read_text(encoding="utf-8")
#: Those that have a step in the space of a kernel.
KINDS = [kind for kind in rules.ALL if "kernel" in kind.spaces]
RULES = [
    *(kind() for kind in KINDS), rules.Perceptron(eta0=0.3, margin=0.5), rules.PAUM((0.5, 0, 2)), rules.PA1(C=0.1),
    rules.PA2(C=0.2), rules.MIRA(C=0.05), rules.NormMIRA(beta=0.5),
]  # fmt: skip

#: What CUDA has of its own, for a block of one thread.
ONE_THREAD = """
#define __device__
#define __global__
#define __shared__
struct { int x; } threadIdx{0}, blockDim{1};
double memory[1];
static void __syncthreads() {}
static void atomicMin(int* at, int value) { if (value < *at) *at = value; }
"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_device_is_given_the_native_rules_and_no_others(kind):
    source = cuda.source(kind().native("max")[0])
    assert source.count(HEADER) == 1
    rest = source.replace(HEADER, "")
    for step in ("margin <=", "loss >", "loss /", "beta", "std::", "level", "theta"):
        assert step not in rest
    assert not re.search(
        r"std::|#include", re.sub(r"#else.*?#endif|#ifdef ROSENBLATT_HOST.*?#endif", "", HEADER, flags=re.S)
    )


def test_a_rule_that_is_not_in_the_header_is_refused():
    with pytest.raises(ValueError, match="unknown rule Foo"):
        cuda.source("Foo")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The walk of a rule by its native name, compiled for the host."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    folder, made = tmp_path_factory.mktemp("cuda"), {}

    def walk(name):
        if name not in made:
            program, library = folder / f"{name}.cpp", folder / f"{name}.so"
            program.write_text(ONE_THREAD + cuda.source(name, device=""), encoding="utf-8")
            options = ["-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
            ours = ["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-parameter"]  # of other rules
            subprocess.run([compiler, *options, *ours, program, "-o", library], check=True)
            made[name] = ctypes.CDLL(str(library))
        return made[name]

    return walk


def on_the_device(library, rule, form, ties, gram, scores, targets, weight):
    n, k = scores.shape
    scores, steps, scratch = scores.copy(), np.zeros((n, k)), np.zeros(3 * k)
    arrays = (gram, scores, targets, weight, steps, scratch, cuda.numbers_of(rule))
    flags = (n, k, form == "multiclass", ties, form == "binary", 0)
    call = getattr(library, f"walk_{gram.dtype.name}")
    call(*(ctypes.c_void_p(array.ctypes.data) for array in arrays), *map(int, flags))
    return scores, steps


def natively(rule, form, ties, gram, scores, targets, weight):
    n, k = scores.shape
    held = engine.zeros(1 + n, engine.stride_of(k), gram.dtype)
    held[1:, :k] = scores
    model = engine.Model(form=form, weights=held, n_vectors=k, fit_intercept=False, tie_is_mistake=ties)
    steps, tally = np.zeros((n, k)), engine.Tally(k)
    tally.room = np.inf
    assert engine.learn(
        rows=engine.GramRows(gram), model=model, rule=engine.Rule(*rule), targets=targets, weight=weight, steps=steps,
        tally=tally,
    )  # fmt: skip
    return held[1:, :k], steps


def blocks(rule, dtype):
    """Random blocks of rows for each form: what a walk is given, and the rule as it is handed over."""
    rng = np.random.default_rng(0)
    for k, share, ties in [
        (1, "max", True), (3, "ovr", False), (5, "uniform", True), (4, "max", False), (3, "proportional", True)
    ]:  # fmt: skip
        if share in rule.shares:
            form = "binary" if k == 1 else "ovr" if share == "ovr" else "multiclass"
            X = rng.integers(-3, 4, (70, 4)).astype(dtype)
            X[5] = 0  # ‖x‖ = 0
            gram = np.ascontiguousarray(X @ X.T / dtype(7))
            scores = np.round(rng.standard_normal((70, k)), 1).astype(dtype)
            targets = rng.integers(0, max(k, 2), 70).astype(np.int32)
            yield (
                for_classes(rule, max(k, 2)).native(share),
                form,
                ties,
                gram,
                scores,
                targets,
                rng.choice([0.5, 1.0, 2.0], 70),
            )


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_walk_on_the_device_is_that_of_the_native_core(rule, dtype, compiled):
    for native, *block in blocks(rule, dtype):
        there, here = on_the_device(compiled(native[0]), native, *block), natively(native, *block)
        assert here[1].any()
        for one, other in zip(there, here):
            np.testing.assert_array_equal(one, other)  # a zero may have either sign


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["CuPy", "Torch"])
def test_on_a_card_too(rule, dtype, name):
    try:
        library = getattr(arrays, name)()
    except Exception as missing:
        pytest.skip(f"no {name} on a card here: {missing}")
    if not cuda.available(library):
        pytest.skip(f"this {name} compiles no kernels")
    for native, form, ties, gram, scores, targets, weight in blocks(rule, dtype):
        there = cuda.walk(library, library.put(gram), library.put(scores), targets, weight, form, ties, native)
        here = natively(native, form, ties, gram, scores, targets, weight)
        for one, other in zip(there, here):
            np.testing.assert_array_equal(one, other)
