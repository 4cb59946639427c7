"""The playground: a local web page on which a perceptron learns, one step at a time, driven by the library itself.

serving.py       a free port, the browser, and the server until Ctrl-C
server.py        what the server answers, and what it refuses
answers.py       what can be asked, and the answers: the one door of the page
requests.py      a request: points and settings, read and validated
plans.py         the estimator that settings name: the plan of its run, and how it is written in Python
records.py       a run as the page draws it: every step, its numbers and what is proved so far
formulas.py      a step in formulas with its numbers in them
readouts.py      the model after each step
fields.py        scores over the plane
certificates.py  whether the points can be separated, with the proof to draw
proofs.py        the convergence proof beside a run
lessons.py       scenes with sentences, read from a small file
examples.py      points to begin with
generator.py     points drawn at random, and others that are held out
held_out.py      the error on those
sentences.py     what each word of a sentence adds to its score
lift.py          a kernel of degree 2 as a surface that a plane cuts
race.py          several learners on the same points
pasted.py        points from text
page/            the page: HTML, CSS, and JavaScript modules that draw and ask; they compute nothing of their own

Every request brings all that its answer needs: the server keeps nothing but the last few runs. All but the server is
plain Python, without NumPy and the native core, so that it runs in a browser too: then the page needs no server.
"""
