"""Beyond one machine: shards of the data on the workers of a Dask cluster, mixed after every pass.

fitting.py       ``fit``: an estimator, data, a cluster
job.py           a run from its first look at the shards to its verdict, without scikit-learn: for applications
sources.py       data as shards: arrays, frames;  bags.py  bags;  file_sources.py  files;  sentences.py  sentences
in_memory.py     a shard in a worker's memory;  streamed.py  one that is read again in every pass;  files.py  its files
tasks.py         what workers do: pure functions, so that Dask may run any of them again
sharded.py       the passes of a mixed learner, as tasks
cluster.py       Dask, or this process; what went wrong with it, in a sentence
checkpoints.py   a run in a file after every pass, and from there on
records.py       what each pass came to
"""

from .cluster import ClusterError
from .fitting import fit
from .records import PassRecord

__all__ = ["ClusterError", "PassRecord", "fit"]
