"""Every figure of a benchmark has one module that measures it."""

from collections import Counter

import pytest

from bench.__main__ import MODULES, Measurement

pytestmark = pytest.mark.later


def test_each_figure_is_measured_in_one_place() -> None:
    counts = Counter(name for module in MODULES for name in Measurement(module).names)
    assert counts
    assert [name for name, count in counts.items() if count > 1] == []
