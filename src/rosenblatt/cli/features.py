"""What makes rows of numbers of blocks, as options or a model say, and the names of their columns."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import data
from ..core.engine import threads
from ..data import Block, Columns, Encoder, features
from ..data.columns import first_columns
from ..data.encoder import category, hash_names
from ..data.features import SECTION, TextColumn, bits_for
from ..data.numbered import Density, Standardised, UnitNorm, scaling_for
from ..text import ENGLISH_NEGATIONS, Hashing
from ..text.defaults import default_hashing
from .terminal import CommandError

if TYPE_CHECKING:
    from ..model_files import Model

__all__ = ["SECTION", "Features"]


class Features(features.Features):
    """What makes rows of numbers of blocks: an encoder of tables, or the format of rows that are numbers already."""

    hashed_names: Mapping[int, Sequence[str]] = MappingProxyType({})  # of Vowpal Wabbit's features, if they were read
    density: Density | None = None  # of the first rows, where they are numbers already and it was measured

    @classmethod
    def asked_for(
        cls, columns: Columns | None, format: Any, arguments: argparse.Namespace, density: Density | None = None
    ) -> Features:
        """For the columns of a table, or a format of numbers, whose scale its density decides unless options do."""
        if columns is None:
            if arguments.bits is not None:
                own = f"hashed to 2^{format.bits}" if isinstance(format, data.VowpalWabbit) else "numbered"
                raise CommandError(
                    f"{{bits}} is of columns of text, and the features of {format.name} files are {own}; leave it out",
                    bits=...,
                )
            made = cls(None, format, _scaling(arguments, density))
            made.density = density
            return made
        bits = arguments.bits or bits_for(len(columns.text or ()), arguments.ngrams or 0)
        return cls.of_table(
            columns, lambda: _hashing(arguments, bits), named_rows=arguments.named_rows,
            standardise=arguments.standardise is not False, missing=arguments.missing,
        )  # fmt: skip

    @classmethod
    def of_model(cls, model: Model, path: str) -> Features:
        """What a model needs, from its file."""
        from ..model_files import refusing

        if SECTION in model.extras:
            with refusing(path):
                return cls.of_section(model.extras[SECTION], model.learner.n_features)
        learner: Any = model.learner
        if learner.space == "kernel" and learner.kernel.name == "precomputed":
            raise CommandError(
                f"{path} has a precomputed kernel, whose values cannot be read from files; use rb.load in Python"
            )
        if "bag_of_words" in model.extras:
            raise CommandError(
                f"{path} reads text with a vocabulary, which the command line cannot; use rb.load in Python"
            )
        if model.columns is not None:  # trained in Python on a frame
            columns = Columns(label=None, numeric=tuple(map(str, model.columns)))
            return cls(Encoder(columns, dtype=model.learner.dtype), None)
        made = cls(None, None)
        made.met = model.learner.n_features
        return made

    @property
    def are_sparse(self) -> bool:
        """Whether rows are numbers already, and are to be treated as those of text are."""
        if self.encoder is not None or isinstance(self.scaling, Standardised):
            return False
        return isinstance(self.scaling, UnitNorm) or (self.density is not None and not self.density.is_dense)

    def in_words(self) -> list[str]:
        """What rows are made from, a line for each text column and one for each other kind."""
        if self.encoder is None:
            return [] if self.format is None else [f"{self.format.name} files"]
        columns, lines = self.encoder.columns, []
        for name in first_columns(columns.text or ()):
            text = self.encoder.text.get(name)
            how = f": {_text_in_words(text.hashing)}" if isinstance(text, TextColumn) else ""
            lines.append(f"text {name}{how}")
        if columns.numeric:
            how = ", standardised" if self.encoder.standardise else ""
            if how and self.encoder.number_weight != 1:
                how += f" and divided by √{len(columns.numeric)}"
            lines.append(f"numbers{how}: {', '.join(first_columns(columns.numeric))}")
        if columns.categorical:
            lines.append(f"categories: {', '.join(first_columns(columns.categorical))}")
        return lines

    def column_names(self, columns: Sequence[int]) -> list[str]:
        """Names of columns as far as they were met in training; else ``#`` and the number of the column."""
        wanted = np.asarray(columns, np.int64)
        if self.encoder is None:
            if isinstance(self.format, data.VowpalWabbit):
                return [" | ".join(self.hashed_names.get(column, ())) or f"#{column}" for column in wanted.tolist()]
            first = 0 if isinstance(self.format, data.Svmlight) and self.format.zero_based is True else 1
            return [str(column + first) for column in wanted.tolist()]
        names = {column: [name] for column, name in enumerate(self.encoder.columns.numeric or ())}
        for name in self.encoder.categories:
            names.setdefault(self._column_of_category(name), []).append(name)
        for prefix, start, text in self._text_columns():
            inside = wanted[(wanted >= start) & (wanted < start + text.n_columns)]
            if text.hashing.names is not None and len(inside):
                for column, ngrams in zip(inside.tolist(), text.hashing.names_of(inside - start)):
                    names[column] = [prefix + ngram for ngram in ngrams]
        return [" | ".join(names.get(column, ())) or f"#{column}" for column in wanted.tolist()]

    def row_names(self, block: Block, row: int) -> dict[int, str]:
        """Names of the columns of one row, by its own words and categories."""
        if self.encoder is None:
            assert block.csr is not None
            own = block.csr.rows(row, row + 1).indices
            columns = (self.scaling.columns if isinstance(self.scaling, Standardised) else own).tolist()
            return dict(zip(columns, self.column_names(columns)))
        names = {column: [name] for column, name in enumerate(self.encoder.columns.numeric or ())}
        for name in self.encoder.columns.categorical or ():
            pair = category(name, block.table[name][row].as_py())
            names.setdefault(self._column_of_category(pair), []).append(pair)
        for name, (prefix, start, text) in zip(self.encoder.columns.text or (), self._text_columns()):
            for ngram, column, _ in text.hashing.features(block.table[name][row].as_py() or ""):
                names.setdefault(start + column, []).append(prefix + ngram)
        return {column: " | ".join(same) for column, same in names.items()}

    def column_weights(self, columns: Any) -> dict[str, Any]:
        """What the columns of text among these, ascending, are multiplied by; NaN for others."""
        found: dict[str, Any] = {}
        for _, start, text in self._text_columns() if self.encoder is not None else ():
            inside = (columns >= start) & (columns < start + text.n_columns)
            for name, weights in text.hashing.column_weights(columns[inside] - start).items():
                found.setdefault(name, np.full(len(columns), np.nan))[inside] = weights
        return found

    def _column_of_category(self, name: str) -> int:
        assert self.encoder is not None
        return len(self.encoder.columns.numeric or ()) + int(hash_names([name])[0]) % (1 << self.encoder.bits)

    def _text_columns(self) -> Iterator[tuple[str, int, TextColumn]]:
        """For each text column the prefix of its n-grams, its first column and its encoder."""
        assert self.encoder is not None
        names = self.encoder.columns.text or ()
        start = self.encoder.n_features - sum(self.encoder.text[name].n_columns for name in names)
        for name in names:
            text = self.encoder.text[name]
            assert isinstance(text, TextColumn)
            yield f"{name}: " if len(names) > 1 else "", start, text
            start += text.n_columns


