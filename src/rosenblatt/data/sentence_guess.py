"""Whether a file holds sentences, and in which format: by its name, else by its first lines.

It imports no reader of sentences: tables are asked this too, and need none of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from .chunks import heads
from .sources import Source, stem, suffix

#: What the names of files of sentences end in.
SUFFIXES = {
    ".conll": "conll", ".iob": "conll", ".iob2": "conll", ".bio": "conll", ".bioes": "conll", ".conllu": "conllu",
    ".conllup": "conllu",
}  # fmt: skip
JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
#: Names that tell of a table, whatever the lines look like.
_TABLES = (".csv", ".tsv", ".tab")
_HEAD, _LOOKED_AT = 1 << 16, 500  # bytes, and lines of them


def guess_sentence_format(source: Source) -> str | None:
    """The name of the format of a file of sentences; None: it does not seem to be one.

    It is known by its name (`SUFFIXES`), by a list called ``tokens`` in its first object, by a first line that CoNLL-U
    has, or by the look of its first lines: see `looks_like_columns`.
    """
    name = suffix(stem(source.inner_name or source.name))
    if name in SUFFIXES:
        return SUFFIXES[name]
    head = source.peek(_HEAD)
    if name in JSON_SUFFIXES or head.lstrip()[:1] in (b"{", b"["):
        return "tagged-json" if holds_tokens(source) else None
    if head.removeprefix(b"\xef\xbb\xbf").startswith((b"# global.columns", b"# newdoc", b"# sent_id")):
        return "conllu"
    if name in _TABLES:
        return None
    lines = re.split(rb"\r*\n|\r", head)  # also those that the readers refuse, and say why
    lines = lines if len(head) < _HEAD else lines[:-1]
    return "conll" if looks_like_columns(lines[:_LOOKED_AT]) else None


def looks_like_columns(lines: Sequence[bytes]) -> bool:
    """Whether the first lines of a file are those of sentences in CoNLL columns, by their look alone.

    They are if blank lines divide them into three groups or more, of two lines on average or more, and every line has
    the same number of columns, two or more, separated by blanks.
    """
    groups, n_lines, within = 0, 0, False
    counts: set[int] = set()
    for line in lines:
        if not line.strip():
            within = False
            continue
        if line.startswith(b"#") and not counts:
            continue
        groups, within = groups + (not within), True
        counts.add(line.count(b"\t") + 1 if b"\t" in line else len(line.split()))
        n_lines += 1
    return groups >= 3 and n_lines >= 2 * groups and len(counts) == 1 and counts.pop() >= 2


def holds_tokens(source: Source) -> bool:
    """Whether the first object of JSON lines, or of an array, has a list called ``tokens``."""
    from .json_lines import elements, is_array

    head, _ = next(heads(source))
    try:
        line = next(elements([head], source.name), b"") if is_array(head) else head.lstrip()
        row = json.loads(line.split(b"\n")[0])
    except ValueError:
        return False
    return isinstance(row, dict) and isinstance(row.get("tokens"), list)
