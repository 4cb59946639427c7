"""A run as a film: an HTML page that stands alone, a GIF or an MP4."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

from ..atomic_files import replacing
from ..films import pages
from ..films.storyboard import Storyboard
from ..tracing import Trace


class Animation:
    """A trace that plays: in a notebook, in a browser, or as a film.

    Over two features the boundary moves with each update (in the space of a kernel, the regions); with more features
    and two classes, the weights are drawn as bars. The numbers of each step stand beside the picture, as the trace has
    them.

    Parameters
    ----------
    trace : Trace
        The run, from its beginning.
    steps : {"updates", "all"} or None, default=None
        Which steps are frames; None: all, of more than 200 the updates.
    title : str, default=None
        Above the picture; None: what was run.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1]
    >>> film = rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False), X, y).animate()
    >>> film
    <Animation of 33 frames: Perceptron: 4 rows, separated>
    >>> film.save("run.html")  # doctest: +SKIP
    """

    def __init__(self, trace: Trace, *, steps: str | None = None, title: str | None = None) -> None:
        self.storyboard = Storyboard(trace, steps, title)

    @property
    def n_frames(self) -> int:
        """How many pictures it has."""
        return len(self.storyboard.chosen)

    def __repr__(self) -> str:
        return f"<Animation of {self.n_frames} frames: {self.storyboard.title}>"

    def to_html(self) -> str:
        """A page that stands alone: it loads nothing.

        Returns
        -------
        str
            HTML.
        """
        return pages.to_html(self.storyboard)

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="{html.escape(self.storyboard.title)}" '
            'style="width:100%;height:44rem;border:0"></iframe>'
        )

    def save(self, path: str | os.PathLike[str], *, fps: float = 1.0) -> None:
        """Write it: ``.html`` a page that stands alone, ``.gif`` (matplotlib) or ``.mp4`` (matplotlib and ffmpeg).

        Parameters
        ----------
        path : str or Path
            Where to; its ending says what. A file that is there is replaced by a complete new one, or not at all.
        fps : float, default=1.0
            Frames a second of a film.
        """
        kind = Path(path).suffix.lower()
        content: Any
        if kind in (".html", ".htm"):
            content = self.to_html().encode()
        elif kind in (".gif", ".mp4"):
            from . import film

            content = film.made(self.storyboard, kind, fps)
        else:
            raise ValueError(f"an animation is saved as .html, .gif or .mp4, got {os.fspath(path)!r}")
        with replacing(path) as file:
            file.write(content)
