"""Which features and which learner a file wants: configurations compared on its own rows.

`sample` holds the rows, encoded once for all configurations; `judging` learns from some of them and judges on others;
`halving` drops the worse half of many configurations, again and again, on more and more rows; `choices` has the stated
rules by which `rosenblatt train` chooses among few; `grids` lists what `rosenblatt tune` tries.
"""
