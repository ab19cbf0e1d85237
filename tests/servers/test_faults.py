"""Faults of real servers under load: nothing acknowledged is lost, nothing is there twice."""

import pytest

from tests.crash.people import People, Tally
from trustgraph_react_mem.bus.client import MemoryBus

from .deployment import Addresses, Deployment

pytestmark = pytest.mark.servers

USERS = 4
BEFORE, AFTER = 15, 15
"""Acknowledged turns before and after what happens."""


def people_of(deployment: Deployment, named: str) -> People:
    async def connect() -> MemoryBus:
        return await MemoryBus.connect(deployment.addresses.pulsar, deployment.workspace, deployment.flow)

    return People(connect, USERS, named=named)


def held(tally: Tally) -> None:
    assert tally.lost == []
    assert tally.doubled == []
    assert tally.found == len(tally.acknowledged) >= BEFORE + AFTER


@pytest.mark.parametrize("server", ["pulsar", "neo4j", "qdrant"])
async def test_a_server_killed_and_started_again_loses_and_doubles_nothing(
    deployment: Deployment, addresses: Addresses, server: str
) -> None:
    people = people_of(deployment, f"{server}-killed")
    async with people.asking():
        await people.acknowledged(BEFORE)
        addresses.kill(server)
        addresses.start(server)
        await people.acknowledged(AFTER)
    held(await people.count())
