"""Two published MNIST tables, made again beside the paper's numbers.

python benchmarks/published.py voted     Freund & Schapire 1999: kernel perceptrons, one per class, d and T
python benchmarks/published.py online    Crammer et al. 2006, fig. 6: online mistakes of three multiclass rules
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from datasets import mnist

import rosenblatt as rb

#: Freund & Schapire (1999): (d, T): test error % of the vote, support vectors, mistakes. As recalled, a lead.
VOTED = {
    (1, 1): (8.5, 19_795, 25_461),
    (2, 1): (2.8, 8_190, 10_201),
    (2, 4): (2.1, 11_424, 22_100),
    (3, 1): (2.3, 6_774, 8_475),
    (4, 1): (2.2, 6_338, 7_977),
    (4, 4): (1.6, 8_214, 12_780),
    (4, 10): (1.6, 8_673, 14_375),
}

#: Crammer et al. (2006), fig. 6: online mistakes in one pass.
ONLINE = {
    "perceptron, uniform": (rb.rules.Perceptron(), "uniform", 2_782),
    "MIRA, norm": (rb.rules.NormMIRA(beta=0.01), "max", 1_583),
    "PA-I, C = 100": (rb.rules.PA1(C=100.0), "max", 1_623),
}


def voted(degrees: list[int], passes: list[int], n_rows: int | None, device: str) -> None:
    """One perceptron per class, ``K = (1 + x·x')^d``, shuffled once; last, averaged and voted of the same run."""
    X, y, X_test, y_test = mnist()
    order = np.random.default_rng(0).permutation(len(X))[:n_rows]
    print(f"{len(order):,} rows; published in brackets")
    heads = ("d", "T", "vote %", "average %", "last %", "support", "mistakes", "train s", "vote s")
    print("".join(f"{head:>{width}}" for head, width in zip(heads, (3, 4, 15, 11, 9, 17, 17, 9, 9))))
    for d in degrees:
        scale = np.float32(1 if d == 1 else 255)
        rows, test = np.ascontiguousarray(X[order] / scale), X_test / scale
        for T in passes:
            began = time.perf_counter()
            model = rb.VotedPerceptron(
                kernel="poly", degree=d, gamma=1.0, coef0=1.0, fit_intercept=False, multiclass="ovr",
                shuffle=False, tol=None, max_iter=T, device=device,
            ).fit(rows, y[order])  # fmt: skip
            trained = time.perf_counter()
            vote = 100 * np.mean(model.predict(test) != y_test)
            done = time.perf_counter()
            others = [100 * np.mean(model.with_readout(name).predict(test) != y_test) for name in ("averaged", "last")]
            error, support, mistakes = VOTED.get((d, T), ("", "", ""))
            published = [f"({value:,})" if value != "" else "" for value in (error, support, mistakes)]
            print(
                f"{d:>3}{T:>4}{vote:>8.2f}{published[0]:>7}{others[0]:>11.2f}{others[1]:>9.2f}{len(model.support_):>8,}{published[1]:>9}"
                f"{model.mistakes_.sum():>8,}{published[2]:>9}{trained - began:>9.1f}{done - trained:>9.1f}",
                flush=True,
            )


def online(device: str) -> None:
    """``K = (0.5 + x·x')⁵``, one pass in file order, rows centred and of average squared norm 1."""
    X, y, X_test, y_test = mnist()
    mean = X.mean(axis=0)
    scale = np.sqrt(np.mean(np.sum((X - mean) ** 2, axis=1)))
    rows, test = (np.ascontiguousarray((part - mean) / scale, np.float32) for part in (X, X_test))
    print(f"{'rule':<22}{'mistakes':>9}{'published':>11}{'test %':>8}{'seconds':>9}")
    for name, (rule, share, published) in ONLINE.items():
        began = time.perf_counter()
        model = rb.KernelPerceptron(
            kernel="poly", degree=5, gamma=1.0, coef0=0.5, fit_intercept=False, rule=rule, multiclass=share,
            shuffle=False, tol=None, max_iter=1, device=device,
        ).fit(rows, y)  # fmt: skip
        seconds = time.perf_counter() - began
        error = 100 * np.mean(model.predict(test) != y_test)
        print(f"{name:<22}{model.mistakes_.sum():>9,}{published:>11,}{error:>8.2f}{seconds:>9.1f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("voted", "online"))
    parser.add_argument("--degrees", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--passes", type=int, nargs="+", default=[1, 4, 10])
    parser.add_argument("--rows", type=int, help="so many of the 60,000 rows")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    arguments = parser.parse_args()
    if arguments.table == "voted":
        began = time.perf_counter()
        voted(arguments.degrees, arguments.passes, arguments.rows, arguments.device)
        print(f"the whole table: {time.perf_counter() - began:.1f} s on {arguments.device}")
    else:
        online(arguments.device)
