"""The parser, the types of values, and the options that several commands share. It imports nothing but argparse."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NoReturn

from .terminal import UsageError

WRITTEN = ("svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow")
FORMATS = (*WRITTEN, "text")
#: Formats of sentences, for taggers.
OF_SENTENCES = ("conll", "conllu", "tagged-json", "words")


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal, which argparse asks ``shutil``, and that imports more than all other options need."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, **{"width": _columns() - 2, **options})


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size().columns or 80
    except (ValueError, OSError):
        return 80


class Parser(argparse.ArgumentParser):
    """A parser whose help begins with an example."""

    def __init__(self, *, example: str = "", **options: Any) -> None:
        options.setdefault("formatter_class", HelpFormatter)
        super().__init__(allow_abbrev=False, **options)
        self.example = example

    def format_help(self) -> str:
        """The example, the usage in one line, then argparse's help."""
        self.usage = self.brief()
        return f"example: {self.example}\n\n{super().format_help()}"

    def format_usage(self) -> str:
        return f"usage: {self.brief()}\n"

    def brief(self) -> str:
        """The command with its required arguments."""
        words = [self.prog]
        for action in self._actions:
            if not action.option_strings:
                metavar = str(action.metavar)
                words.append({"?": f"[{metavar}]", "+": f"{metavar}..."}.get(str(action.nargs), metavar))
        words += [f"{a.option_strings[0]} {a.metavar}" for a in self._actions if a.option_strings and a.required]
        return " ".join([*words, "[options]"])

    def error(self, message: str) -> NoReturn:
        """One sentence, and where to read more."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or the version; argparse would hide that standard output is closed."""
        print(message, end="", file=file)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            among = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action, f"unknown value {value!r}{nearest(str(value), among)}; choose from {', '.join(among)}"
            )

    def _takes_words(self) -> bool:
        """Whether there is an argument that may be any text or file."""
        return any(not action.option_strings and action.choices is None for action in self._actions)

    def _match_arguments_partial(self, actions: Sequence[argparse.Action], arg_strings_pattern: str) -> list[int]:
        """How many words each argument takes; one that may be left out waits for those behind the next option.

        To argparse, but for newer versions, it is left out if the next word is an option.
        """
        taken: list[int] = super()._match_arguments_partial(actions, arg_strings_pattern)
        while taken and not taken[-1] and "O" in arg_strings_pattern:
            del taken[-1]
        return taken

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse, and refuse an unknown option here, where the known ones can be suggested."""
        arguments, rest = super().parse_known_args(args, namespace)
        for word in rest:
            if word.startswith("-"):
                meant = nearest(word.partition("=")[0], self._option_string_actions)
                no_option = "; what begins with a dash and is no option goes behind --"
                self.error(f"unknown option {word}{meant or no_option * self._takes_words()}")
        if rest:
            self.error(f"unexpected argument {rest[0]!r}")
        return arguments, rest


def nearest(name: str, among: Iterable[str]) -> str:
    """“ (did you mean …?)” if a known name is similar."""
    import difflib

    close = difflib.get_close_matches(name.replace("_", "-"), list(among), 1, 0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def names(text: str) -> list[str]:
    """Names separated by commas; a name with a comma in it is in double quotes, as in CSV."""
    import csv

    return [name.strip() for row in csv.reader([text], skipinitialspace=True) for name in row if name.strip()]


def count(text: str) -> int:
    """A positive whole number."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def memory(text: str) -> int:
    """Bytes, such as 2GB."""
    from ..data.memory_limit import parse_limit

    try:
        limit = parse_limit(text)
    except ValueError:
        limit = None
    if limit is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 2GB")
    return limit


