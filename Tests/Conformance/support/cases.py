"""How much of a large table runs: a few cases that cover it, or with EXHAUSTIVE=1 in the environment, as `make soak` sets
it, all of them."""

import itertools
import os
from collections import defaultdict
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


def with_each_value(items):
    """pytest's items; of a test marked `each_value` those alone whose combination of parameters is in `covering`."""
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("each_value"):
            # One value for each `parametrize`, whose names share it. All cases have the same objects.
            names = [mark.args[0].split(",") for mark in item.iter_markers("parametrize")]
            values = tuple(tuple(id(item.callspec.params[name.strip()]) for name in part) for part in names)
            tests[item.nodeid.partition("[")[0]].append((item, values))
    left_out = set()
    for cases in tests.values():
        # In the order of the parameters, without repetition.
        dimensions = [list(dict.fromkeys(values)) for values in zip(*(values for _, values in cases))]
        rows = set(covering(*dimensions))
        left_out.update(item for item, values in cases if values not in rows)
    return [item for item in items if item not in left_out]


def beyond_few(items):
    """pytest's items that are not among the few cases of their test that run by default: the first, the last and those
    evenly between; with one alone, the first."""
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("few"):
            tests[item.nodeid.partition("[")[0]].append(item)
    beyond = []
    for cases in tests.values():
        few = cases[0].get_closest_marker("few").args[0]
        kept = {number * (len(cases) - 1) // max(few - 1, 1) for number in range(few)}
        beyond += [item for number, item in enumerate(cases) if number not in kept]
    return beyond


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
