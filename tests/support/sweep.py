"""Sweeps of which a test tries a part, unless all tests are asked for."""

import os


def one_in(step, cases, first=0):
    """All cases with CPB_TEST_ALL; otherwise one in so many. Tests that begin at different ones share them."""
    cases = list(cases)
    return cases if "CPB_TEST_ALL" in os.environ else cases[first % step::step]
