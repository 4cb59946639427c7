"""The commands, with their help and options. Nothing that a command needs to run is imported for ``--help``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from .. import __version__
from . import options
from .options import Parser

#: Passes over the files, unless --passes names a number.
PASSES = 5
#: And over files of sentences.
TAGGER_PASSES = 10

#: Parameters of taggers alone, which are neither traced nor tuned.
OF_TAGGERS = ("features", "order", "constraints", "cost")
#: Parameters that a trace does not have: its record does not hold what a budget forgets.
_OF_BUDGETS = ("budget", "budget_policy", "projection_tol", "block_size", "cache_size", "device", "precision")
NOT_TRACED = (*_OF_BUDGETS, "class_weight", *OF_TAGGERS)
#: Parameters of kernels alone, which are not tuned.
OF_KERNELS = (*_OF_BUDGETS, "kernel", "gamma", "degree", "coef0")


class Command:
    """A command: the module of this name has its ``run(arguments)``. The first line of ``help`` is its summary."""

    def __init__(self, example: str, text: str, add_options: Callable[[argparse.ArgumentParser], None]) -> None:
        self.example, self.help, self.add_options = example, text, add_options


def parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser of the command line; ``words``: what is to be parsed (None: anything).

    For words that begin with a command it has that command alone, as to make all of them takes its time.
    """
    made = Parser(
        prog="rosenblatt",
        example="rosenblatt train reviews.csv -o mood.model",
        description="Train, evaluate, explain and use models of the perceptron family on files.",
        epilog="rosenblatt COMMAND --help shows the options of a command.",
    )
    made.add_argument("--version", action="version", version=f"rosenblatt {__version__}", help="show the version")
    commands = made.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    first = words[0] if words and words[0] in COMMANDS else None
    for name, command in COMMANDS.items():
        if first not in (None, name):
            continue
        summary = command.help.partition("\n")[0]
        own = commands.add_parser(name, help=summary, description=command.help, example=command.example)
        if words is None or name in words:
            command.add_options(own)
    return made


def _add_algorithms(parser: argparse.ArgumentParser, without: tuple[str, ...] = ()) -> None:
    from . import algorithms  # with the rules, which --version and --help need not

    algorithms.add_options(parser, without)


def _add_held_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--held-out",
        metavar="FILE|SHARE",
        type=options.fraction_or_file,
        help="evaluate the model on this file, or on a share of the rows that it is not trained on (0.1: one of each "
        "ten consecutive rows, drawn by --seed)",
    )


