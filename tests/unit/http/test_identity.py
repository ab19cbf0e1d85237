"""Who calls: the three spellings of a credential, and trusted headers."""

from pathlib import Path

import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from trustgraph_react_mem.errors import BadRequest, ConfigurationError, NotAuthenticated, NotPermitted
from trustgraph_react_mem.http.access import choose_collection, choose_user
from trustgraph_react_mem.http.identity import Identity, credential_of
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.http.settings import refuse_removed

ANA = Principal(key_id="k1", kind="user", user="ana", collections=("work", "home"))
GATEWAY = Principal(key_id="k2", kind="service")


def request(*headers: tuple[str, str]):  # type: ignore[no-untyped-def]
    return make_mocked_request("GET", "/", headers=CIMultiDict(headers))


@pytest.mark.parametrize(
    "header",
    [
        ("Authorization", "Bearer {}"),
        ("Authorization", "bearer  {}"),
        ("Authorization", "Token {}"),
        ("X-API-Key", "{}"),
    ],
)
async def test_each_spelling_of_a_key_is_accepted(tmp_path: Path, header: tuple[str, str]) -> None:
    keys = KeyFile(tmp_path / "data")
    _, secret = keys.create("user", user="ana")
    principal = await Identity(keys.resolve)(request((header[0], header[1].format(secret))))
    assert principal.user == "ana"


@pytest.mark.parametrize(
    ("headers", "what"),
    [
        ((), "has no key"),
        ((("Authorization", "Bearer "),), "has no key"),
        ((("Authorization", "Basic abc"),), "Bearer KEY"),
        ((("Authorization", "Bearer one"), ("X-API-Key", "two")), "several"),
    ],
)
def test_a_request_without_one_clear_key_is_refused(headers: tuple[tuple[str, str], ...], what: str) -> None:
    with pytest.raises(NotAuthenticated, match=what):
        credential_of(request(*headers))


def test_a_user_key_serves_its_user_alone() -> None:
    assert choose_user(ANA, "", "") == "ana"
    assert choose_user(ANA, "ana", "ana") == "ana"
    with pytest.raises(NotPermitted, match="belongs to user 'ana'"):
        choose_user(ANA, "bob")
    with pytest.raises(NotPermitted):
        choose_user(ANA, "", "bob")


def test_a_service_key_needs_one_user() -> None:
    assert choose_user(GATEWAY, "", "bob") == "bob"
    with pytest.raises(BadRequest, match="needs a user"):
        choose_user(GATEWAY, "", "")
    with pytest.raises(NotPermitted, match="different users"):
        choose_user(GATEWAY, "ana", "bob")
    for name in (" bob", "bob\u202e", "b" * 201, "b\x00"):
        with pytest.raises(BadRequest):
            choose_user(GATEWAY, name)


def test_a_key_is_held_to_its_collections() -> None:
    assert choose_collection(ANA, "") == "work"
    assert choose_collection(ANA, "home") == "home"
    assert choose_collection(GATEWAY, "") == "default"
    with pytest.raises(NotPermitted, match="work, home"):
        choose_collection(ANA, "default")


def test_a_variable_that_is_no_longer_read_is_refused_with_what_to_do() -> None:
    with pytest.raises(ConfigurationError, match="REACT_MEM_MODEL_SLOTS is no longer read: leave it out"):
        refuse_removed({"REACT_MEM_MODEL_SLOTS": "2"})
    refuse_removed({"REACT_MEM_MODEL_SLOTS": ""})
