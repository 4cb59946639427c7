"""Sets of templates: the built-in one for words, and that of CRFsuite's example of chunking."""

from __future__ import annotations

from functools import lru_cache

from .templates import Templates

#: Of words: what a word is and looks like, its neighbours, and pairs with them.
_WORDS = """\
word=%x[0,0]
lower=%lower[0,0]
lower[-2]=%lower[-2,0]
lower[-1]=%lower[-1,0]
lower[1]=%lower[1,0]
lower[2]=%lower[2,0]
lower[-1,0]=%lower[-1,0]/%lower[0,0]
lower[0,1]=%lower[0,0]/%lower[1,0]
prefix1=%lower.prefix1[0,0]
prefix2=%lower.prefix2[0,0]
prefix3=%lower.prefix3[0,0]
prefix4=%lower.prefix4[0,0]
suffix1=%lower.suffix1[0,0]
suffix2=%lower.suffix2[0,0]
suffix3=%lower.suffix3[0,0]
suffix4=%lower.suffix4[0,0]
suffix5=%lower.suffix5[0,0]
suffix2[-1,0]=%lower.suffix2[-1,0]/%lower.suffix2[0,0]
suffix2[0,1]=%lower.suffix2[0,0]/%lower.suffix2[1,0]
shape=%shape[0,0]
shape[-1,0]=%shape[-1,0]/%shape[0,0]
shape[0,1]=%shape[0,0]/%shape[1,0]
"""

#: Of each further column: its strings around the token, and pairs and triples of them.
_COLUMN = """column{c}[-2]=%x[-2,{c}]
column{c}[-1]=%x[-1,{c}]
column{c}=%x[0,{c}]
column{c}[1]=%x[1,{c}]
column{c}[2]=%x[2,{c}]
column{c}[-2,-1]=%x[-2,{c}]/%x[-1,{c}]
column{c}[-1,0]=%x[-1,{c}]/%x[0,{c}]
column{c}[0,1]=%x[0,{c}]/%x[1,{c}]
column{c}[1,2]=%x[1,{c}]/%x[2,{c}]
column{c}[-2,-1,0]=%x[-2,{c}]/%x[-1,{c}]/%x[0,{c}]
column{c}[-1,0,1]=%x[-1,{c}]/%x[0,{c}]/%x[1,{c}]
column{c}[0,1,2]=%x[0,{c}]/%x[1,{c}]/%x[2,{c}]
"""

#: The templates of CRFsuite's ``example/chunking.py``, over words and parts of speech; the identifiers are CRF++'s.
CHUNKING = Templates(
    """
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
""",
    edges="crfsuite",
)


@lru_cache
def words(n_columns: int) -> Templates:
    """The built-in set of templates.

    Parameters
    ----------
    n_columns : int
        How many columns tokens have: the word first; each further one brings templates of its own.
    """
    text = _WORDS + "".join(_COLUMN.format(c=column) for column in range(1, n_columns))
    return Templates(text.strip())
