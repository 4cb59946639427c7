"""Forge model files and checkpoints, and look for one that is neither refused in one sentence nor used without harm.

    python tests/fuzz/forge_models.py SECONDS [SEED]

Real models of every kind are changed at random (their documents, tensors and headers, with a right checksum), then
loaded, used, saved, loaded again, and given to the command line. A finding is any other exception than those that
users expect, a crash, a hang, or memory far beyond what the file holds; it is told with the seed that makes it again::

    python tests/fuzz/forge_models.py 1 SEED

The cases run in child processes, so that a crash ends one of them alone. Exits with 1 where there was a finding.
"""

import faulthandler
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

#: Cases of a child, seconds after which one counts as a hang, and bytes that one may take.
BATCH, HANG, MEMORY = 400, 120, 1 << 30


def case(seed, among, folder, data):
    """Forge a file and use it; True: it was accepted. Raises a FindingError."""
    import forging
    import trials

    rng = random.Random(seed)
    sample, document, tensors, done = forging.forge(rng, among)
    path = Path(folder) / "forged.model"
    forging.write(path, document, tensors, rng if rng.random() < 0.05 else None)
    size, before = path.stat().st_size, _peak()
    try:
        accepted = trials.try_file(path, sample, folder, data)
        if _peak() - before > MEMORY + 100 * size:
            raise trials.FindingError(f"{(_peak() - before) >> 20} MB were taken for a file of {size} bytes")
    except trials.FindingError as finding:
        raise trials.FindingError(f"{finding} [{done}]") from finding
    return accepted


def _peak():
    """The most memory this process has had; 0 where the system does not say."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 if resource else 0


def child(first, count, folder):
    """Cases by their seeds; a line each: the seed, and how it went."""
    import forging
    import trials

    def hang(*_):
        raise trials.FindingError(f"it takes more than {HANG} s")

    kept = Path(folder) / "samples.pickle"  # made by the first child
    if not kept.exists():
        kept.write_bytes(pickle.dumps(forging.samples(folder)))
    among = pickle.loads(kept.read_bytes())
    with tempfile.TemporaryDirectory(dir=folder) as own:
        mapped = Path("/proc/self/statm")
        if mapped.exists() and "libasan" not in os.environ.get("LD_PRELOAD", ""):  # which maps terabytes
            here = int(mapped.read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (here + (8 << 30), here + (8 << 30)))
        signal.signal(signal.SIGALRM, hang)
        for seed in range(first, first + count):
            print(seed, end=" ", flush=True)
            signal.alarm(HANG)
            faulthandler.dump_traceback_later(HANG + 30, exit=True)  # where no line of Python is reached
            try:
                print("accepted" if case(seed, among, own, folder) else "refused", flush=True)
            except trials.FindingError as finding:
                print("FINDING", ascii(" ".join(str(finding).split())), flush=True)
            signal.alarm(0)
            faulthandler.cancel_dump_traceback_later()


def main(seconds, first):
    """Run children until the time is up; returns the exit code."""
    ends, seed = time.monotonic() + seconds, first
    counts, findings = {"refused": 0, "accepted": 0}, []
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < ends:
            left = ends - time.monotonic()
            words = [sys.executable, __file__, "--child", str(seed), str(1 if seconds <= 1 else BATCH), folder]
            running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                out, err = running.communicate(timeout=left + 2 * HANG)
                ended = running.returncode
            except subprocess.TimeoutExpired:
                running.kill()
                (out, err), ended = running.communicate(), "a hang"
            done = [line.split(maxsplit=2) for line in out.splitlines()]
            for number, *told in done:
                if told and told[0] in counts:
                    counts[told[0]] += 1
                else:
                    findings.append((number, told[-1] if told else f"the process ended by {ended}: {err[-2000:]}"))
                    print(f"seed {number}: {findings[-1][1]}", flush=True)
            if not done:
                raise SystemExit(f"the child did nothing and ended by {ended}: {err[-4000:]}")
            seed = int(done[-1][0]) + 1
    total, told = sum(counts.values()) + len(findings), ", ".join(f"{n:,} {how}" for how, n in counts.items())
    many = f"{len(findings) or 'no'} finding{'s' * (len(findings) != 1)}"
    print(f"{total:,} forged files: {told}; {many} (seeds {first} to {seed - 1})")
    return 1 if findings else 0


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        start = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**9)
        sys.exit(main(float(sys.argv[1]), start))
