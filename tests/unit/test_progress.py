"""``make test`` says which suite runs, how far it is, and how long each took."""

from tests.progress import Progress

IDS = ["tests/unit/test_a.py::test_one", "tests/unit/http/test_b.py::test_two[x]", "tests/e2e/test_c.py::test_three"]


def test_each_suite_is_announced_with_its_first_test() -> None:
    progress = Progress()
    progress.collected([])  # of the process that distributes the tests
    progress.collected(IDS)
    progress.collected(IDS)
    lines = [progress.finished(each) for each in IDS]
    assert lines[0].startswith("== tests/unit, suite 1 of 2: 0 of 3 tests done after ")
    assert lines[1] == ""
    assert lines[2].startswith("== tests/e2e, suite 2 of 2: 2 of 3 tests done after ")


def test_the_summary_has_the_tests_and_seconds_of_each_suite() -> None:
    progress = Progress()
    progress.collected(IDS)
    for each in IDS:
        progress.took(each, 1.5)
        progress.finished(each)
    assert [line.split() for line in progress.summary()] == [
        ["tests/unit", "2", "tests", "3", "s"], ["tests/e2e", "1", "tests", "2", "s"],
    ]  # fmt: skip
