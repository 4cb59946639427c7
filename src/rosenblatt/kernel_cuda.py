"""The walk through a block on a CUDA device: the judge and the rules of ``reference.py`` as one small kernel.

One block of threads takes the rows one after another. The scores of the rows to come lie in shared memory; an update
adds ``a·K(i, j)`` to them. Everything a rule computes is in double precision, as in the native core, and nothing is
contracted, so that the two agree to the bit.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

RULES = {"perceptron": 0, "PA": 1, "PA1": 2, "PA2": 3, "MIRA": 4, "NormMIRA": 5}
SHARES = {"max": 0, "uniform": 1, "proportional": 2, "ovr": 0}
FORMS = {"binary": 0, "ovr": 0, "multiclass": 1}
SHARED_MEMORY = 200_000  # bytes of it that a block of threads may take on any recent card

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

// What the classes lose and gain: reference.SPREAD. Returns what the right one gains.
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
    const int n = r.kind == 4 ? k - 1 : k;
    if (r.kind == 4) {
        const double cap = weight * r.a * A;
        if (!(1 - margin > 0 && A > 0 && cap > 0)) return 0;
        int m = 0;
        for (int c = 0; c < k; ++c) if (c != y) sorted[m++] = 1 - (s[y] - s[c]);
    } else {
        if (!(margin < r.a && A > 0)) return 0;
        for (int c = 0; c < k; ++c) sorted[c] = (c == y ? s[c] - r.a : s[c]) / A + (c == y ? 1 : 0);
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
    double total = -1, theta = 0;
    for (int p = 0; p < k; ++p) {
        total += sorted[p]; theta = total / (p + 1);
        if (p + 1 < k && theta >= sorted[p + 1]) break;
    }
    for (int c = 0; c < k; ++c) {
        const double B = (c == y ? s[c] - r.a : s[c]) / A, D = B + (c == y ? 1 : 0);
        coef[c] = fmin(theta, D) - B;
    }
    return coef[y];
}

template <class T>
__device__ void walk(const T* K, long long ld, const int* rows, T* scores, const int* target, const double* weight,
                     int n, int k, int several, int tie_is_mistake, int binary, Rule rule, double* steps) {
    extern __shared__ double memory[];
    double* coef = memory;                 // k
    double* wide = coef + k;               // k
    double* sorted = wide + k;             // k
    T* S = reinterpret_cast<T*>(sorted + k);   // n × k
    __shared__ int moves;
    for (int e = threadIdx.x; e < n * k; e += blockDim.x) S[e] = scores[e];
    __syncthreads();
    for (int i = 0; i < n; ++i) {
        const T* row = K + static_cast<long long>(rows ? rows[i] : i) * ld;
        const double v = weight ? weight[i] : 1;
        const int y = target[i];
        if (threadIdx.x == 0) {
            moves = 0;
            const double A = static_cast<double>(row[rows ? rows[i] : i]);
            for (int c = 0; c < k; ++c) wide[c] = static_cast<double>(S[i * k + c]);
            if (several) {
                int rival = y == 0 ? 1 : 0;
                for (int c = rival + 1; c < k; ++c) if (c != y && wide[c] > wide[rival]) rival = c;
                const double margin = wide[y] - wide[rival];
                const bool wrong = margin < 0 || (margin == 0 && (tie_is_mistake || rival < y));
                const double gain = spread(rule, wide, k, y, rival, margin, wrong, v, A, coef, sorted);
                if (static_cast<double>(static_cast<T>(gain)) > 0) moves = 1;
            } else {
                for (int c = 0; c < k; ++c) {
                    const bool own = y == (binary ? 1 : c);
                    const double margin = own ? wide[c] : -wide[c];
                    const bool wrong = margin < 0 || (margin == 0 && (tie_is_mistake || own));
                    const double tau = static_cast<double>(static_cast<T>(step(rule, margin, wrong, v, A)));
                    coef[c] = tau > 0 ? (own ? tau : -tau) : 0;
                    if (tau > 0) moves = 1;
                }
            }
            if (moves)
                for (int c = 0; c < k; ++c) {
                    coef[c] = static_cast<double>(static_cast<T>(coef[c]));
                    steps[i * k + c] = coef[c];
                }
        }
        __syncthreads();
        if (moves)
            for (int j = i + 1 + threadIdx.x; j < n; j += blockDim.x) {
                const T value = row[rows ? rows[j] : j];
                for (int c = 0; c < k; ++c) S[j * k + c] += static_cast<T>(coef[c]) * value;
            }
        __syncthreads();
    }
    for (int e = threadIdx.x; e < n * k; e += blockDim.x) scores[e] = S[e];
}

#define WALK(name, T)                                                                                                  \
    extern "C" __global__ void name(const T* K, long long ld, const int* rows, T* scores, const int* target,          \
                                    const double* weight, int n, int k, int several, int tie, int binary, int kind,    \
                                    int share, double a, double b, double* steps) {                                    \
        walk<T>(K, ld, rows, scores, target, weight, n, k, several, tie, binary, Rule{kind, share, a, b}, steps);      \
    }
WALK(walk_float, float)
WALK(walk_double, double)
"""


