"""The kernel matrix of the rows of a trace: columns as they are asked for, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..core import exact as exactly
from ..core import reference
from ..core.spaces.kernel.function import KernelFunction

Number = Any  # int, Fraction or float


class Gram(Sequence[list[Number]]):
    """The kernel matrix, a sequence of its rows.

    Parameters
    ----------
    column : callable
        K of all rows with row j, as a list.
    value : callable
        K of row i with itself.
    n_rows : int
        How many rows there are.
    """

    def __init__(self, column: Callable[[int], list[Number]], value: Callable[[int], Number], n_rows: int) -> None:
        self._column, self._value, self._n_rows = column, value, n_rows
        self._columns: dict[int, list[Number]] = {}
        self._diagonal: dict[int, Number] = {}

    @classmethod
    def of(cls, between: Callable[[Any, Any], Number], rows: Sequence[Any]) -> Gram:
        """That of a function of two rows."""
        return cls(lambda j: [between(x, rows[j]) for x in rows], lambda i: between(rows[i], rows[i]), len(rows))

    def column(self, j: int) -> list[Number]:
        """K of all rows with row j."""
        if j not in self._columns:
            self._columns[j] = self._column(j)
        return self._columns[j]

    def norm2(self, i: int) -> Number:
        """K(x, x) of a row."""
        if i not in self._diagonal:
            self._diagonal[i] = reference.wide(self._value(i))
        return self._diagonal[i]

    def __len__(self) -> int:
        return self._n_rows

    def __getitem__(self, i: Any) -> Any:
        return [self.column(j)[i] for j in range(len(self))]

    def __iter__(self) -> Iterator[list[Number]]:
        return map(self.__getitem__, range(len(self)))


def in_fractions(kernel: KernelFunction, rows: Sequence[Sequence[Fraction]], gamma: Fraction, coef0: Fraction) -> Gram:
    """The kernel matrix in fractions; refuses kernels whose values are none."""
    exact_kernel: Any = replace(kernel, gamma=gamma, coef0=coef0)  # type: ignore[arg-type]
    if exact_kernel.in_fractions(Fraction(1)) is None:
        name = kernel.name
        what = f"kernel='poly' with degree={kernel.degree:g}" if name == "poly" else f"kernel={name!r}"
        raise ValueError(f"{what} has values that are no fractions: trace it with exact=False")
    return Gram.of(lambda x, z: exact_kernel.in_fractions(sum(a * b for a, b in zip(x, z))), rows)


def of_rows(kernel: KernelFunction, rows: Sequence[Sequence[Number]], exact: bool | str) -> tuple[Gram, Number, Number]:
    """The kernel matrix of rows, in fractions or floats, its γ and its constant."""
    if not exact:
        return Gram.of(kernel.between, rows), kernel.gamma, kernel.coef0
    gamma, coef0 = Fraction(exactly.number(kernel.gamma)), Fraction(exactly.number(kernel.coef0))
    return in_fractions(kernel, [[Fraction(v) for v in row] for row in exactly.rows(rows)], gamma, coef0), gamma, coef0