def number(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def numbers(text: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    return tuple(number(part) for part in text.split(","))


def numbers_of_labels(text: str) -> dict[str, float]:
    """A number for each label, such as neg=-1,pos=1."""
    try:
        return {name: float(number) for name, number in (pair.rsplit("=", 1) for pair in names(text))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list such as neg=-1,pos=1") from None


def number_from_0(text: str) -> float:
    """A finite number of at least 0."""
    if not 0 <= number(text) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number of at least 0")
    return float(text)


def budget(text: str) -> str:
    """small, medium, large, or a number of configurations."""
    if text not in ("small", "medium", "large") and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is neither small, medium or large nor a number of configurations")
    return text


def seconds(text: str) -> float:
    """A positive number, or inf."""
    if not number(text) > 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number of seconds")
    return float(text)


def whole(text: str) -> int:
    """A whole number of at least 0."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def characters(text: str) -> tuple[int, int] | Literal["none"]:
    """The shortest and the longest n-grams, such as 2-5, or none."""
    if text == "none":
        return "none"
    low, _, high = text.partition("-")
    if not (low.isascii() and low.isdigit() and high.isascii() and high.isdigit() and 1 <= int(low) <= int(high)):
        raise argparse.ArgumentTypeError(f"{text!r} is neither none nor lengths such as 2-5, the shortest first")
    return int(low), int(high)


def fraction_or_file(text: str) -> float | str:
    """A share of the rows, above 0 and at most 0.5, or the name of a file."""
    try:
        share = float(text)
    except ValueError:
        return text
    if not 0 < share <= 0.5:
        raise argparse.ArgumentTypeError(
            f"{text} is not a share of the rows to hold out; it must be above 0 and at most 0.5"
        )
    return share


def add_files(parser: argparse.ArgumentParser) -> None:
    """The files to read."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="files, glob patterns in quotes, or - for standard input"
    )


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model to use."""
    parser.add_argument("model", metavar="MODEL", help="a model file")


def add_json(parser: argparse.ArgumentParser) -> None:
    """The result for machines."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_passes(parser: argparse.ArgumentParser, text: str, default: int | None = None) -> None:
    """How many passes."""
    parser.add_argument("--passes", "--max-iter", metavar="N", type=count, default=default, help=text)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """The seed of a run."""
    parser.add_argument(
        "--seed", "--random-state", metavar="N", type=whole, default=0,
        help="seed of all random choices, such as shuffling (default: %(default)s)",
    )  # fmt: skip


def add_reading(parser: argparse.ArgumentParser, sentences: bool = False) -> argparse._ArgumentGroup:
    """How files are read, and whether these may be files of sentences."""
    group = parser.add_argument_group("reading files")
    group.add_argument(
        "--format",
        choices=(*FORMATS, *OF_SENTENCES) if sentences else FORMATS,
        help="format of the files (default: guessed from the name and the first lines)",
    )
    group.add_argument("--delimiter", metavar="C", help="character between the values of a CSV file (default: guessed)")
    group.add_argument(
        "--header", action=argparse.BooleanOptionalAction, default=None,
        help="the first line of a CSV file names its columns, or it does not and they are called c1, c2, … "
        "(default: guessed)",
    )  # fmt: skip
    group.add_argument(
        "--label-from", choices=("file", "folder"),
        help="read plain text, a document per line, labelled by the name of its file or folder",
    )  # fmt: skip
    group.add_argument(
        "--zero-based",
        choices=("auto", "yes", "no"),
        help="whether svmlight indices start at 0 (default: auto, at 1 unless an index is 0)",
    )
    group.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="at a row that cannot be read: stop, or skip and count it (default: %(default)s)",
    )
    group.add_argument(
        "--encoding", metavar="NAME", help="encoding of text, such as latin-1, cp1252 or utf-16 (default: UTF-8)"
    )
    group.add_argument(
        "--encoding-errors",
        choices=("strict", "replace"),
        help="at bytes that are not UTF-8: stop, or replace them by U+FFFD (default: strict)",
    )
    group.add_argument(
        "--block-rows", metavar="N", type=count, help="rows per block that is read (default: 8192, or 4 MiB of text)"
    )
    group.add_argument(
        "--memory",
        metavar="SIZE",
        type=memory,
        help="memory limit for rows, such as 2GB (default: 3/4 of what is available)",
    )
    return group


def column(text: str) -> int | str:
    """A column of a file of sentences: its number, from 1, or its name."""
    return int(text) if text.isascii() and text.isdigit() else text


def columns(text: str) -> tuple[int | str, ...]:
    """Columns of a file of sentences, separated by commas."""
    return tuple(map(column, names(text)))


def add_sentences(parser: argparse.ArgumentParser, trained: bool = False) -> None:
    """Which column of a file of sentences is what; ``trained``: unless options say otherwise, as in training."""
    group = parser.add_argument_group("files of sentences")

    def default(text: str) -> str:
        return f"(default: {'as in training' if trained else text})"

    group.add_argument(
        "--tag", metavar="NAME|N", type=column,
        help="column of the tags: its number, or its name in CoNLL-U; the name of the tags in JSON lines "
        + default("the last column; upos in CoNLL-U; tags in JSON lines"),
    )  # fmt: skip
    group.add_argument(
        "--columns", metavar="COLUMNS", type=columns,
        help="columns that features are made of, separated by commas "
        + default("all but the tag; in CoNLL-U form alone"),
    )  # fmt: skip
    group.add_argument(
        "--tokens", metavar="NAME", help="name of the tokens in JSON lines " + default("tokens")
    )  # fmt: skip


def add_columns(group: argparse._ArgumentGroup) -> None:
    """Which column of a table is what."""
    group.add_argument("--label", metavar="NAME", help="column of the labels (default: guessed)")
    for kind in ("text", "numeric", "categorical"):
        group.add_argument(
            f"--{kind}", metavar="NAMES", type=names, help=f"{kind} columns, separated by commas (default: guessed)"
        )
    group.add_argument("--drop", metavar="NAMES", type=names, help="columns to leave out, separated by commas")
    group.add_argument("--weight", metavar="NAME", help="column of example weights (default: all weights are 1)")
    add_label_type(group, "guessed")


def add_label_type(group: argparse._ArgumentGroup, default: str) -> None:
    """What labels are."""
    types = ("integer", "number", "boolean", "text")
    group.add_argument("--label-type", choices=types, help=f"type of the labels (default: {default})")


def add_encoding(parser: argparse.ArgumentParser, **fixed: Any) -> None:
    """How tables become rows of numbers; what is fixed cannot be chosen."""
    group = parser.add_argument_group("features of tables")

    def add(option: str, text: str, **settings: Any) -> None:
        if option[2:].replace("-", "_") not in fixed:
            group.add_argument(option, help=text, **settings)

    default = "(default: %(default)s)"
    chosen = "(default: chosen on a part of the rows)"
    add(
        "--analyzer", "n-grams of words, of characters, or of the characters of each word (default: word; char for "
        "text in a script without spaces between words)", choices=("word", "char", "char_wb"),
    )  # fmt: skip
    add("--ngrams", "longest n-grams (default: 2 words or 3 characters)", metavar="N", type=count)
    add(
        "--symbols", "read every punctuation mark, sign and emoji as a word (default: yes)",
        action=argparse.BooleanOptionalAction, default=None,
    )  # fmt: skip
    add("--min-length", "characters of a word (default: 1; with --no-symbols 2)", metavar="N", type=count)
    add(
        "--characters", "join to the words of a text the n-grams of the characters of each word, of so many "
        f"characters, or none {chosen}", metavar="MIN-MAX|none", type=characters,
    )  # fmt: skip
    add(
        "--weighting", f"value of an n-gram in a row: 1, its count c, or 1 + log c {chosen}",
        choices=("binary", "count", "log"),
    )  # fmt: skip
    add("--no-idf", "do not multiply n-grams by their inverse document frequency", action="store_true")
    add(
        "--supervised", "multiply n-grams by how unevenly the classes have them (default: yes, but for a regression)",
        action=argparse.BooleanOptionalAction, default=None,
    )  # fmt: skip
    add(
        "--norm", "scale rows of text, or of svmlight and Vowpal Wabbit files, to norm 1, or leave them (default: l2 "
        "for text and for rows of which less than 1/8 is not 0)",
        choices=("l2", "none"),
    )  # fmt: skip
    add("--negation", "prefix words after an English negation by not_", action="store_true")
    add(
        "--bits", "hash each text column to 2^B features (default: 22, or 23 for n-grams of three words or more; "
        "fewer with more than ten text columns)",
        metavar="B", type=count,
    )  # fmt: skip
    add(
        "--named-rows", f"keep the words of the first N rows, for explain to name features {default}",
        metavar="N", type=whole, default=2_000,
    )  # fmt: skip
    add(
        "--standardise", "bring numeric columns, or the features of svmlight and Vowpal Wabbit files, to mean 0 and "
        "deviation 1, or leave them (default: numeric columns, and features of rows of which at least 1/8 is not 0)",
        action=argparse.BooleanOptionalAction, default=None,
    )  # fmt: skip
    add_missing(group, "raise")
    parser.set_defaults(**fixed)


def add_missing(group: argparse._ArgumentGroup, default: str | None) -> None:
    """What to do about missing values; None: what was done in training."""
    group.add_argument(
        "--missing", choices=("raise", "absent"), default=default,
        help="at a missing value: stop, or leave the feature out of the row; with --on-error skip: skip the row, or "
        f"leave the feature out of it (default: {default or 'as in training'})",
    )  # fmt: skip


#: Those of them that say how text is read.
OF_TEXT = (
    "analyzer", "ngrams", "symbols", "min_length", "characters", "weighting", "no_idf", "supervised", "negation",
)  # fmt: skip


def encoding_defaults() -> dict[str, Any]:
    """How tables become rows of numbers unless options say otherwise."""
    parser = argparse.ArgumentParser()
    add_encoding(parser)
    return vars(parser.parse_args([]))


#: Words as they are for exact questions: of two letters or more, counted and not weighed.
COUNTED_WORDS = {
    "analyzer": "word", "symbols": False, "min_length": 2, "characters": "none", "weighting": "count", "no_idf": True,
    "supervised": False, "norm": "none", "ngrams": 1,
}  # fmt: skip


def add_small_files(parser: argparse.ArgumentParser) -> None:
    """Small files for exact questions: words are counted and not weighted, numbers are not standardised."""
    add_files(parser)
    add_columns(add_reading(parser))
    add_encoding(parser, no_idf=True, supervised=False, standardise=False, named_rows=1 << 31)
    parser.set_defaults(**COUNTED_WORDS)
