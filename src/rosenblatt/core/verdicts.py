"""How a run of a classifier can end."""

SEPARATED, NO_MARGIN, STOPPED = VERDICTS = "separated", "no margin", "stopped"

#: "no margin" ends no run before so many passes: a proof may come long before the weights are of any use. A run that
#: they have not separated is looked through for equal rows of different labels.
PASSES_BEFORE_NO_MARGIN = 10
