"""The learners, with NumPy alone: a rule, a readout and a space make one (``spec``), a run teaches it (``learner``)."""
