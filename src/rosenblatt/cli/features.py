"""What makes rows of numbers, as options ask for it, or as a model holds it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..data import Columns, Encoder, features
from ..data.features import SECTION, Categories, TextColumn, bits_for
from ..text import ENGLISH_NEGATIONS, Analysis, Hashing
from .terminal import CommandError

if TYPE_CHECKING:
    from ..model_files import Model

__all__ = ["SECTION", "Features", "TextColumn"]


class Features(features.Features):
    """What makes rows of numbers of blocks: an encoder of tables, or the format of rows that are numbers already."""

    @classmethod
    def asked_for(
        cls, columns: Columns | None, format: Any, arguments: argparse.Namespace, n_vectors: int = 1
    ) -> Features:
        """For the columns of a table, or a format of numbers; ``n_vectors``: of weights, as far as is known."""
        if columns is None:
            return cls(None, format, Categories())
        bits = arguments.bits or bits_for(n_vectors * len(columns.text or ()))
        return cls.of_table(
            columns, lambda: _hashing(arguments, bits), named_rows=arguments.named_rows,
            standardise=not arguments.no_standardise, missing=arguments.missing,
        )  # fmt: skip

    @classmethod
    def of_model(cls, model: Model, path: str) -> Features:
        """What a model needs, from its file."""
        from ..model_files import refusing

        if SECTION in model.extras:
            with refusing(path):
                return cls.of_section(model.extras[SECTION], model.learner.n_features)
        if getattr(getattr(model.learner, "kernel", None), "name", None) == "precomputed":
            raise CommandError(
                f"{path} has a precomputed kernel, whose values with its examples no file holds; use rb.load in Python"
            )
        if "bag_of_words" in model.extras:
            raise CommandError(
                f"{path} reads text by a vocabulary, which the command line does not; use rb.load in Python"
            )
        if model.columns is not None:  # trained in Python on a frame
            columns = Columns(label=None, numeric=tuple(map(str, model.columns)))
            return cls(Encoder(columns, dtype=model.learner.dtype), None, Categories())
        made = cls(None, None, Categories())
        made.met = model.learner.n_features
        return made


def _hashing(arguments: argparse.Namespace, bits: int) -> Hashing:
    from ..core.engine import threads

    analysis = Analysis(
        ngrams=(1, arguments.ngrams),
        decode_error="strict",
        negations=ENGLISH_NEGATIONS if arguments.negation else None,
    )
    return Hashing(
        analysis, bits=bits, weighting=arguments.weighting, idf=not arguments.no_idf,
        norm=None if arguments.norm == "none" else "l2",
        keep_names=arguments.named_rows > 0, n_threads=threads(),
    )  # fmt: skip
