"""Learning in the space of a kernel: weights are sums of examples.

kernels.py         the kernels, as functions of two blocks of rows
arrays.py          the array libraries they run on: NumPy, CuPy, PyTorch
rows.py            rows seen through a kernel, and the examples kept of them
score_cache.py     the scores of all rows, kept up to date from one pass to the next
learner.py         the learner: blocks, history, bounds, readouts
budgets.py         which example is evicted when at most so many are kept
budget_learner.py  the learner on a budget
cuda.py            the walk through a block on a CUDA device
"""
