"""The playground inside a notebook: served from this process, shown in a frame."""

from __future__ import annotations

import base64
import html
import json
import threading
from functools import lru_cache
from typing import Any

from .requests import problem


class Player:
    """The playground about some points. A notebook shows it in a frame; elsewhere it tells its address.

    Attributes
    ----------
    address : str
        Of the page, on this machine alone, while this process lives.
    height : int
        Of the frame, in pixels.
    """

    def __init__(self, address: str, height: int) -> None:
        self.address, self.height = address, height

    def __repr__(self) -> str:
        return f"The playground is at {self.address}"

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{html.escape(self.address)}" width="100%" height="{self.height}" '
            'style="border: 1px solid #8886; border-radius: 6px" title="rosenblatt playground"></iframe>'
        )


def play(X: Any = None, y: Any = None, *, step: int = 0, height: int = 760, **settings: Any) -> Player:
    """The playground about these points, inside a notebook (Jupyter, VS Code). ``pip install "rosenblatt[play]"``.

    The page is served by this process to this machine alone, as ``rosenblatt play`` serves it, until the process ends.

    Parameters
    ----------
    X : array or DataFrame of shape (n_samples, n_features), default=None
        The points, at most 100 of 12 features; columns that have names keep them. None: the page's own example.
    y : array of shape (n_samples,), default=None
        Their labels, of 2 to 4 classes.
    step : int, default=0
        Where the run stands.
    height : int, default=760
        Of the frame, in pixels.
    **settings
        As the page has them: ``rule="pa"``, ``space="rbf"``, ``bias=False``, ``passes=20``, ``C=0.1``.

    Returns
    -------
    Player
        What a notebook shows, with its ``address``.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> rb.play([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])  # doctest: +SKIP
    """
    if (X is None) != (y is None):
        raise ValueError("play needs X and y, or neither of them")
    if not isinstance(height, int) or isinstance(height, bool) or not 100 <= height <= 5000:
        raise ValueError(f"height must be a whole number of pixels from 100 to 5,000, got {height!r}")
    link = "" if X is None else "#" + _link(X, y, step, settings)
    if X is None and settings:
        raise ValueError("settings go with points: give X and y too")
    return Player(_address() + link, height)


def _link(X: Any, y: Any, step: int, settings: dict[str, Any]) -> str:
    """The points as a link of the page holds them, validated."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    rows = X.to_numpy() if hasattr(X, "to_numpy") else X
    rows = rows.tolist() if hasattr(rows, "tolist") else [list(row) for row in rows]
    labels = list(y.tolist() if hasattr(y, "tolist") else y)
    if len(labels) != len(rows):
        raise ValueError(f"y must hold one label for each of the {len(rows)} rows of X, got {len(labels)}")
    try:
        classes = sorted(set(labels))
    except TypeError:
        raise ValueError("the labels must be of one type, which can be sorted: words or numbers") from None
    named = None if classes == [-1, 1] else [str(label) for label in classes]
    order = sorted(range(len(classes)), key=lambda c: named[c] if named else c)  # as the page sorts them
    codes = {classes[c]: code for code, c in enumerate(order)}
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        raise ValueError(f"step must be a whole number >= 0, got {step!r}")
    request: dict[str, Any] = {
        "points": rows, "labels": [codes[label] for label in labels], "names": names,
        "classes": sorted(named) if named else None, "settings": settings,
    }  # fmt: skip
    problem(request)  # refuses, by ValueError, what the page cannot show
    short = {"points": "p", "labels": "l", "settings": "s", "names": "n", "classes": "c"}
    link = {short[name]: value for name, value in request.items() if value is not None} | {"t": step}
    text = json.dumps(link, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@lru_cache(maxsize=1)
def _address() -> str:
    """Of the server of this process, which is started when it is first asked for."""
    try:
        from .serving import HOST, bound, server
    except ImportError as error:
        raise ImportError("the playground needs Starlette and uvicorn: pip install 'rosenblatt[play]'") from error
    listening = bound(None)
    threading.Thread(
        target=server(listening, framed=True).run, kwargs={"sockets": [listening]}, daemon=True, name="playground"
    ).start()
    return f"http://{HOST}:{listening.getsockname()[1]}/"
