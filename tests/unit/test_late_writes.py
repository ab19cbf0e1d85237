"""How late a writer with a fencing token may write vectors (``memory.fencing.before_deadline``)."""

import asyncio

import pytest

from trustgraph_react_mem.errors import EngineUnavailable, ScopeChanged
from trustgraph_react_mem.memory.fencing import LATEST_S, TRUSTED_S, before_deadline, with_token
from trustgraph_react_mem.memory.ports import FencingToken
from trustgraph_react_mem.memory.scope import Scope

SCOPE = Scope(workspace="w", user="ann", collection="default")


async def written(age_s: float, *, valid: bool = True, takes_s: float = 0.0) -> list[str]:
    """What happens in a writer whose token was checked ``age_s`` ago."""
    done: list[str] = []
    token = FencingToken(SCOPE, 1, 0, asyncio.get_running_loop().time() - age_s)

    async def look() -> None:
        done.append("looked")
        if not valid:
            raise ScopeChanged("erased")
        token.good_at = asyncio.get_running_loop().time()

    async def write() -> None:
        await asyncio.sleep(takes_s)
        done.append("wrote")

    with with_token(token):
        await before_deadline(look, write)
    return done


async def test_a_token_is_checked_again_before_vectors_are_written() -> None:
    assert await written(0.0) == ["wrote"]
    assert await written(TRUSTED_S + 1.0) == ["looked", "wrote"]
    with pytest.raises(ScopeChanged):
        await written(TRUSTED_S + 1.0, valid=False)


async def test_vectors_are_not_written_after_the_deadline() -> None:
    with pytest.raises(EngineUnavailable, match="timeout"):
        await written(TRUSTED_S - 0.1, takes_s=LATEST_S)
