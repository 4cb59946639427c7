"""The colours of classes, phrases and lines, wherever something is drawn."""

from __future__ import annotations

#: Okabe and Ito's colours, which the colour-blind tell apart; neighbours differ in brightness too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F")


def parts(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour such as ``#0072B2``, from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def letters_on(colour: str) -> str:
    """Black or white, whichever is read better on a colour: the larger contrast of WCAG 2's."""
    light = sum(
        weight * (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4)
        for weight, part in zip((0.2126, 0.7152, 0.0722), (value / 255 for value in parts(colour)))
    )
    return "#000000" if (light + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"
