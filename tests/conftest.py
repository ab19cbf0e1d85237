"""What all suites share: threads of numpy, and how Hypothesis runs."""

import gc
import os

import pytest
from hypothesis import settings

from tests.examples import examples
from trustgraph_react_mem.allocator import limit_arenas

limit_arenas()  # hundreds of tests start threads in one process

# Before numpy is loaded.  The matrices of the tests are small: threads that wait for each other cost four times what they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No deadline: a slow machine is no fault of the code.  In CI the examples are the same in each run, so that a red run is
# repeated by running it again; at home every run looks further.
settings.register_profile("home", deadline=None, max_examples=examples(100))
settings.register_profile("ci", deadline=None, max_examples=examples(100), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")


# What is imported and collected stays until the end: the garbage collector would look at it, for nothing, a tenth of the time.
gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.enable()
