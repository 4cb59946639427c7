"""Points from text that was pasted: a small table of numbers with a label, or phrases with a label."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from .requests import LARGEST, LONGEST_NAME, MOST_CLASSES, MOST_FEATURES, MOST_POINTS, RequestError

#: Characters of a table at most.
LONGEST = 50_000
#: Names of a column that holds the labels, the surest first; without one of these it is the last.
LABELS = ("label", "class", "target", "sentiment", "y")


def table(text: Any, pairs: Any) -> dict[str, Any]:
    """Points of a table: each line is one, its label in a column of that name or the last."""
    if not isinstance(text, str) or not isinstance(pairs, bool):
        raise RequestError("csv must be text, and pairs true or false")
    if len(text) > LONGEST:
        raise RequestError(f"{len(text):,} characters are too many: {LONGEST:,} at most")
    lines = _lines(text)
    if not lines:
        raise RequestError("There is nothing to read: paste lines such as 1.5, 2, +1")
    (place, first), width = lines[0], len(lines[0][1])
    if width < 2:
        raise RequestError(
            f"line {place}: a line needs a number and a label at least, separated by commas; got {first!r}"
        )
    for place, cells in lines:
        if len(cells) != width:
            raise RequestError(
                f"line {place}: {len(cells)} cell{'s'[: len(cells) != 1]}, but the first line has {width}"
            )
    heading = _heading(lines)
    if heading:
        lines = lines[1:]
    if not lines:
        raise RequestError("There is a heading, but no points below it")
    if len(lines) > MOST_POINTS:
        raise RequestError(f"{len(lines)} points are too many: the page draws {MOST_POINTS} at most")
    called = [name.lower() for name in heading or ()]
    at = next((called.index(name) for name in LABELS if name in called), width - 1)
    labels = [(place, cells[at]) for place, cells in lines]
    features = [(place, [cell for j, cell in enumerate(cells) if j != at]) for place, cells in lines]
    names = [name for j, name in enumerate(heading) if j != at] if heading else None
    if width == 2 and not any(_number(cells[0]) is not None for _, cells in features):
        points = phrases([(cells[0], name) for (_, cells), (_, name) in zip(features, labels)], pairs)
    else:
        points = _numbers(features, names) | _classes(labels)
    if len(set(points["labels"])) < 2:
        return _with_another(points, labels[0][1])
    return points


def phrases(labelled: Sequence[tuple[str, str]], pairs: bool) -> dict[str, Any]:
    """Phrases with their labels as counts of words, and of pairs of words."""
    texts = [text for text, _ in labelled]
    grams = [ngrams(text, pairs) for text in texts]
    if not any(grams):
        raise RequestError("the documents hold no n-grams: they are empty, or hold nothing but stop words")
    names = sorted({name for each in grams for name in each})
    if len(names) > MOST_FEATURES:
        words = f"{len(names)} different words{' and pairs' * pairs}"
        raise RequestError(f"the phrases have {words}: the page shows {MOST_FEATURES} at most")
    first = {name: next(i for i, each in enumerate(grams) if name in each) for name in names}
    names.sort(key=lambda name: (" " in name, first[name], name))
    counts = [[float(each.count(name)) for name in names] for each in grams]
    points = {"points": counts, "names": names, "captions": texts}
    return points | _classes([(i, name) for i, (_, name) in enumerate(labelled, 1)])


def ngrams(text: str, pairs: bool) -> list[str]:
    """The words of a text as ``rb.text.Analysis`` reads them, and its pairs of words."""
    words = re.findall(r"\b\w\w+\b", text.lower())
    return words + [f"{a} {b}" for a, b in pairwise(words)] * pairs


def _lines(text: str) -> list[tuple[int, list[str]]]:
    """The lines that are not empty, with their numbers, as cells."""
    separator = next((mark for mark in ("\t", ";", ",") if mark in text), " ")
    reader = csv.reader(text.removeprefix("\ufeff").splitlines(), delimiter=separator, skipinitialspace=True)
    try:
        return [(reader.line_num, [c.strip() for c in cells]) for cells in reader if any(c.strip() for c in cells)]
    except csv.Error as error:
        raise RequestError(f"line {reader.line_num}: {error}") from None


def _heading(lines: list[tuple[int, list[str]]]) -> list[str] | None:
    """The first line, if it names the columns: one of them as labels are, or none of it a number where the next has."""
    first = lines[0][1]
    named = any(name.lower() in LABELS for name in first)
    numbers = [any(_number(cell) is not None for cell in cells) for _, cells in lines[:2]]
    return first if named or (len(numbers) == 2 and numbers == [False, True]) else None


def _numbers(features: list[tuple[int, list[str]]], names: list[str] | None) -> dict[str, Any]:
    if len(features[0][1]) > MOST_FEATURES:
        raise RequestError(f"{len(features[0][1])} columns of numbers are too many: {MOST_FEATURES} at most")
    points = []
    for place, cells in features:
        point = [_number(cell) for cell in cells]
        for cell, value in zip(cells, point):
            if value is None or abs(value) > LARGEST:
                raise RequestError(f"line {place}: {cell!r} is no number from −{LARGEST:,.0f} to {LARGEST:,.0f}")
        points.append(point)
    if names is not None and (len(set(names)) < len(names) or max(map(len, names)) > LONGEST_NAME or "" in names):
        raise RequestError(
            f"the columns need different names of 1 to {LONGEST_NAME} characters, got {', '.join(names)}"
        )
    return {"points": points, "names": names}


def _classes(labels: list[tuple[int, str]]) -> dict[str, Any]:
    """Labels as class numbers: −1 and +1 go by their signs, all others by their names in order."""
    for place, name in labels:
        if not 1 <= len(name) <= LONGEST_NAME:
            raise RequestError(f"line {place}: a label has 1 to {LONGEST_NAME} characters, got {name!r}")
    signs = {"-1": 0, "−1": 0, "-": 0, "−": 0, "+1": 1, "1": 1, "+": 1}
    if all(name in signs for _, name in labels):
        return {"labels": [signs[name] for _, name in labels], "classes": None}
    classes = sorted({name for _, name in labels})
    if len(classes) > MOST_CLASSES:
        raise RequestError(f"{len(classes)} classes are too many: the page shows {MOST_CLASSES} at most")
    return {"labels": [classes.index(name) for _, name in labels], "classes": classes}


def _with_another(points: dict[str, Any], only: str) -> dict[str, Any]:
    """Points of one class: in the plane those of another can be placed beside them, elsewhere they must be pasted."""
    if len(points["points"][0]) != 2:
        raise RequestError(f"all lines have the label {only!r}: paste lines of another class too")
    if points["classes"] is not None:
        points["classes"] = sorted([only, "other" if only != "other" else "another"])
        points["labels"] = [points["classes"].index(only)] * len(points["labels"])
    return points


def _number(cell: str) -> float | None:
    try:
        value = float(cell.replace("−", "-"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
