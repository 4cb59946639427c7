"""The walk through a block on a CUDA device: the judge and the rules of ``reference.py`` as one small kernel.

One block of threads looks at as many rows at once as it has threads, for the first that moves the weights; its update
adds ``a·K(i, j)`` to the scores of the rows after it, which are then looked at again. That is the walk of one row after
another: a row that moves nothing changes no other. Everything a rule computes is in double precision, as in the native
core, and nothing is contracted, so that the two agree to the bit.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import CuPy, NumPy

Array = NDArray[Any]

RULES = {"perceptron": 0, "PA": 1, "PA1": 2, "PA2": 3, "MIRA": 4, "NormMIRA": 5}
SHARES = {"max": 0, "uniform": 1, "proportional": 2, "ovr": 0}
SHARED_MEMORY = 200_000  # bytes of it that a block of threads may take on any recent card
THREADS = 512

SOURCE = r"""
struct Rule { int kind, share; double a, b; };   // perceptron: eta, margin; PA-I, PA-II, MIRA: C; norm MIRA: beta

// The step against one opponent: reference.STEP.
__device__ double step(const Rule& r, double margin, bool wrong, double weight, double norm2) {
    const double loss = 1 - margin;
    if (r.kind == 0) return wrong || (r.b > 0 && margin <= r.b) ? r.a * weight : 0;
    if (!(norm2 > 0)) return 0;
    if (r.kind == 5) return margin < r.a ? fmin(2.0, (r.a - margin) / norm2) : 0;
    if (!(loss > 0)) return 0;
    if (r.kind == 1) return loss / norm2;
    if (r.kind == 3) return loss / (norm2 + 1 / (2 * (weight * r.a)));
    return fmin(weight * r.a, loss / norm2);
}

// What the classes lose and gain: reference.SPREAD.
__device__ double spread(const Rule& r, const double* s, int k, int y, int rival, double margin, bool wrong,
                         double weight, double A, double* coef, double* sorted) {
    for (int c = 0; c < k; ++c) coef[c] = 0;
    if (r.kind == 1 || r.kind == 2 || r.kind == 3 || (r.kind == 0 && r.share == 0)) {
        const double tau = step(r, margin, wrong, weight, 2 * A);
        if (tau > 0) { coef[rival] = -tau; coef[y] = tau; }
        return tau;
    }
    if (r.kind == 0) {
        const double tau = step(r, margin, wrong, weight, 2 * A);
        if (tau == 0) return 0;
        double total = 0; int offenders = 0;
        for (int c = 0; c < k; ++c) {
            const double excess = r.b - (s[y] - s[c]);
            if (c != y && excess >= 0) { total += excess; ++offenders; }
        }
        for (int c = 0; c < k; ++c) {
            const double excess = r.b - (s[y] - s[c]);
            if (c != y && excess >= 0)
                coef[c] = r.share == 2 && total > 0 ? -(tau * (excess / total)) : -(tau / offenders);
        }
        coef[y] = tau;
        return tau;
    }
    const int n = k - 1;
    if (r.kind == 4) {
        const double cap = weight * r.a * A;
        if (!(1 - margin > 0 && A > 0 && cap > 0)) return 0;
        int m = 0;
        for (int c = 0; c < k; ++c) if (c != y) sorted[m++] = 1 - (s[y] - s[c]);
    } else {
        if (!(margin < r.a && A > 0)) return 0;
        int m = 0;
        for (int c = 0; c < k; ++c) if (c != y) sorted[m++] = s[c];
    }
    for (int i = 1; i < n; ++i) {  // descending
        const double v = sorted[i]; int j = i;
        for (; j > 0 && sorted[j - 1] < v; --j) sorted[j] = sorted[j - 1];
        sorted[j] = v;
    }
    if (r.kind == 4) {
        const double cap = weight * r.a * A;
        double total = 0; int m = 0;
        for (; m < n && (m + 1) * sorted[m] > total; ++m) total += sorted[m];
        double level = total / (m + 1), lift = 0;
        if (level > cap) {
            total = 0; m = 0;
            for (; m < n && m * sorted[m] > total - cap; ++m) total += sorted[m];
            level = total / m; lift = weight * r.a / m;
        }
        double gain = 0;
        for (int c = 0; c < k; ++c) {
            const double tau = (1 - (s[y] - s[c]) - level) / A + lift;
            if (c != y && tau > 0) { coef[c] = -tau; gain += tau; }
        }
        return coef[y] = gain;
    }
    double total = 0, drop = 0, theta = 0;
    for (int p = 1; p <= n; ++p) {
        total += (sorted[0] - sorted[p - 1]) / A; drop = (total + 1) / p;
        if (p < n && drop <= (sorted[0] - sorted[p]) / A) break;
    }
    if ((r.a - (s[y] - sorted[0])) / A - drop >= 1) {
        for (int c = 0; c < k; ++c) coef[c] = fmin((sorted[0] - s[c]) / A - drop, 0.0);
        return coef[y] = 1;
    }
    total = 0;
    for (int p = 1; p <= n; ++p) {
        total += (r.a - (s[y] - sorted[p - 1])) / A; theta = total / (p + 1);
        if (p < n && theta >= (r.a - (s[y] - sorted[p])) / A) break;
    }
    for (int c = 0; c < k; ++c) {
        const double B = (r.a - (s[y] - s[c])) / A;
        coef[c] = fmin(theta, B) - B;
    }
    return coef[y] = theta;
}


