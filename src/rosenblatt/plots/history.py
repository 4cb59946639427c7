"""What a trace says of all rows at once: their scores after each move of the weights, the bounds on the margin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tracing import Step, Trace
from ..tracing.moves import Moves
from ..tracing.wording import nearest

Array = NDArray[Any]

_BLOCK = 1 << 21  # so many scores are held at once


def floats(values: Any) -> Array:
    """Numbers of any kind, fractions too, as floats."""
    array = np.asarray(values, dtype=object)
    return np.array([nearest(value) for value in array.ravel()], np.float64).reshape(array.shape)


@dataclass(frozen=True)
class History:
    """A run as arrays: the rows that it learned from, and the weights after each move.

    Attributes
    ----------
    X, y, classes : ndarray
        Rows that have weight, with the codes of their classes.
    moves : tuple of Step
        The steps that changed the weights.
    coordinates : ndarray of shape (1 + n_moves, n_vectors, n_coordinates)
        Weights (or in the space of a kernel the coefficients of ``data``'s rows), those of the start first.
    biases : ndarray of shape (1 + n_moves, n_vectors)
        Their biases; 0 in the space of a kernel, which has them in its constant 1.
    tau : ndarray of shape (1 + n_moves, n_slots)
        The sum of all steps; one against the rest has one for each class.
    """

    trace: Trace
    X: Array
    y: Array
    classes: list[Any]
    moves: tuple[Step, ...]
    coordinates: Array
    biases: Array
    tau: Array

    @classmethod
    def of(cls, trace: Trace) -> History:
        """Read a trace; refuses one that leaves out updates."""
        read, data = Moves.of(trace), trace.data
        X = floats(data.X)[list(data.present)]
        return cls(
            trace, X, np.array(read.codes), list(trace.setting.classes or ()), read.moves, np.array(read.coordinates),
            np.array(read.biases), np.array(read.tau),
        )  # fmt: skip

    @cached_property
    def updates(self) -> Array:
        """How many updates had been made after each move."""
        made = np.cumsum([step.updates for step in self.trace.steps])
        at = {step.number: int(count) for step, count in zip(self.trace.steps, made)}
        return np.array([0, *(at[step.number] for step in self.moves)])

    def image(self, rows: Array) -> Array:
        """Rows as the weights meet them: their features, or their kernel values with the rows learned from."""
        kernel = self.trace.data.kernel
        if kernel is None:
            return rows
        if kernel.name == "precomputed":
            raise ValueError("a precomputed kernel has no rows of features to draw; give the kernel itself")
        return np.asarray(kernel.matrix(np.ascontiguousarray(rows), floats(self.trace.data.X)))

    def scores(self, image: Array, at: Any = slice(None)) -> Array:
        """Scores of rows by the weights after some moves: (n_moves, n_rows, n_vectors)."""
        return np.asarray(np.einsum("mkd,nd->mnk", self.coordinates[at], image) + self.biases[at][:, None, :])

    @staticmethod
    def said(scores: Array) -> Array:
        """The classes that scores give, as ``predict`` does."""
        return (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)

    @cached_property
    def own(self) -> Array:
        """The image of the rows themselves."""
        return self.image(self.X)

    @cached_property
    def norms(self) -> Array:
        """‖w‖ after each move, of all vectors together or of each against the rest: (1 + n_moves, n_slots)."""
        if self.trace.data.kernel is not None:
            if self.tau.shape[1] > 1:
                raise ValueError("one against the rest in the space of a kernel keeps no ‖w‖ of each class to draw")
            return np.array([[0.0], *([step.norm] for step in self.moves)])
        return self._lengths(self.coordinates, self.biases)

    def _lengths(self, w: Array, b: Array) -> Array:
        biases = b if self.trace.setting.bias_apart else np.zeros_like(b)
        squares = np.sum(w * w, axis=2) + biases**2
        return np.asarray(np.sqrt(squares if self.tau.shape[1] > 1 else squares.sum(axis=1, keepdims=True)))

    def margins(self) -> Iterator[tuple[slice, Array]]:
        """The smallest margin of the weights after each move, over all rows, block by block."""
        size = max(1, _BLOCK // max(1, self.own.size))
        each = np.arange(len(self.X))
        for begin in range(0, len(self.coordinates), size):
            part = slice(begin, begin + size)
            scores = self.scores(self.own, part)
            if scores.shape[2] == 1:
                least = (scores[:, :, 0] * np.where(self.y == 1, 1.0, -1.0)).min(axis=1, keepdims=True)
            elif self.trace.setting.form == "ovr":
                least = (scores * np.where(self.y[:, None] == np.arange(scores.shape[2]), 1.0, -1.0)).min(axis=1)
            else:
                right = scores[:, each, self.y]
                scores[:, each, self.y] = -np.inf
                least = (right - scores.max(axis=2)).min(axis=1, keepdims=True)
            with np.errstate(divide="ignore", invalid="ignore"):
                margins = np.where(self.norms[part] > 0, least / self.norms[part], -np.inf)
            yield part, margins.min(axis=1)

    @cached_property
    def lower(self) -> Array:
        """Lower bound on the best margin after each move: the largest of the smallest margins so far."""
        least = np.full(len(self.coordinates), -np.inf)
        for part, margins in self.margins():
            least[part] = margins
        return np.maximum.accumulate(least)

    @cached_property
    def upper(self) -> Array:
        """Upper bound on the best margin: ``‖w − w₀‖/Σ τ``, the smallest so far, ∞ where the run bounds nothing."""
        if math.isinf(self.trace.margin_bounds[1]):
            return np.full(len(self.coordinates), math.inf)
        moved = self.norms
        if self.trace.data.kernel is None:
            moved = self._lengths(self.coordinates - self.coordinates[:1], self.biases - self.biases[:1])
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = np.where(self.tau > 0, moved / self.tau, math.inf)
        return np.minimum.accumulate(quotient.min(axis=1))
