"""Runs attacks: those of an area that share a stack one after the other on it, the others each on a machine of its own.

Several machines run at once, because most of the time an attack waits.  What fails beside the others is judged by a second run
alone: on a busy machine an answer may come too late, and harm is done again.
"""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from trustgraph_react_mem.errors import MemoryServiceError

from .attack import Attack, Harm, NotRun
from .machine import Machine
from .scene import Scene

HELD, FAILED, NOT_RUN = "held", "FAILED", "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    attack: Attack
    result: str
    detail: str
    seconds: float
    again: bool = False  # alone, after it failed beside others


class Runner:
    """``report`` is called with each outcome.  ``lanes``: how many machines run at once."""

    def __init__(self, folder: Path, report: Callable[[Outcome], None], *, lanes: int = 4, keep: bool = False) -> None:
        self._folder = folder
        self._report = report
        self._lanes = lanes
        self._keep = keep
        self._homes = 0

    async def run(self, attacks: Sequence[Attack]) -> list[Outcome]:
        areas = dict.fromkeys(each.area for each in attacks if not each.own)
        shared = [[each for each in attacks if not each.own and each.area == area] for area in areas]
        batches = [*sorted(shared, key=len, reverse=True), *([each] for each in attacks if each.own)]
        outcomes: list[Outcome] = []

        async def lane() -> None:
            while batches:
                for outcome in await self._batch(batches.pop(0)):
                    outcomes.append(outcome)

        await asyncio.gather(*(lane() for _ in range(self._lanes)))
        for first in [each for each in outcomes if each.result == FAILED and len(attacks) > 1]:
            (second,) = await self._batch([first.attack], again=True)
            outcomes[outcomes.index(first)] = second
        return sorted(outcomes, key=lambda outcome: attacks.index(outcome.attack))

    async def _batch(self, attacks: Sequence[Attack], *, again: bool = False) -> list[Outcome]:
        """One after the other on one machine; after harm on a new one, so that each is judged by itself."""
        outcomes: list[Outcome] = []
        machine: Machine | None = None
        try:
            for each in attacks:
                if machine is None:
                    machine = self._machine(each.name if each.own else "shared")
                outcomes.append(replace(await self._one(each, machine), again=again))
                self._report(outcomes[-1])
                if outcomes[-1].result == FAILED:
                    await self._leave(machine)
                    machine = None
        finally:
            if machine is not None:
                await self._leave(machine)
        return outcomes

    async def _one(self, attack: Attack, machine: Machine) -> Outcome:
        now = asyncio.get_running_loop().time
        machine.direct(**asdict(Scene()))  # whatever the attack before left
        began = now()
        result, detail = HELD, ""
        try:
            if machine.stack is None and not attack.own:
                await machine.up()
                began = now()
            async with asyncio.timeout(attack.limit_s):
                await attack.run(machine)
        except NotRun as reason:
            result, detail = NOT_RUN, str(reason)
        except Harm as harm:
            result, detail = FAILED, str(harm)
        except TimeoutError:
            result, detail = FAILED, f"not over after {now() - began:.0f} s"
        except (MemoryServiceError, RuntimeError, OSError) as error:
            result, detail = FAILED, f"{type(error).__name__}: {error}"
        except Exception as error:
            # Broad because the other attacks run on: a fault of this one is told as its failure.
            result, detail = FAILED, f"{type(error).__name__} in the attack itself: {error}"
        return Outcome(attack=attack, result=result, detail=" ".join(detail.split()), seconds=now() - began)

    def _machine(self, name: str) -> Machine:
        self._homes += 1
        home = self._folder / f"{self._homes:02}-{name}"
        home.mkdir()
        return Machine(home)

    async def _leave(self, machine: Machine) -> None:
        try:
            await machine.close()
        finally:
            if not self._keep:
                await asyncio.to_thread(shutil.rmtree, machine.home, ignore_errors=True)


def print_line(outcome: Outcome, done: int, of: int) -> None:
    name = f"{outcome.attack.area}: {outcome.attack.name}"
    print(f"{'again' if outcome.again else f'{done:3}/{of}':8} {outcome.result:8}{outcome.seconds:6.1f} s  {name}", flush=True)
    if outcome.detail:
        print(f"{'':24} {outcome.detail[:300]}", flush=True)


def table(outcomes: Sequence[Outcome]) -> str:
    lines = [f"{'attack':48} {'must hold':70} {'result':8}{'seconds':>8}"]
    area = ""
    for each in outcomes:
        if each.attack.area != area:
            area = each.attack.area
            lines.append(f"-- {area}")
        lines.append(f"{each.attack.name[:48]:48} {each.attack.holds[:70]:70} {each.result:8}{each.seconds:8.1f}")
    return "\n".join(lines)
