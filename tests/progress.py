"""Prints which suite runs and how far it is, and at the end how long each took: ``pytest -p tests.progress``.

All suites run in one session, so that each process imports the package once.  Tests begin in the order of the suites; near
the end of one, processes that are free have begun the next one.
"""

import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest


def suite_of(node_id: str) -> str:
    """The folder below ``tests``."""
    return "/".join(Path(node_id.split("::")[0]).parts[:2])


class Progress:
    def __init__(self) -> None:
        self._suites: list[str] = []
        self._all = 0
        self._done: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._began = time.monotonic()

    def collected(self, node_ids: list[str]) -> None:
        """Each process reports the same tests: the first report counts."""
        if not self._all:
            self._all = len(node_ids)
            self._suites = list(dict.fromkeys(suite_of(each) for each in node_ids))

    def took(self, node_id: str, seconds: float) -> None:
        self._seconds[suite_of(node_id)] += seconds

    def finished(self, node_id: str) -> str:
        """The line to print after this test: "" unless it is the first of its suite."""
        suite = suite_of(node_id)
        self._done[suite] += 1
        if self._done[suite] > 1:
            return ""
        number, done = self._suites.index(suite) + 1, self._done.total() - 1
        elapsed = time.monotonic() - self._began
        return f"== {suite}, suite {number} of {len(self._suites)}: {done} of {self._all} tests done after {elapsed:.0f} s"

    def summary(self) -> list[str]:
        """Seconds are those of the tests, which run side by side."""
        return [f"{suite:24} {self._done[suite]:5} tests {self._seconds[suite]:6.0f} s" for suite in self._suites]


class ProgressPlugin:
    def __init__(self, config: pytest.Config) -> None:
        self._progress = Progress()
        self._config = config

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._progress.collected(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._progress.collected([item.nodeid for item in session.items])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._progress.took(report.nodeid, report.duration)
        if report.when == "teardown" and (line := self._progress.finished(report.nodeid)):
            self._write(f"\n{line}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self._progress.summary():
            terminalreporter.write_line(line)

    def _write(self, text: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        assert reporter is not None
        reporter.write(text)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # only in the process that prints
        config.pluginmanager.register(ProgressPlugin(config))
