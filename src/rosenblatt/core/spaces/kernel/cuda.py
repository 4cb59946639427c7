"""The walk through a block on a CUDA device: one small kernel over the rules of the native core.

The device compiles ``native/rules.hpp`` itself, at run time, once for each rule that is used.

One block of threads looks at as many rows at once as it has threads, for the first that moves the weights; its update
adds ``a·K(i, j)`` to the scores of the rows after it, which are then looked at again. That is the walk of one row after
another: a row that moves nothing changes no other. Everything a rule computes is in double precision, as in the native
core, and nothing is contracted, so that the two agree to the bit.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import CuPy, NumPy

Array = NDArray[Any]

SHARES = {"uniform": 1.0, "proportional": 2.0}  # as numbers of the enum in rules.hpp; all else is 0
SHARED_MEMORY = 200_000  # bytes of it that a block of threads may take on any recent card
THREADS = 512

#: The walk itself. Before it stand ROSENBLATT_DEVICE, the chosen rule's name, and the text of ``native/rules.hpp``.
WALK = r"""
using namespace rosenblatt;

// What a rule sees of a row (rules.hpp lists the terms); ‖x‖² is K(x, x).
template <class T>
struct Example {
    double margin, loss, weight;
    bool wrong;
    const T* diagonal;
    int times;  // of ‖x‖² in the direction of a step
    const double* scores;
    Index n_classes, y, rival;
    double* scratch;

    ROSENBLATT_DEVICE double A() const { return static_cast<double>(*diagonal); }
    ROSENBLATT_DEVICE double norm2() const { return times * A(); }
};

// Of one row: its margin, whether it is wrong, and for several classes the best of the others.
struct Judged { double margin; bool wrong; int rival; };

template <class T>
ROSENBLATT_DEVICE Judged judge(const T* s, int k, int y, int c, int several, int tie_is_mistake, int binary) {
    if (several) {
        int rival = y == 0 ? 1 : 0;
        for (int r = rival + 1; r < k; ++r) if (r != y && s[r] > s[rival]) rival = r;
        const double margin = static_cast<double>(s[y]) - static_cast<double>(s[rival]);
        return {margin, margin < 0 || (margin == 0 && (tie_is_mistake || rival < y)), rival};
    }
    const bool own = y == (binary ? 1 : c);
    const double margin = own ? static_cast<double>(s[c]) : -static_cast<double>(s[c]);
    return {margin, margin < 0 || (margin == 0 && (tie_is_mistake || own)), own};
}

template <class T>
ROSENBLATT_DEVICE Example<T> example(const Judged& judged, const T* diagonal, double weight, int times,
                                     const double* scores, int k, int y, double* scratch) {
    const double loss = 1 - judged.margin;
    return {judged.margin, loss, weight, judged.wrong, diagonal, times, scores, k, y, judged.rival, scratch};
}

template <class T, class R>
__device__ void walk(const T* K, T* scores, const int* target, const double* weight, double* steps, double* scratch,
                     int n, int k, int several, int tie, int binary, int shared, const R& rule) {
    extern __shared__ double memory[];
    __shared__ int first;
    T* S = shared ? reinterpret_cast<T*>(memory) : scores;   // n × k
    double *coef = scratch, *wide = coef + k, *sorted = wide + k;
    if (shared) for (int e = threadIdx.x; e < n * k; e += blockDim.x) S[e] = scores[e];
    __syncthreads();
    for (int i = 0; i < n;) {
        if (threadIdx.x == 0) first = n;
        __syncthreads();
        const int mine = i + threadIdx.x;
        if (mine < n) {
            bool moves = false;  // perhaps: rounding may still bring the step to nothing
            for (int c = 0; c < (several ? 1 : k) && !moves; ++c) {
                const Judged judged = judge(S + mine * k, k, target[mine], c, several, tie, binary);
                const T* diagonal = K + static_cast<long long>(mine) * n + mine;
                const double v = weight[mine];
                const int y = target[mine];
                moves = rule.step(example<T>(judged, diagonal, v, 1 + several, nullptr, k, y, nullptr)) != 0;
            }
            if (moves) atomicMin(&first, mine);
        }
        __syncthreads();
        const int row = first;
        __syncthreads();
        if (row == n) { i += blockDim.x; continue; }
        const T *s = S + row * k, *values = K + static_cast<long long>(row) * n;
        const double v = weight[row];
        const int y = target[row];
        if (several && threadIdx.x == 0) {
            const Judged judged = judge(s, k, y, 0, 1, tie, 0);
            for (int c = 0; c < k; ++c) wide[c] = static_cast<double>(s[c]);
            const double gain = class_steps(rule, example<T>(judged, values + row, v, 2, wide, k, y, sorted), coef);
            const bool moves = static_cast<double>(static_cast<T>(gain)) > 0;
            for (int c = 0; c < k; ++c) coef[c] = moves ? static_cast<double>(static_cast<T>(coef[c])) : 0;
        }
        if (!several)
            for (int c = threadIdx.x; c < k; c += blockDim.x) {
                const Judged judged = judge(s, k, y, c, 0, tie, binary);
                const double step = rule.step(example<T>(judged, values + row, v, 1, nullptr, k, y, nullptr));
                const double tau = static_cast<double>(static_cast<T>(step));
                coef[c] = tau > 0 ? (judged.rival ? tau : -tau) : 0;
            }
        __syncthreads();
        for (int c = threadIdx.x; c < k; c += blockDim.x) steps[row * k + c] = coef[c];
        for (int j = row + 1 + threadIdx.x; j < n; j += blockDim.x)   // thread t looks at row + 1 + t next
            for (int c = 0; c < k; ++c) S[j * k + c] += static_cast<T>(coef[c]) * values[j];
        i = row + 1;
    }
    __syncthreads();
    if (shared) for (int e = threadIdx.x; e < n * k; e += blockDim.x) scores[e] = S[e];
}

