"""A clock that is set changes nothing of how long an answer of TrustGraph's identity service counts."""

from typing import Any

import pytest
from trustgraph.schema import IamRequest, IamResponse

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import NotPermitted
from trustgraph_react_mem.http.trustgraph.iam import CACHE_S, TrustGraphIam

DAY_S = 86_400.0


class Iam(TrustGraphIam):
    """The service knows every key until ``revoked``."""

    def __init__(self) -> None:
        self.clock, self.passed, self.revoked = 1_800_000_000.0, 1_000.0, False
        super().__init__(open_bus=self.open_nothing, now=lambda: self.clock, elapsed=lambda: self.passed)

    async def open_nothing(self) -> MemoryBus:
        raise AssertionError("nothing is asked")

    async def _ask(self, request: IamRequest) -> Any:
        allowed = not self.revoked
        return IamResponse(
            resolved_user_id="ann" if allowed else "",
            resolved_default_workspace="default",
            decision_allow=allowed,
            decision_ttl_seconds=CACHE_S,
        )


@pytest.mark.parametrize("jump_s", [0.0, DAY_S, -DAY_S])
async def test_a_revoked_key_is_out_within_a_minute_whatever_the_clock_does(jump_s: float) -> None:
    iam = Iam()
    found = await iam.resolve("tg_key")
    assert found is not None
    iam.revoked = True
    iam.clock += jump_s
    assert await iam.resolve("tg_key") == found  # asked a moment ago
    iam.clock += CACHE_S + 1
    iam.passed += CACHE_S + 1
    assert await iam.resolve("tg_key") is None
    with pytest.raises(NotPermitted):
        await iam.enter_workspace(found, "default")