class Scan:
    """The kernel, compiled once for a number type.

    Parameters
    ----------
    cupy : module
        CuPy.
    dtype : numpy dtype
        Of scores and kernel matrix: float32 or float64.
    """

    def __init__(self, cupy: Any, dtype: Any) -> None:
        self.cupy, self.dtype = cupy, np.dtype(dtype)
        module = cupy.RawModule(code=SOURCE, options=("-std=c++17", "--fmad=false"))
        self.kernel = module.get_function("walk_float" if self.dtype == np.float32 else "walk_double")

    def __call__(
        self, K: Any, rows: Any, scores: Any, targets: Any, weight: Any, form: str, tie: bool, rule: Any, steps: Any
    ) -> None:
        """Walk through the rows in order: ``scores`` become those at each visit, ``steps`` the coefficients."""
        n, k = scores.shape
        kind, a, b, share = RULES[rule[0]], 0.0, 0.0, 0
        if kind == 0:
            a, b, share = rule[1], rule[2], SHARES[rule[3]]
        elif len(rule) > 1:
            a = rule[1]
        memory = 3 * k * 8 + n * k * self.dtype.itemsize
        self.kernel.max_dynamic_shared_size_bytes = memory
        numbers = (n, k, FORMS[form], tie, form == "binary", kind, share)
        arguments = (
            K, np.int64(K.shape[1]), rows, scores, targets, weight, *map(np.int32, numbers), np.float64(a),
            np.float64(b), steps,
        )  # fmt: skip
        self.kernel((1,), (512,), arguments, shared_mem=memory)


def library() -> Any:
    """CuPy, or one sentence that says what is missing."""
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError:
        raise ImportError("device='cuda' needs CuPy; install the cupy package for your CUDA version") from None
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except Exception:  # CuPy's own, which cannot be named without it
        found = 0
    if not found:
        raise RuntimeError("device='cuda' finds no CUDA device here; use device='cpu'")
    return cupy


class Device:
    """Rows on a CUDA device, and what is computed of them there.

    The whole kernel matrix is kept there if it fits, with the scores of all rows; else it is made block by block.

    Parameters
    ----------
    X : array
        The rows.
    kernel : Kernel
        The kernel.
    """

    def __init__(self, X: Array, kernel: Any) -> None:
        self.cupy = library()
        self.kernel = kernel
        self.X = self.cupy.asarray(X)
        self.scan = Scan(self.cupy, X.dtype)
        self.store: Any = None
        self.support: Any = None  # the examples kept, as far as they are here
        self.scores_of_all: Any = None
        self.updates = -1  # how many are in those scores

    def fits(self) -> bool:
        """Whether the kernel matrix of all rows takes at most half of the memory that is free."""
        return bool(2 * len(self.X) ** 2 * self.X.itemsize < self.cupy.cuda.runtime.memGetInfo()[0])

    def most(self, n_vectors: int) -> int:
        """How many rows the kernel can walk through at once."""
        return max(1, int((SHARED_MEMORY - 24 * n_vectors) // (n_vectors * self.X.itemsize)))

    def keep_matrix(self) -> None:
        """Compute the whole kernel matrix, a strip at a time."""
        n = len(self.X)
        self.store = self.cupy.empty((n, n), self.X.dtype)
        strip = max(1, (1 << 28) // max(1, n))
        for start in range(0, n, strip):
            self.store[start : start + strip] = self.kernel.matrix(self.X[start : start + strip], self.X)

    def against(self, which: Any, support: Any) -> Any:
        """The kernel of some rows with the examples kept, on the device."""
        if self.support is None or len(self.support) != len(support):
            self.support = self.cupy.asarray(support.vectors)
        return self.kernel.matrix(self.X[which], self.support)

    def scores(self, which: Any, support: Any, dual: Array) -> Array:
        """Scores of some rows by a sum of the examples kept."""
        found: Array = (self.against(which, support) @ self.cupy.asarray(dual)).get()
        return found

    def walk(self, learner: Any, which: Array, targets: Array, weight: Array | None) -> tuple[Array, Array, Array]:
        """Learn from some rows in order: their scores at each visit, the steps, and K(x, x)."""
        cupy, k = self.cupy, learner.n_vectors
        rows = cupy.asarray(which.astype(np.int32))
        if self.store is None and learner.visited == 0 and self.fits():
            self.keep_matrix()
        stored = self.store is not None
        if stored and self.updates != len(learner.which):
            self.scores_of_all = cupy.zeros((len(self.X), k), self.X.dtype)
            if len(learner.which):
                self.scores_of_all += self.against(slice(None), learner.support) @ cupy.asarray(learner.alpha[:, :k])
        if stored:
            K, index, scores = self.store, rows, self.scores_of_all[rows]
        else:
            K, index = self.kernel.matrix(self.X[rows], self.X[rows]), None
            scores = cupy.zeros((len(which), k), self.X.dtype)
            if len(learner.support):
                scores += self.against(rows, learner.support) @ cupy.asarray(learner.alpha[:, :k])
        steps = cupy.zeros((len(which), k))
        self.scan(
            K, index, scores, cupy.asarray(targets.astype(np.int32)), None if weight is None else cupy.asarray(weight),
            learner.form, learner.ties == "mistake", learner.rule.native(learner.multiclass), steps,
        )  # fmt: skip
        taken = steps.get()
        if stored:
            moved = np.flatnonzero(taken.any(axis=1))
            self.scores_of_all += self.store[rows[moved]].T @ steps[moved].astype(self.X.dtype)
            self.updates = len(learner.which) + len(moved)
        diagonal = K[rows, rows] if stored else K.diagonal()
        return scores.get(), taken, diagonal.get()