// Of one row: its margin, whether it is wrong, and for several classes the best of the others.
struct Judged { double margin; bool wrong; int rival; };

template <class T>
__device__ Judged judge(const T* s, int k, int y, int c, int several, int tie_is_mistake, int binary) {
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

// Whether the rule may take a step; rounding may still bring it to nothing.
__device__ bool may_move(const Rule& r, const Judged& judged) {
    if (r.kind == 0) return judged.wrong || (r.b > 0 && judged.margin <= r.b);
    return judged.margin < (r.kind == 5 ? r.a : 1.0);
}

template <class T>
__device__ void walk(const T* K, T* scores, const int* target, const double* weight, double* steps, double* scratch,
                     int n, int k, int several, int tie, int binary, int shared, const Rule& rule) {
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
            bool moves = false;
            for (int c = 0; c < (several ? 1 : k) && !moves; ++c)
                moves = may_move(rule, judge(S + mine * k, k, target[mine], c, several, tie, binary));
            if (moves) atomicMin(&first, mine);
        }
        __syncthreads();
        const int row = first;
        __syncthreads();
        if (row == n) { i += blockDim.x; continue; }
        const T *s = S + row * k, *values = K + static_cast<long long>(row) * n;
        const double A = static_cast<double>(values[row]), v = weight[row];
        const int y = target[row];
        if (several && threadIdx.x == 0) {
            const Judged judged = judge(s, k, y, 0, 1, tie, 0);
            for (int c = 0; c < k; ++c) wide[c] = static_cast<double>(s[c]);
            const double gain = spread(rule, wide, k, y, judged.rival, judged.margin, judged.wrong, v, A, coef, sorted);
            const bool moves = static_cast<double>(static_cast<T>(gain)) > 0;
            for (int c = 0; c < k; ++c) coef[c] = moves ? static_cast<double>(static_cast<T>(coef[c])) : 0;
        }
        if (!several)
            for (int c = threadIdx.x; c < k; c += blockDim.x) {
                const Judged judged = judge(s, k, y, c, 0, tie, binary);
                const double tau = static_cast<double>(static_cast<T>(step(rule, judged.margin, judged.wrong, v, A)));
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

#define WALK(name, T)                                                                                                  \
    extern "C" __global__ void name(const T* K, T* scores, const int* target, const double* weight, double* steps,     \
                                    double* scratch, const double* rule, int n, int k, int several, int tie,           \
                                    int binary, int shared, int kind, int share) {                                     \
        walk<T>(K, scores, target, weight, steps, scratch, n, k, several, tie, binary, shared,                         \
                Rule{kind, share, rule[0], rule[1]});                                                                  \
    }
WALK(walk_float32, float)
WALK(walk_float64, double)
"""


def available(library: NumPy) -> bool:
    """Whether the library can compile the kernel: all of CuPy's versions can, of PyTorch's the recent ones."""
    return library.on_cuda and (
        isinstance(library, CuPy) or hasattr(importlib.import_module("torch").cuda, "_compile_kernel")
    )


@lru_cache
def _compiled(cupy: bool, name: str) -> Any:
    """The kernel for a number type, as CuPy or PyTorch calls it."""
    options = ["-std=c++17", "--fmad=false"]
    if cupy:
        module: Any = importlib.import_module("cupy")
        return module.RawModule(code=SOURCE, options=tuple(options)).get_function(name)
    torch: Any = importlib.import_module("torch")
    return torch.cuda._compile_kernel(SOURCE, name, nvcc_options=options)


def walk(
    library: NumPy, gram: Any, scores: Any, targets: Array, weight: Array | None, form: str, tie: bool, rule: Any
) -> tuple[Array, Array, Array]:
    """Walk through a block, whose kernel matrix and scores are on the device: scores at each visit, steps, K(x, x)."""
    n, k = scores.shape
    kind, a, b, share = RULES[rule[0]], 0.0, 0.0, 0
    if kind == 0:
        a, b, share = rule[1], rule[2], SHARES[rule[3]]
    elif len(rule) > 1:
        a = rule[1]
    name = str(scores.dtype).removeprefix("torch.")
    memory = n * k * np.dtype(name).itemsize
    shared = memory <= SHARED_MEMORY
    given = [targets.astype(np.int32), np.ones(n) if weight is None else weight.astype(np.float64)]
    target, weights, numbers = (library.put(array) for array in (*given, np.array([a, b])))
    steps, scratch = library.zeros((n, k), np.float64), library.empty((3 * k,), np.float64)
    flags = (n, k, form == "multiclass", tie, form == "binary", shared, kind, share)
    arrays = (gram, scores, target, weights, steps, scratch, numbers)
    compiled, dynamic = _compiled(isinstance(library, CuPy), f"walk_{name}"), memory if shared else 0
    if isinstance(library, CuPy):
        compiled.max_dynamic_shared_size_bytes = dynamic
        compiled((1,), (THREADS,), (*arrays, *map(np.int32, flags)), shared_mem=dynamic)
    else:
        compiled.set_shared_memory_config(dynamic)
        compiled((1, 1, 1), (THREADS, 1, 1), (*arrays, *map(int, flags)), shared_mem=dynamic)
    return library.get(scores), library.get(steps), library.get(gram.diagonal())
