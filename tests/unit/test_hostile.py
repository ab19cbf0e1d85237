"""The runner of the attacks, without a stack."""

import asyncio
from pathlib import Path

from tests.hostile.attack import Attack, Harm, NotRun, Run
from tests.hostile.machine import Machine
from tests.hostile.runner import FAILED, HELD, NOT_RUN, Outcome, Runner, table


def _attack(run: Run, limit_s: float = 5.0) -> Attack:
    return Attack(name=run.__name__, area="unit", on="nothing", holds="it holds", run=run, own=True, limit_s=limit_s)


async def _outcomes(folder: Path, *attacks: Attack) -> list[Outcome]:
    return await Runner(folder, lambda outcome: None).run(attacks)


async def test_each_end_of_an_attack_has_its_result(tmp_path: Path) -> None:
    async def holds(machine: Machine) -> None:
        assert machine.home.is_dir()

    async def harms(machine: Machine) -> None:
        raise Harm("two turns are lost")

    async def needs_more(machine: Machine) -> None:
        raise NotRun("run as root")

    async def never_ends(machine: Machine) -> None:
        await asyncio.sleep(60)

    async def is_wrong(machine: Machine) -> None:
        raise ValueError("a mistake")

    found = await _outcomes(
        tmp_path, _attack(holds), _attack(harms), _attack(needs_more), _attack(never_ends, 0.1), _attack(is_wrong)
    )
    assert [each.result for each in found] == [HELD, FAILED, NOT_RUN, FAILED, FAILED]
    assert [each.detail.split(" after")[0] for each in found] == [
        "",
        "two turns are lost",
        "run as root",
        "not over",
        "ValueError in the attack itself: a mistake",
    ]
    assert table(found).count(FAILED) == 3
    assert list(tmp_path.iterdir()) == []
