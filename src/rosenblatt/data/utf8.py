"""Text that must be UTF-8: refused with its place, replaced, or its lines left out."""

from __future__ import annotations

from ..errors import DataError
from .faults import Judge


def check_errors(errors: str) -> None:
    """Refuse what there is not to do about bytes that are not UTF-8."""
    if errors not in ("strict", "replace"):
        raise ValueError(f"encoding_errors must be 'strict' or 'replace', got {errors!r}")


def fault_of(text: bytes, name: str, first_line: int) -> DataError | None:
    """Where text is not UTF-8 first, if anywhere."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line_begin = text.rfind(b"\n", 0, error.start) + 1
        line = first_line + text.count(b"\n", 0, error.start)
        return DataError(
            f"byte 0x{text[error.start]:02x} is not UTF-8 ({error.reason})", "convert the file, or say {}",
            file=name, line=line, byte=error.start - line_begin + 1, parameter="encoding_errors", value="replace",
        )  # fmt: skip
    return None


def checked(text: bytes, errors: str, judge: Judge, name: str, first_line: int) -> bytes:
    """The text as UTF-8. Where the judge skips, lines that are not are left empty: all others keep their number."""
    if text.isascii() or (fault := fault_of(text, name, first_line)) is None:
        return text
    if errors == "replace":
        return text.decode("utf-8", "replace").encode()
    if not judge.skip:
        raise fault
    kept, faults = [], []
    for number, line in enumerate(text.split(b"\n"), first_line):
        wrong = fault_of(line, name, number)
        kept.append(b"" if wrong else line)
        if wrong:
            faults.append(wrong)
    judge.hear(faults)
    return b"\n".join(kept)
