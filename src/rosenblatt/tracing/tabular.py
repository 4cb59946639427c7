"""What is shown as a table: in a terminal, a notebook, Markdown or LaTeX."""

from __future__ import annotations

import sys

from ..tables import Table

#: How many steps a printed trace shows before it leaves out the middle.
LIMIT = 60
#: A wider table is folded in plain text.
ACROSS = 128


class Tabular:
    """A record that has a table, and all the forms of that."""

    def table(self) -> Table:
        """The steps as cells of text under headings, with a title and the closing sentences."""
        raise NotImplementedError

    def to_text(self, limit: int | None = None) -> str:
        """Aligned plain text, folded at 128 columns; of more than ``limit`` steps the middle is left out."""
        return "\n\n".join(part.text(limit) for part in self.table().folded(ACROSS, limit))

    def __str__(self) -> str:
        return self.to_text(LIMIT)

    __repr__ = __str__

    def show(self, limit: int | None = LIMIT) -> None:
        """Print it as plain text, folded to the width of the terminal."""
        if sys.stdout.isatty():
            self.table().show(limit)
        else:
            print(self.to_text(limit))

    def _repr_html_(self) -> str:
        return self.to_html(LIMIT)

    def to_html(self, limit: int | None = None) -> str:
        """A table of HTML, as a notebook shows it."""
        return self.table().html(limit)

    def to_markdown(self, limit: int | None = None) -> str:
        """A table of Markdown."""
        return self.table().markdown(limit)

    def to_latex(self, limit: int | None = None) -> str:
        """A ``tabular`` of LaTeX that needs no package."""
        return self.table().latex(limit)
