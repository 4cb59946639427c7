"""Writes native/unicode_tables.hpp: lower case, letters and digits, spaces, marks and symbols, as Python has them.

``python scripts/unicode_tables.py`` with the Python whose Unicode version is wanted. The tables are part of what a
model means (another table, other words, other columns), so they change with a release and never with the Python in use.

Every code point has a record: how far its lower case lies from it, and flags. Two tables lead to the record: one
of blocks, one of the places within them. Final sigma and İ, whose lower case is not one code point, are code, not data.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

WORD, SPACE, CASED, IGNORABLE, MARK, SYMBOL = 1, 2, 4, 8, 16, 32
SHIFT = 7
LIMIT = 0x110000


def record(code: int) -> tuple[int, int]:
    """(distance of the lower case, flags) of a code point."""
    if 0xD800 <= code < 0xE000:
        return 0, 0
    char = chr(code)
    lower = char.lower()
    assert len(lower) == 1 or code == 0x130, f"U+{code:04X} has a lower case of {len(lower)} code points"
    # A capital sigma is final after a cased character, where ignorable ones are passed over: so it tells which are.
    ends_word = (char + "Σ").lower().endswith("ς")
    is_passed_over = ("A" + char + "Σ").lower().endswith("ς") and not ends_word
    flags = WORD * (char.isalnum() or char == "_") | SPACE * char.isspace()
    flags |= CASED * ends_word | IGNORABLE * is_passed_over
    category = unicodedata.category(char)
    is_emoji_to_come = category == "Cn" and 0x1F000 <= code < 0x1FB00  # of a later Unicode
    is_symbol = category[0] in "PS" or is_emoji_to_come
    flags |= MARK * (category[0] == "M") | SYMBOL * (is_symbol and not flags & WORD)
    return (ord(lower) - code if len(lower) == 1 else 0), flags


def array(kind: str, name: str, values: list[int]) -> str:
    """A C++ array, in lines that are read by nobody."""
    lines, line = [], ""
    for value in values:
        if len(line) + len(str(value)) > 118:
            lines.append(line)
            line = ""
        line += f"{value},"
    return f"inline constexpr {kind} {name}[] = {{\n" + "\n".join([*lines, line]) + "};\n"


def main() -> None:
    """Write the tables."""
    records: dict[tuple[int, int], int] = {}
    blocks: dict[tuple[int, ...], int] = {}
    index = []
    for start in range(0, LIMIT, 1 << SHIFT):
        places = tuple(records.setdefault(record(code), len(records)) for code in range(start, start + (1 << SHIFT)))
        index.append(blocks.setdefault(places, len(blocks)))
    assert len(records) <= 256
    assert len(blocks) <= 256
    target = Path(__file__).resolve().parents[1] / "native" / "unicode_tables.hpp"
    target.write_text(
        "// Written by scripts/unicode_tables.py; do not edit.\n#pragma once\n\n#include <cstdint>\n\n"
        "// clang-format off\nnamespace rosenblatt::unicode {\n\n"
        f'inline constexpr char kVersion[] = "{unicodedata.unidata_version}";\n'
        f"inline constexpr int kShift = {SHIFT};\n"
        "struct Record { std::int32_t to_lower; std::uint8_t flags; };\n"
        f"enum : std::uint8_t {{ kWord = {WORD}, kSpace = {SPACE}, kCased = {CASED}, kIgnorable = {IGNORABLE}, "
        f"kMark = {MARK}, kSymbol = {SYMBOL} }};\n"
        "inline constexpr Record kRecords[] = {\n"
        + "".join(
            f"{{{distance},{flags}}},{'' if (i + 1) % 12 else chr(10)}" for i, (distance, flags) in enumerate(records)
        )
        + "};\n"
        + array("std::uint8_t", "kBlocks", index)
        + array("std::uint8_t", "kPlaces", [place for block in blocks for place in block])
        + "\n}  // namespace rosenblatt::unicode\n",
        encoding="ascii",
    )
    print(
        f"{target}: Unicode {unicodedata.unidata_version}, {len(records)} records, {len(blocks)} blocks",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