def _train(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="model file to write")
    parser.add_argument(
        "--mappable",
        action="store_true",
        help="write the weights as they stand in memory, so that processes that map the file "
        "(rb.load(MODEL, mmap_mode='r')) share them; the file is larger",
    )
    parser.add_argument(
        "--resume", metavar="MODEL", help="continue training this model, block by block; one pass unless --passes"
    )
    options.add_passes(
        parser, f"passes over the files (default: {PASSES}; of sentences {TAGGER_PASSES}; with --resume: 1)"
    )
    _add_held_out(parser)
    options.add_seed(parser)
    parser.add_argument(
        "--stream",
        action="store_true",
        help="train block by block, in the order of the files, instead of on all rows in memory; so for one pass, too, "
        "unless the algorithm needs all rows; files of more than 1 GiB are else shuffled within as many rows as fit",
    )
    parser.add_argument(
        "--shuffle-buffer",
        metavar="N",
        type=options.count,
        help="train block by block, in blocks of N rows, each of them shuffled",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress and no summary")
    options.add_json(parser)
    _add_algorithms(parser)
    _cluster(parser)
    options.add_columns(options.add_reading(parser, sentences=True))
    options.add_sentences(parser)
    options.add_encoding(parser)


def _tune(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="model file to write")
    parser.add_argument(
        "--budget",
        dest="search_budget",  # of kernels --budget is another
        metavar="SIZE",
        type=options.budget,
        default="small",
        help="how much to try: small (12 configurations, on a quarter of many rows), medium (24, half) or large (40, "
        "all rows), or a number of configurations, on all rows (default: %(default)s)",
    )
    parser.add_argument(
        "--metric",
        choices=("accuracy", "f1", "auc", "mae"),
        help="what is to be best: the share of right answers, the mean of the classes' F1, the area under the curve of "
        "two classes, or the mean absolute error (default: accuracy; of numbers mae)",
    )
    parser.add_argument(
        "--grid",
        choices=("all", "features", "learners"),
        default="all",
        help="what to vary; options that are named stay as they are (default: %(default)s)",
    )
    options.add_passes(parser, "passes over the files (default: the best of 2, 3, 5 and 10)")
    _add_held_out(parser)
    options.add_seed(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress and no summary")
    options.add_json(parser)
    _add_algorithms(parser, without=(*OF_KERNELS, *OF_TAGGERS))
    options.add_columns(options.add_reading(parser))
    options.add_encoding(parser)
    parser.set_defaults(
        resume=None, stream=False, shuffle_buffer=None, cluster=None, workers=None, shards=None, mix=None,
        checkpoint=None, worker_timeout=None,
    )  # fmt: skip


def _cluster(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training on a cluster (needs Dask: pip install 'rosenblatt[distributed]')")
    group.add_argument(
        "--cluster", metavar="ADDRESS", help="train on the workers of this Dask scheduler; each file is a shard"
    )
    group.add_argument(
        "--workers",
        metavar="N",
        type=options.count,
        help="train on N worker processes of this machine, in the same way",
    )
    group.add_argument(
        "--shards",
        metavar="N",
        type=options.count,
        help="join neighbouring files to N shards (default: a shard per file)",
    )
    group.add_argument(
        "--mix",
        choices=("uniform", "updates"),
        help="average the weights of the shards equally, or in proportion to their updates (default: uniform)",
    )
    group.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="save the run to this file after every pass; if it exists, continue from it",
    )
    group.add_argument(
        "--worker-timeout",
        metavar="S",
        type=options.seconds,
        help="seconds to wait while there are no workers, or inf (default: 300)",
    )


def _predict(parser: argparse.ArgumentParser) -> None:
    options.add_model(parser)
    options.add_files(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="file to write (default: standard output)")
    parser.add_argument(
        "--scores",
        action="store_true",
        help="add the score; with more than two classes, one per class; of sentences, with --json, that of the tags "
        "and by how much it exceeds the runner-up's",
    )
    parser.add_argument("--only-scores", action="store_true", help="write scores without labels")
    parser.add_argument("--json", action="store_true", help="write JSON lines instead of CSV, or of columns")
    parser.add_argument("--no-output-header", action="store_true", help="write the CSV without its header line")
    options.add_missing(options.add_reading(parser, sentences=True), None)
    options.add_sentences(parser, trained=True)


def _evaluate(parser: argparse.ArgumentParser) -> None:
    options.add_model(parser)
    options.add_files(parser)
    options.add_json(parser)
    group = options.add_reading(parser, sentences=True)
    group.add_argument("--label", metavar="NAME", help="column of the labels (default: as in training)")
    options.add_label_type(group, "as in training")
    options.add_missing(group, None)
    options.add_sentences(parser, trained=True)


def _explain(parser: argparse.ArgumentParser) -> None:
    options.add_model(parser)
    parser.add_argument(
        "example",
        metavar="TEXT|FILE",
        nargs="?",
        help="text or file to explain the prediction of, or - for standard input (default: explain the model)",
    )
    parser.add_argument(
        "--top", metavar="N", type=options.count, default=12, help="show at most N features (default: %(default)s)"
    )
    parser.add_argument(
        "--rows",
        metavar="N",
        type=options.count,
        default=1,
        help="explain the first N rows or sentences of the file (default: 1)",
    )
    options.add_json(parser)
    options.add_missing(options.add_reading(parser, sentences=True), None)
    options.add_sentences(parser, trained=True)


def _inspect(parser: argparse.ArgumentParser) -> None:
    options.add_model(parser)
    options.add_json(parser)


def _separable(parser: argparse.ArgumentParser) -> None:
    options.add_small_files(parser)
    parser.add_argument("--no-intercept", action="store_true", help="separate by hyperplanes through the origin only")
    parser.add_argument(
        "--time-limit", metavar="S", type=options.seconds, help="seconds to search for a proof (default: no limit)"
    )
    options.add_json(parser)


def _trace(parser: argparse.ArgumentParser) -> None:
    options.add_small_files(parser)
    options.add_passes(parser, "stop after N passes (default: %(default)s)", 100)
    parser.add_argument("--exact", action="store_true", help="compute with fractions, without rounding")
    parser.add_argument("--updates", action="store_true", help="show only the steps that change the weights")
    options.add_seed(parser)
    parser.add_argument(
        "--max-steps", metavar="N", type=options.count, default=10_000, help="stop after N steps (default: %(default)s)"
    )
    options.add_json(parser)
    _add_algorithms(parser, without=NOT_TRACED)
    parser.set_defaults(algorithm="perceptron")


def _play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", metavar="N", type=_port, help="port to listen on (default: 1958, or the next free one)"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


def _port(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, a whole number from 1 to 65535")
    return int(text)


def _convert(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser)
    parser.add_argument("output", metavar="NEW", help="file to write, or - for standard output (with --to)")
    parser.add_argument("--to", choices=options.WRITTEN, help="format of the new file (default: by its name)")
    parser.add_argument(
        "--classes",
        metavar="LABEL=N,…",
        type=options.numbers_of_labels,
        help="the number of each label, for svmlight and vw",
    )
    parser.add_argument(
        "--output-zero-based", action="store_true", help="start the indices of the new svmlight file at 0"
    )
    options.add_json(parser)
    options.add_columns(options.add_reading(parser))
    options.add_encoding(parser, standardise=False, supervised=False, named_rows=0)


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", metavar="FOLDER", help="run in this folder and keep the files")


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="%(choices)s")


#: The commands, in the order in which help lists them.
COMMANDS = {
    "train": Command(
        "rosenblatt train reviews.csv -o mood.model --held-out 0.1",
        """Train a model on files and save it.

Format, columns and algorithm are guessed where no option names them; the summary
shows the columns and the algorithm. The model file holds all that prediction needs.
From files of sentences (CoNLL columns, CoNLL-U, JSON lines of tokens and tags) a tagger
learns; the tag is the last column unless --tag says otherwise.""",
        _train,
    ),
    "tune": Command(
        "rosenblatt tune reviews.csv -o mood.model --held-out 0.1",
        """Find the features and the learner that do best on files, train with them, save the model.

Configurations are compared on rows that they have not learned from, and the worse
half is dropped again and again, on more and more rows. Ends with a table of what was
tried and the command train that gives the same model. Options that are named are kept.""",
        _tune,
    ),
    "predict": Command(
        "rosenblatt predict mood.model new.csv --scores > answers.csv",
        """Predict the label of each row, or its number with a regression model.

Writes one line per row, in the order of the rows, while it reads the files; with
--on-error skip, an empty one for each row that cannot be read. A tagger reads columns,
or plain text, a sentence a line, and writes columns, the predicted tag behind the others.""",
        _predict,
    ),
    "evaluate": Command(
        "rosenblatt evaluate mood.model test.csv",
        """Measure how well a model predicts the labels of files.

Prints the accuracy; precision, recall and F1 of each class; and the confusion matrix.
For a regression: mean absolute error (MAE), root mean squared error (RMSE) and the
share of the variance that is explained (R²). For a tagger: the share of right tags and
of right sentences; precision, recall and F1 of phrases by type, as conlleval counts them.""",
        _evaluate,
    ),
    "explain": Command(
        'rosenblatt explain mood.model "not a bad film"',
        """Explain a model by its weights, or a prediction by what each feature adds to it.

Without an example: the features with the largest weights for each class. With a text,
or a file and --rows: what each feature of a row adds to its score. A model with a
kernel is explained by training examples instead of features, unless it is linear. Tags
of a sentence are explained by what sets them apart from the second-best ones.""",
        _explain,
    ),
    "inspect": Command(
        "rosenblatt inspect mood.model",
        "Show a model's parameters, features and training, its verdict and its margin bounds.",
        _inspect,
    ),
    "separable": Command(
        "rosenblatt separable rows.svm",
        """Decide whether classes are linearly separable, with a proof that can be checked.

If they are: the maximum margin, and the support points that prove it. If not: weights
of the rows under which they cancel. Text is taken as word counts; --ngrams 2 counts
pairs of words too.""",
        _separable,
    ),
    "trace": Command(
        "rosenblatt trace phrases.csv --algorithm perceptron --exact",
        """Show every training step on a small file: the score, why it updates, the weights.

Rows are visited in the order of the file, unless --shuffle. Text is taken as word
counts; --ngrams 2 counts pairs of words too.""",
        _trace,
    ),
    "play": Command(
        "rosenblatt play",
        """Open a page in the browser on which a perceptron learns.

Place points, step through a run, see the proof. The page is served to this machine
only and needs no network; Ctrl-C ends it. Needs pip install 'rosenblatt[play]'.""",
        _play,
    ),
    "convert": Command(
        "rosenblatt convert rows.svm.gz rows.parquet",
        """Convert files to svmlight, Vowpal Wabbit, CSV, TSV, JSON lines, Parquet or Arrow.

The name of the new file tells its format, unless --to does. svmlight holds numbers
only: text and categories are hashed to numbered columns, and labels that are words are
numbered in sorted order (two labels: -1 and 1) unless --classes numbers them.""",
        _convert,
    ),
    "demo": Command(
        "rosenblatt demo",
        """Take a tour of a minute: from raw text to a model, its explanations and proofs.

Each command is shown before it runs, in a temporary folder.""",
        _demo,
    ),
    "completion": Command(
        "rosenblatt completion bash >> ~/.bashrc",
        """Print a script that completes commands, options and values in a shell.

zsh:  rosenblatt completion zsh > a file _rosenblatt in a folder of $fpath
fish: rosenblatt completion fish > ~/.config/fish/completions/rosenblatt.fish""",
        _completion,
    ),
}