ROSENBLATT_DEVICE constexpr bool same(const char* a, const char* b) {
    return *a == *b && (*a == 0 || same(a + 1, b + 1));
}

#define RULE(name, ...)                             \
    if constexpr (same(ROSENBLATT_RULE, name))      \
        walk<T>(K, scores, target, weight, steps, scratch, n, k, several, tie, binary, shared, __VA_ARGS__);
template <class T>
__device__ void walk_by_name(const T* K, T* scores, const int* target, const double* weight, double* steps,
                             double* scratch, const double* numbers, int n, int k, int several, int tie, int binary,
                             int shared) {
    const auto number = [&](int i) { return numbers[i - 1]; };
    const auto share = [&](int i) { return static_cast<Share>(static_cast<int>(numbers[i - 1])); };
    const auto numbers_from = [&](int i) { return numbers + (i - 1); };
    ROSENBLATT_RULES(RULE)
}
#undef RULE

#define WALK(name, T)                                                                                                  \
    extern "C" __global__ void name(const T* K, T* scores, const int* target, const double* weight, double* steps,     \
                                    double* scratch, const double* numbers, int n, int k, int several, int tie,        \
                                    int binary, int shared) {                                                          \
        walk_by_name<T>(K, scores, target, weight, steps, scratch, numbers, n, k, several, tie, binary, shared);       \
    }
WALK(walk_float32, float)
WALK(walk_float64, double)
"""


@lru_cache
def rules_header() -> str:
    """The text of ``native/rules.hpp``: beside the package where it is installed, or in the source tree."""
    package = Path(__file__).resolve().parents[3]
    for folder in (package, package.parents[1]):
        file = folder / "native" / "rules.hpp"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(f"native/rules.hpp is missing from {package}: install rosenblatt again")


def source(rule: str, device: str = "__host__ __device__") -> str:
    """The program for the rule of this native name, with the words that mark a function of the device."""
    header = rules_header()
    if f'RULE("{rule}",' not in header:
        raise ValueError(f"unknown rule {rule}")
    return f'#define ROSENBLATT_DEVICE {device}\n#define ROSENBLATT_RULE "{rule}"\n{header}{WALK}'


def available(library: NumPy) -> bool:
    """Whether the library can compile the kernel: all of CuPy's versions can, of PyTorch's the recent ones."""
    return library.on_cuda and (
        isinstance(library, CuPy) or hasattr(importlib.import_module("torch").cuda, "_compile_kernel")
    )


@lru_cache
def _compiled(cupy: bool, rule: str, name: str) -> Any:
    """The kernel for a rule and a number type, as CuPy or PyTorch calls it."""
    options = ["-std=c++17", "--fmad=false"]
    if cupy:
        module: Any = importlib.import_module("cupy")
        return module.RawModule(code=source(rule), options=tuple(options)).get_function(name)
    torch: Any = importlib.import_module("torch")
    return torch.cuda._compile_kernel(source(rule), name, nvcc_options=options)


def numbers_of(rule: Any) -> Array:
    """The numbers of a rule, as ``Rule.native`` lists them after its name, for the device."""
    numbers = [SHARES.get(value, 0.0) if isinstance(value, str) else value for value in rule[1:]]
    return np.array(numbers or [0.0])  # an array of nothing has no address


def walk(
    library: NumPy, gram: Any, scores: Any, targets: Array, weight: Array | None, form: str, tie: bool, rule: Any
) -> tuple[Array, Array, Array]:
    """Walk through a block, whose kernel matrix and scores are on the device: scores at each visit, steps, K(x, x)."""
    n, k = scores.shape
    name = str(scores.dtype).removeprefix("torch.")
    memory = n * k * np.dtype(name).itemsize
    shared = memory <= SHARED_MEMORY
    weights = np.ones(n) if weight is None else weight.astype(np.float64)
    inputs = (library.put(array) for array in (targets.astype(np.int32), weights))
    steps, scratch = library.zeros((n, k), np.float64), library.empty((3 * k,), np.float64)
    flags = (n, k, form == "multiclass", tie, form == "binary", shared)
    arrays = (gram, scores, *inputs, steps, scratch, library.put(numbers_of(rule)))
    compiled, dynamic = _compiled(isinstance(library, CuPy), rule[0], f"walk_{name}"), memory if shared else 0
    if isinstance(library, CuPy):
        compiled.max_dynamic_shared_size_bytes = dynamic
        compiled((1,), (THREADS,), (*arrays, *map(np.int32, flags)), shared_mem=dynamic)
    else:
        compiled.set_shared_memory_config(dynamic)
        compiled((1, 1, 1), (THREADS, 1, 1), (*arrays, *map(int, flags)), shared_mem=dynamic)
    return library.get(scores), library.get(steps), library.get(gram.diagonal())
