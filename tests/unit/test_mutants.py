"""The seeded faults of ``make mutants`` still fit the code: each text is there once, and each named test exists."""

import shutil
from pathlib import Path

import pytest

from tests.mutants.__main__ import part_of
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
