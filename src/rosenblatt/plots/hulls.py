"""A certificate that no boundary exists, as a picture: a point that lies among the points of both classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


@dataclass(frozen=True)
class Hulls:
    """Points of each class that have a weight λ, and where their weighted means meet.

    ``Σ λ·y·(x, 1) = 0`` says that λ weighs both classes alike, and that both have the same mean: it lies in the convex
    hull of either class, so that no plane can pass between them.
    """

    members: list[Array]
    meeting: Array

    @classmethod
    def of(cls, certificate: Array, X: Array, codes: Array) -> Hulls:
        """That of a certificate with a bias, one weight for each row."""
        weights = np.array([float(weight) for weight in certificate])
        mine = codes == 1
        members = [X[(codes == code) & (weights > 0)] for code in (0, 1)]
        return cls(members, weights[mine] @ X[mine] / weights[mine].sum())

    def draw(self, ax: Axes) -> None:
        """Draw it in the plane."""
        for code, members in enumerate(self.members):
            around = np.argsort(np.arctan2(*(members - members.mean(axis=0)).T[::-1]))
            closed = members[np.append(around, around[0])] if len(members) > 2 else members
            ax.plot(closed[:, 0], closed[:, 1], color=style.COLOURS[code], ls=style.DASHES[code], lw=2, zorder=3)
        ax.scatter(
            self.meeting[:1], self.meeting[1:], marker="*", s=320, color=style.ground(ax), edgecolors=style.ink(ax),
            linewidths=1.6, label="Σ λ·y·(x, 1) = 0", zorder=9,
        )  # fmt: skip
