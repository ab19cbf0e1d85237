"""The runner of the attacks and the judge of the curves, without a stack."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.__main__ import as_json, chosen
from tests.hostile.attack import ATTACKS, Attack, Harm, NotRun, Run, attack
from tests.hostile.machine import Machine
from tests.hostile.patience import PatientClock, waited_by_threads
from tests.hostile.runner import FAILED, HELD, NOT_RUN, Outcome, Runner, table
from tests.soak.curves import RULES, judge, slope_of_lows, theil_sen


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
    assert "two turns are lost" in as_json(found)
    assert table(found).count(FAILED) == 3
    assert list(tmp_path.iterdir()) == []


def test_attacks_are_chosen_by_area_and_by_part_of_a_name() -> None:
    assert {each.area for each in chosen("erasure")} >= {"erasure"}
    assert [each.name for each in chosen("cut_emoji_in_a_question")] == ["cut-emoji-in-a-question"]
    assert chosen("") == list(ATTACKS.values())
    assert chosen("no-such-attack") == []


def test_every_attack_says_what_it_attacks_and_what_must_hold() -> None:
    areas = {"text", "growth", "jobs", "disk", "stores", "erasure", "trust", "authority", "output"}
    assert {each.area for each in ATTACKS.values()} == areas
    assert all(each.on and each.holds and 0 < each.limit_s <= 300 for each in ATTACKS.values())


def test_two_attacks_cannot_have_one_name() -> None:
    with pytest.raises(ValueError, match="two attacks"):

        @attack(on="nothing", holds="nothing")
        async def cut_emoji_in_a_question(machine: Machine) -> None: ...


def test_the_slope_of_a_curve_is_not_moved_by_outliers() -> None:
    times = [float(number) for number in range(20)]
    values = [2 * at + 5 for at in times]
    values[3], values[11], values[17] = 900.0, -40.0, 7000.0
    assert theil_sen(times, values) == pytest.approx(2.0)
    assert theil_sen([1.0], [5.0]) == 0.0


@pytest.mark.parametrize(("mb_per_hour", "broken"), [(0.0, False), (50.0, False), (400.0, True)])
def test_memory_that_grows_after_the_warm_up_is_found(mb_per_hour: float, broken: bool) -> None:
    times = [5.0 * number for number in range(360)]
    flat = [100.0 + number % 3 for number in range(360)]
    samples = {rule.curve: flat for rule in RULES} | {"s": times}
    samples["stack memory"] = [
        300.0 * (at < 600) + mb_per_hour * at / 3600 + noise for at, noise in zip(times, flat, strict=True)
    ]
    assert [slope.rule.curve for slope in judge(samples, warm_s=600) if slope.broken] == ["stack memory"] * broken


def test_a_store_that_is_replaced_from_time_to_time_is_judged_by_what_stays() -> None:
    times = list(range(0, 1200, 10))
    replaced = [(at % 500) * 0.1 for at in times]
    assert slope_of_lows(times, replaced) == 0
    grows = [value + 0.02 * at for at, value in zip(times, replaced, strict=True)]
    assert slope_of_lows(times, grows) > 0.01
    assert slope_of_lows([0.0], [1.0]) == 0


def test_time_passes_more_slowly_while_a_thread_waits_for_a_processor() -> None:
    now, waited = [100.0], {1: 7.0, 2: 3.0}
    clock = PatientClock(lambda: dict(waited), lambda: now[0])
    now[0] += 1.0
    assert clock() == pytest.approx(1.0)  # the seconds before the start do not count
    waited[2] += 1.8
    now[0] += 2.0
    assert clock() == pytest.approx(3.0)
    now[0] += 1.0
    assert clock() == pytest.approx(3.1), "of the two seconds before, the thread waited for nine tenths"
    waited[3] = 50.0  # all processors are taken by others: limits are reached all the same
    now[0] += 1.0
    clock()
    now[0] += 1.0
    assert clock() > 3.1


def test_the_waits_of_threads_and_of_children_are_read() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        waited = waited_by_threads()
        child.communicate(b"\n")
    assert {os.getpid(), child.pid} <= set(waited)
    assert all(seconds >= 0 for seconds in waited.values())
