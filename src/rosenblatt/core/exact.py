"""Data as exact numbers: integers, and fractions where they must be.

A float is read as the decimal number that it prints as: 0.1 is 1/10, which a person wrote, and not the nearest binary
fraction.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Union

Exact = Union[int, Fraction]


class Work:
    """How much arithmetic in exact numbers may be done: counted, so that no clock and no busy machine decides.

    Parameters
    ----------
    most : float
        Additions and multiplications of short fractions; long ones count for more. A million take some seconds.
    deadline : float
        In ``time.monotonic()``, when to stop all the same, where the user has set a limit. What takes less than
        ``SMALL`` is done regardless.
    """

    SMALL = 100_000.0

    def __init__(self, most: float = math.inf, deadline: float = math.inf) -> None:
        self.most, self.deadline, self.done = most, deadline, 0.0

    def count(self, operations: float, bits: int = 0) -> None:
        """Note operations about to be done on numbers of so many bits; TimeoutError where that is too much."""
        self.done += operations * (1 + (bits / 700) ** 1.7)
        timed = math.isfinite(self.deadline) and self.done > self.SMALL
        if self.done > self.most or (timed and time.monotonic() > self.deadline):
            raise TimeoutError("exact arithmetic takes too long here")


class Decimals(Fraction):
    """A fraction that writes itself as a decimal where that ends, and so do the results of its arithmetic.

    >>> print(Decimals("1.4") * Decimals("0.4") - 1, Decimals(1, 3))
    -0.44 1/3
    """

    def __str__(self) -> str:
        places = next((k for k in range(self.denominator.bit_length()) if 10**k % self.denominator == 0), 0)
        if not places:
            return super().__str__()
        digits = str(abs(self.numerator) * 10**places // self.denominator).rjust(places + 1, "0")
        return f"{'-' if self < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _keep_decimals(name: str) -> None:
    plain = getattr(Fraction, name)

    def operation(*numbers: Any) -> Any:
        result = plain(*numbers)
        return Decimals(result) if isinstance(result, Fraction) else result

    setattr(Decimals, name, operation)


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "neg", "abs"):
    _keep_decimals(f"__{_name}__")


def are_short(values: Iterable[Any], places: int = 4) -> bool:
    """Whether numbers have so few decimals that a person would compute with them by hand."""
    return all(10**places % Fraction(number(value)).denominator == 0 for value in values)


def number(value: Any) -> Exact:
    """One number as an int if it is whole, else as a Fraction."""
    if hasattr(value, "item"):  # NumPy's
        value = value.item()
    if isinstance(value, (int, bool)):
        return int(value)
    if isinstance(value, Fraction):
        fraction = value
    elif isinstance(value, float) or hasattr(value, "dtype"):  # the latter: floats longer than Python's
        fraction = Fraction(str(float(value)))
    else:
        fraction = Fraction(value)
    return fraction.numerator if fraction.denominator == 1 else fraction


def rows(X: Any, which: Iterable[int] | None = None) -> list[list[Exact]]:
    """Rows of an array, a sparse matrix, a frame or a list of lists, all of them or those in ``which``."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        X = (X if which is None else X[list(which)]).toarray()
    else:
        X = X if isinstance(X, (list, tuple)) else X.__array__()
        X = X if which is None else [X[i] for i in which]
    return [[number(value) for value in row] for row in X]


def whole(values: Iterable[Exact]) -> list[int]:
    """The smallest whole numbers in the same proportion."""
    fractions = [Fraction(value) for value in values]
    scale = math.lcm(*(value.denominator for value in fractions))
    scaled = [int(value * scale) for value in fractions]
    return [value // (math.gcd(*scaled) or 1) for value in scaled]


def scaled(values: Sequence[Sequence[Exact]]) -> tuple[list[list[int]], int]:
    """Rows of exact numbers times the smallest factor that makes them all whole, and that factor."""
    factor = math.lcm(*{Fraction(value).denominator for row in values for value in row})
    return [[int(value * factor) for value in row] for row in values], factor


def entries(X: Any, row: int) -> list[tuple[int, Exact]]:
    """The columns and numbers of one row of a table or a CSR matrix that are not 0."""
    values = X[[row]].toarray()[0] if hasattr(X, "tocsr") else X[row]
    if hasattr(values, "nonzero"):  # an array, which may be long
        return [(column, number(values[column])) for column in values.nonzero()[0].tolist()]
    return [(column, number(value)) for column, value in enumerate(values) if value]


def root(square: Exact) -> float:
    """The square root to half a unit in the last place, whatever the size of its square."""
    square = Fraction(square)
    shift = (130 - square.numerator.bit_length() + square.denominator.bit_length()) // 2
    scaled = square * Fraction(4) ** shift
    return float(Fraction(math.isqrt(scaled.numerator // scaled.denominator)) / Fraction(2) ** shift)


def root_below(square: Exact) -> float:
    """The largest float that is not above the square root."""
    nearest = root(square)
    return nearest if Fraction(nearest) ** 2 <= square else math.nextafter(nearest, 0.0)


def root_above(square: Exact) -> float:
    """The smallest float that is not below the square root."""
    nearest = root(square)
    return nearest if Fraction(nearest) ** 2 >= square else math.nextafter(nearest, math.inf)


def solve(
    matrix: list[list[Exact]], right: list[Exact] | None = None, work: Work | None = None
) -> list[Fraction] | None:
    """A solution of ``matrix · x = right``, or with None a solution of ``matrix · x = 0`` that is not 0.

    Elimination in whole numbers (Bareiss 1968). Unknowns that the equations leave open are 0, but for the last one in
    the homogeneous case, which is 1. None if there is no solution. TimeoutError where it is too much work.
    """
    n, work = len(matrix[0]), work or Work()
    homogeneous = right is None
    M = [whole([*row, 0 if right is None else right[i]]) for i, row in enumerate(matrix)]
    done, previous, pivots = 0, 1, []
    for column in range(n):
        below = [i for i in range(done, len(M)) if M[i][column] != 0]
        if not below:
            continue
        best = min(below, key=lambda i: abs(M[i][column]))
        M[done], M[best] = M[best], M[done]
        pivot, top = M[done][column], M[done][column:]
        work.count(0.3 * (len(M) - done) * len(top), pivot.bit_length())
        for row in M[done + 1 :]:
            factor = row[column]
            row[column:] = [(a * pivot - factor * b) // previous for a, b in zip(row[column:], top)]
        previous = pivot
        pivots.append(column)
        done += 1
    if any(M[i][n] != 0 for i in range(done, len(M))) or (homogeneous and done == n):
        return None
    x = [Fraction(0)] * n
    if homogeneous:
        x[max(set(range(n)) - set(pivots))] = Fraction(1)
    for i in reversed(range(done)):
        work.count(5 * (n - i), previous.bit_length())
        known = sum((M[i][j] * x[j] for j in range(pivots[i] + 1, n) if x[j]), Fraction(0))
        x[pivots[i]] = (M[i][n] - known) / M[i][pivots[i]]
    return x