def _scaling(arguments: argparse.Namespace, density: Density | None) -> UnitNorm | Standardised | None:
    """What brings rows that are numbers already to scale: what options say, else what their density says."""
    standardise, norm = arguments.standardise, arguments.norm
    if standardise and norm == "l2":
        raise CommandError(
            "{standardise} and {norm} exclude each other for rows of numbered features; say one",
            standardise=True, norm="l2",
        )  # fmt: skip
    if standardise or norm == "l2" or density is None:
        return Standardised() if standardise else UnitNorm() if norm == "l2" else None
    by_density = scaling_for(density)
    refused = standardise is False if isinstance(by_density, Standardised) else norm == "none"
    return None if refused else by_density


def _text_in_words(hashing: Hashing) -> str:
    """What n-grams a text is read as, and what each counts."""
    analysis, weighting = hashing.analysis, hashing.weighting
    units = {"word": "words", "char": "characters", "char_wb": "characters of each word"}[analysis.analyzer]
    if analysis.symbols:
        units += " and symbols"
    low, high = analysis.ngrams
    n_grams = (
        f"n-grams of {low} to {high} {units}" if high > low else units if high == 1 else f"n-grams of {high} {units}"
    )
    if hashing.characters is not None:
        n_grams += f", and of {hashing.characters[0]} to {hashing.characters[1]} characters of each word"
    weights = [weighting, *(["idf"] if hashing.idf else []), *(["weight by class"] if hashing.supervised else [])]
    parts = "2 × " if hashing.characters is not None else ""
    return f"{n_grams}; {' × '.join(weights)}; {parts}2^{hashing.bits} columns"


def _hashing(arguments: argparse.Namespace, bits: int) -> Hashing:
    """What hashes text, by options and, where they are left open, by the defaults."""
    if arguments.analyzer not in (None, "word"):
        for name in ("symbols", "min_length", "characters", "negation"):
            if getattr(arguments, name) not in (None, False, "none"):
                problem = f"{{{name}}} is of words, and {{analyzer}} reads characters"
                raise CommandError(problem, analyzer=arguments.analyzer, **{name: ...})
    named = {name: getattr(arguments, name) for name in ("analyzer", "ngrams", "symbols", "min_length", "weighting")}
    return default_hashing(
        bits, **named, negations=ENGLISH_NEGATIONS if arguments.negation else None, idf=not arguments.no_idf,
        norm=None if arguments.norm == "none" else "l2", supervised=bool(arguments.supervised),
        characters=None if arguments.characters in (None, "none") else arguments.characters,
        keep_names=arguments.named_rows > 0, n_threads=threads(),
    )  # fmt: skip
