"""What each pass came to: a record, and a line of it in a terminal."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class PassRecord:
    """One pass of all shards.

    Attributes
    ----------
    number : int
        Which pass, from 1.
    mistakes : int or None
        Mistakes of all shards; None: a regression makes none.
    updates : int
        Updates of all shards.
    weighted_mistakes : float
        Σ_n Σ_i μ_{i,n}·k_{i,n} up to here: at most R²/γ² if the data have the margin γ (2R²/γ² with several classes).
    margin : tuple of float
        What is known of the best relative margin, margin/R.
    held_out : float or None
        Share of the held-out rows, or tags, that the mixed readout gets right (R² of a regression).
    seconds : float
        From the start of the pass to its mixed weights.
    shard_seconds : tuple of float
        What each shard's pass took, on its worker.
    workers : int
        How many workers took part.
    bytes_moved : int
        Between processes: the weights to each worker, changed rows between workers, the mixed rows to the client.
    weights_bytes : int
        Of the weights that the pass began with, as they travel.
    shares : tuple of float
        μ of each shard.
    """

    number: int
    mistakes: int | None
    updates: int
    weighted_mistakes: float
    margin: tuple[float, float]
    held_out: float | None
    seconds: float
    shard_seconds: tuple[float, ...]
    workers: int
    bytes_moved: int
    weights_bytes: int
    shares: tuple[float, ...]

    @property
    def slowest(self) -> int:
        """The shard that took longest."""
        return max(range(len(self.shard_seconds)), key=self.shard_seconds.__getitem__)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def __str__(self) -> str:
        words = [f"pass {self.number:>4}"]
        words += [] if self.mistakes is None else [f"{self.mistakes:>9,} mistakes"]
        words += [f"{self.updates:>9,} updates"]
        words += [] if self.held_out is None else [f"held out {self.held_out:.4f}"]
        words += [f"{size(self.bytes_moved):>8} moved", f"{self.seconds:.2f} s"]
        times = self.shard_seconds
        mean = sum(times) / len(times)
        words += [f"shards {mean:.2f} s, slowest {self.slowest}: {times[self.slowest]:.2f} s"]
        return "  ".join(words)


def size(n: int) -> str:
    """Bytes as people read them."""
    for unit in ("B", "kB", "MB", "GB"):
        if n < 1000:
            return f"{n:.3g} {unit}" if unit != "B" else f"{n} B"
        n = n / 1000  # type: ignore[assignment]
    return f"{n:.3g} TB"
