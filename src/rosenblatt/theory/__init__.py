"""What can be proved of data and weights: margins, bounds, separability with certificates. SciPy solves the programmes."""
