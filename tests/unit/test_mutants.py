"""The seeded faults of ``python -m tests.mutants`` still fit the code: each text is there once, and each named test exists."""

import shutil
from pathlib import Path

import pytest

from tests.mutants.__main__ import CAUGHT, SURVIVED, TABLE_ERROR, TIMED_OUT, failing_without_fault, judge, part_of
from tests.mutants.mutant import PACKAGE, SIMULATION, Mutant
from tests.mutants.table import MUTANTS

ROOT = Path(__file__).parents[2]


def test_there_are_enough_and_each_has_its_own_name() -> None:
    assert len(MUTANTS) >= 60
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_still_applies(mutant: Mutant, tmp_path: Path) -> None:
    target = tmp_path / PACKAGE / mutant.file
    target.parent.mkdir(parents=True)
    shutil.copy(ROOT / PACKAGE / mutant.file, target)
    former = mutant.apply(tmp_path)
    assert target.read_text("utf-8") != former
    for check in mutant.checks:
        if check.startswith(f"{SIMULATION} "):
            assert len(check.split()) == 3
            continue
        file, _, test = check.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text("utf-8"), check


def test_a_text_that_is_not_there_once_fails_loudly(tmp_path: Path) -> None:
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "one.py").write_text("a a", "utf-8")
    with pytest.raises(ValueError, match="occurs 2 times"):
        Mutant("m", "one.py", "a", "b", ()).apply(tmp_path)


def test_the_parts_are_all_faults() -> None:
    parts = [mutant for number in range(1, 11) for mutant in part_of(MUTANTS, f"{number}/10")]
    assert sorted(mutant.name for mutant in parts) == sorted(mutant.name for mutant in MUTANTS)


CODE, CHANGED, BROKEN = "LIMIT = 1\n", "LIMIT = 2\n", "LIMIT =\n"
ASSERTS = "def test_limit() -> None:\n    assert LIMIT == 1\n"
PASSES = "def test_limit() -> None:\n    assert LIMIT\n"
HANGS = "def test_limit() -> None:\n    while LIMIT == 2:\n        pass\n"
CHECK = "tests/test_one.py::test_limit"


def a_copy(folder: Path, test: str) -> Path:
    for place in (PACKAGE, "tests"):
        (folder / place).mkdir()
    (folder / PACKAGE / "__init__.py").write_text("", "utf-8")
    (folder / PACKAGE / "one.py").write_text(CODE, "utf-8")
    (folder / "tests" / "test_one.py").write_text(f"from {PACKAGE}.one import LIMIT\n\n\n{test}", "utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "new", "check", "result"),
    [
        (ASSERTS, CHANGED, CHECK, CAUGHT),
        (PASSES, CHANGED, CHECK, SURVIVED),
        (ASSERTS, BROKEN, CHECK, TABLE_ERROR),
        (ASSERTS, CHANGED, "tests/test_one.py::test_none", TABLE_ERROR),
        (ASSERTS, CHANGED, "tests/test_none.py::test_limit", TABLE_ERROR),
        (f"import pytest\n\n@pytest.mark.servers\n{ASSERTS}", CHANGED, CHECK, TABLE_ERROR),
    ],
    ids=["fails", "passes", "no import", "no such test", "no such file", "nothing selected"],
)
def test_a_fault_is_caught_by_a_failing_test_alone(tmp_path: Path, test: str, new: str, check: str, result: str) -> None:
    root = a_copy(tmp_path, test)
    assert judge(Mutant("m", "one.py", CODE, new, (check,)), root).result == result
    assert (root / PACKAGE / "one.py").read_text("utf-8") == CODE


@pytest.mark.slow
@pytest.mark.parametrize(("liveness", "result"), [(False, TIMED_OUT), (True, CAUGHT)])
def test_a_check_that_does_not_end_counts_only_if_it_is_about_ending(tmp_path: Path, *, liveness: bool, result: str) -> None:
    mutant = Mutant("m", "one.py", CODE, CHANGED, (CHECK,), liveness=liveness)
    assert judge(mutant, a_copy(tmp_path, HANGS), timeout_s=2.0).result == result


@pytest.mark.slow
def test_a_check_that_fails_without_a_fault_is_told(tmp_path: Path) -> None:
    root = a_copy(tmp_path, ASSERTS.replace("== 1", "== 3") + f"\n\n{PASSES.replace('limit', 'other')}")
    other = "tests/test_one.py::test_other"
    assert failing_without_fault([CHECK, other], root) == {CHECK}
    with pytest.raises(SystemExit, match=TABLE_ERROR):
        failing_without_fault(["tests/test_one.py::test_none"], root)
