"""How much of a large table runs: a few cases that cover it, or with EXHAUSTIVE=1 in the environment, as `make soak` sets
it, all of them."""

import itertools
import os
from random import Random

EXHAUSTIVE = os.environ.get("EXHAUSTIVE") == "1"
# Random cases are the same ones in each run, unless SEED is set.
SEED = os.environ.get("SEED", "")


def covering(*dimensions, times=1):
    """Combinations of values, each value in `times` of them at least, or in each if there are fewer others to go with.

    Who else stands in a row shifts with each round, so that not the same pairs return.
    """
    dimensions = [list(values) for values in dimensions]
    every = list(itertools.product(*dimensions))
    rows = times * max(map(len, dimensions))
    if EXHAUSTIVE or rows >= len(every):
        return every
    return [tuple(values[(row + row // len(values)) % len(values)] for values in dimensions) for row in range(rows)]


def some(cases, every):
    """Each `every`-th case, the first among them."""
    cases = list(cases)
    return cases if EXHAUSTIVE else cases[::every]


def count(few, many):
    """How many random cases a test makes."""
    return many if EXHAUSTIVE else few


def chance(name):
    """Random numbers for a test, whose sequence the name and SEED decide."""
    return Random(f"{SEED} {name}")
