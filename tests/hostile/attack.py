"""What an attack is, and the table of all attacks."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .machine import Machine

Run = Callable[["Machine"], Awaitable[None]]

ATTACKS: dict[str, "Attack"] = {}


class Harm(Exception):
    """The attack did harm; the message says which."""


class NotRun(Exception):
    """The attack needs something that this machine does not allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """``on``: what is attacked.  ``holds``: what must hold nevertheless.

    ``own``: gets a machine of its own, with no stack running yet.  The others share a running stack.
    """

    name: str
    area: str
    on: str
    holds: str
    run: Run
    own: bool
    limit_s: float


def attack(*, on: str, holds: str, own: bool = False, limit_s: float = 90.0) -> Callable[[Run], Run]:
    """Register a function as an attack.  Its name is that of the function, its area that of the module."""

    def register(run: Run) -> Run:
        name = run.__name__.replace("_", "-")
        if name in ATTACKS:
            raise ValueError(f"two attacks are called {name}")
        area = run.__module__.rpartition(".")[2]
        ATTACKS[name] = Attack(name=name, area=area, on=on, holds=holds, run=run, own=own, limit_s=limit_s)
        return run

    return register


def require(condition: object, harm: str) -> None:
    """Raises Harm."""
    if not condition:
        raise Harm(harm)
