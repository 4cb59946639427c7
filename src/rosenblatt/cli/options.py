"""Options that commands share, and help that begins with an example."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, NoReturn

from .terminal import UsageError

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow")


class Parser(argparse.ArgumentParser):
    """A parser whose help begins with an example."""

    def __init__(self, *, example: str = "", **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)
        self.example = example

    def format_help(self) -> str:
        self.usage = self.brief()
        return f"example: {self.example}\n\n{super().format_help()}"

    def format_usage(self) -> str:
        return f"usage: {self.brief()}\n"

    def brief(self) -> str:
        """The command with what it must be told."""
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
        """Help, or the version; argparse would not say that nobody takes it."""
        print(message, end="", file=file)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            among = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action, f"there is no {value!r}{nearest(value, among)}; choose from {', '.join(among)}"
            )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """The same, with an option that there is not refused here, where those that there are are known."""
        found, rest = super().parse_known_args(args, namespace)
        for word in rest:
            if word.startswith("-"):
                self.error(f"there is no option {word}{nearest(word.partition('=')[0], self._option_string_actions)}")
        if rest:
            self.error(f"{rest[0]!r} is one argument too many")
        return found, rest


def nearest(name: str, among: Iterable[str]) -> str:
    """“ (did you mean …?)” where something is near."""
    import difflib

    close = difflib.get_close_matches(name.replace("_", "-"), list(among), 1, 0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def names(text: str) -> list[str]:
    """Names with commas between them; one that holds a comma stands in double quotes, as in CSV."""
    import csv

    return [name.strip() for row in csv.reader([text], skipinitialspace=True) for name in row if name.strip()]


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def memory(text: str) -> int:
    """Bytes, such as 2GB."""
    from ..data.memory_limit import parse_limit

    try:
        found = parse_limit(text)
    except ValueError:
        found = None
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 2GB")
    return found


def number(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def number_from_0(text: str) -> float:
    """A finite number that is not negative."""
    if not 0 <= number(text) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return float(text)


def seconds(text: str) -> float:
    """A number above 0, or inf."""
    if not number(text) > 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return float(text)


def seed(text: str) -> int:
    """A whole number from 0 on."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def fraction_or_file(text: str) -> float | str:
    """A number between 0 and 1, or the name of a file."""
    try:
        share = float(text)
    except ValueError:
        return text
    if not 0 < share <= 0.5:
        raise argparse.ArgumentTypeError(f"{text} of the rows cannot be held out; say a share above 0, at most 0.5")
    return share


def add_files(parser: argparse.ArgumentParser, many: str = "+") -> None:
    """The files to read."""
    parser.add_argument("files", metavar="FILE", nargs=many, help="files, globs in quotes, or - for standard input")


def add_reading(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """How files are read."""
    group = parser.add_argument_group("reading")
    group.add_argument("--format", choices=FORMATS, help="format of the files (guessed from the name and first lines)")
    group.add_argument("--delimiter", metavar="C", help="what stands between the values of a CSV file (guessed)")
    group.add_argument(
        "--zero-based", choices=("auto", "yes", "no"), help="whether svmlight indices count from 0 (auto)"
    )
    group.add_argument(
        "--on-error", choices=("raise", "skip"), default="raise", help="stop at a faulty row, or count it and go on"
    )
    group.add_argument(
        "--encoding-errors", choices=("strict", "replace"), help="bytes that are not UTF-8: refuse, or replace them"
    )
    group.add_argument(
        "--block-rows", metavar="N", type=count, help="rows in memory at a time (8192, or 4 MiB of text)"
    )
    group.add_argument(
        "--memory", metavar="SIZE", type=memory, help="hold at most so much, such as 2GB (3/4 of what is available)"
    )
    return group


def add_columns(group: argparse._ArgumentGroup) -> None:
    """Which column of a table is what."""
    group.add_argument("--label", metavar="NAME", help="the column of the labels (guessed)")
    group.add_argument("--text", metavar="NAMES", type=names, help="text columns, with commas between them (guessed)")
    group.add_argument("--numeric", metavar="NAMES", type=names, help="columns of numbers (guessed)")
    group.add_argument("--categorical", metavar="NAMES", type=names, help="columns of categories (guessed)")
    group.add_argument("--weight", metavar="NAME", help="a column of importance weights")
    add_label_type(group, "guessed")


def add_label_type(group: argparse._ArgumentGroup, default: str) -> None:
    """What labels are."""
    types = ("integer", "number", "boolean", "text")
    group.add_argument("--label-type", choices=types, help=f"what labels are read as ({default})")


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """How tables become rows of numbers."""
    group = parser.add_argument_group("features of tables")
    group.add_argument("--ngrams", metavar="N", type=count, default=2, help="longest runs of words that count (2)")
    group.add_argument(
        "--weighting", choices=("binary", "count", "log"), default="binary", help="what an n-gram weighs (binary)"
    )
    group.add_argument("--no-idf", action="store_true", help="do not weigh n-grams by how rare they are")
    group.add_argument("--norm", choices=("l2", "none"), default="l2", help="divide rows of text by their norm (l2)")
    group.add_argument("--negation", action="store_true", help="mark words after an English negation by not_")
    group.add_argument(
        "--bits", metavar="B", type=count, help="2^B columns for each text column (22; with many classes fewer)"
    )
    group.add_argument(
        "--named-rows",
        metavar="N",
        type=int,
        default=2_000,
        help="keep the n-grams of the first N rows, for explain (2000)",
    )
    group.add_argument(
        "--no-standardise",
        action="store_true",
        help="take numbers as they are, not less their mean and by their spread",
    )
    group.add_argument(
        "--missing", choices=("raise", "absent"), default="raise", help="a missing value: refuse it, or leave it out"
    )


def encoding_defaults() -> dict[str, Any]:
    """How tables become rows of numbers unless options say otherwise."""
    parser = argparse.ArgumentParser()
    add_encoding(parser)
    return vars(parser.parse_args([]))


def add_whole(parser: argparse.ArgumentParser) -> None:
    """Small files as they are: text is counted, numbers are taken as they stand."""
    add_files(parser)
    add_columns(add_reading(parser))
    add_encoding(parser)
    parser.set_defaults(weighting="count", no_idf=True, norm="none", no_standardise=True, named_rows=1 << 31, ngrams=1)


def add_json(parser: argparse.ArgumentParser) -> None:
    """The result for machines."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
