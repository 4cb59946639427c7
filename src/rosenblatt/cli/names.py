"""What the columns of a model's rows are called: words, categories, columns of the table, or numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..data import Block
from ..data.encoder import hash_names
from .features import Features, TextColumn


def of_columns(features: Features, columns: Sequence[int]) -> list[str]:
    """Names of columns as far as training met them; ``#`` and the number of a column that has none."""
    found: dict[int, list[str]] = {}
    wanted = np.asarray(columns, np.int64)
    if features.encoder is None:
        first = 0 if getattr(features.format, "zero_based", None) is True else 1
        numbered = getattr(features.format, "name", "") != "vw"
        return [str(column + first) if numbered else f"#{column}" for column in wanted.tolist()]
    for column, name in enumerate(features.encoder.columns.numeric or ()):
        found[column] = [name]
    for name in features.categories.met:
        found.setdefault(_category(features, name), []).append(name)
    for prefix, start, text in _texts(features):
        inside = wanted[(wanted >= start) & (wanted < start + text.n_columns)]
        if text.hashing.names is not None and len(inside):
            for column, names in zip(inside.tolist(), text.hashing.names_of(inside - start)):
                found[column] = [prefix + name for name in names]
    return [" | ".join(found.get(column, ())) or f"#{column}" for column in wanted.tolist()]


def of_row(features: Features, block: Block, row: int) -> dict[int, str]:
    """Names of the columns that a row of a table has, from what stands in it."""
    found: dict[int, list[str]] = {}
    encoder = features.encoder
    if encoder is None:
        assert block.csr is not None
        columns = block.csr.rows(row, row + 1).indices.tolist()
        return dict(zip(columns, of_columns(features, columns)))
    for column, name in enumerate(encoder.columns.numeric or ()):
        found[column] = [name]
    for name in encoder.columns.categorical or ():
        pair = f"{name}={block.table[name][row].as_py()}"
        found.setdefault(_category(features, pair), []).append(pair)
    for name, (prefix, start, text) in zip(encoder.columns.text or (), _texts(features)):
        for ngram, column, _ in text.hashing.features(block.table[name][row].as_py() or ""):
            found.setdefault(start + column, []).append(prefix + ngram)
    return {column: " | ".join(told) for column, told in found.items()}


def _category(features: Features, name: str) -> int:
    encoder = features.encoder
    assert encoder is not None
    return len(encoder.columns.numeric or ()) + int(hash_names([name])[0]) % (1 << encoder.bits)


def _texts(features: Features) -> Iterator[tuple[str, int, TextColumn]]:
    """Each text column: what its n-grams are prefixed by, its first column, its encoder."""
    encoder = features.encoder
    assert encoder is not None
    names = encoder.columns.text or ()
    start = encoder.n_features - sum(encoder.text[name].n_columns for name in names)
    for name in names:
        text = encoder.text[name]
        assert isinstance(text, TextColumn)
        yield f"{name}: " if len(names) > 1 else "", start, text
        start += text.n_columns
