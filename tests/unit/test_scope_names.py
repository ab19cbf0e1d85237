"""Names of users and collections: one name is one scope on every keyboard, and what was stored before stays reachable."""

import unicodedata

import pytest

from trustgraph_react_mem.errors import BadRequest, MissingScope
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.scope_names import ScopeNames

COMPOSED, DECOMPOSED = "José", unicodedata.normalize("NFD", "José")


def scope(user: str, collection: str = "default") -> Scope:
    return Scope(workspace="w", user=user, collection=collection)


class Directory:
    """``ScopeDirectory`` over a list."""

    def __init__(self, *stored: Scope) -> None:
        self.stored = list(stored)

    async def scopes(self, workspace: str) -> list[Scope]:
        return self.stored

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        return [each for each in self.stored if each.user == user]


@pytest.mark.parametrize("typed", [COMPOSED, DECOMPOSED])
async def test_a_new_name_is_stored_in_its_composed_form(typed: str) -> None:
    assert await ScopeNames(Directory()).find("w", typed, typed) == scope(COMPOSED, COMPOSED)


@pytest.mark.parametrize("typed", [COMPOSED, DECOMPOSED])
@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ([scope(DECOMPOSED)], scope(DECOMPOSED)),
        ([scope(DECOMPOSED), scope(COMPOSED)], scope(COMPOSED)),
        ([scope(DECOMPOSED, "other")], scope(DECOMPOSED)),
        ([scope(COMPOSED, "other"), scope(DECOMPOSED)], scope(DECOMPOSED)),
    ],
)
async def test_a_name_that_was_stored_before_is_found(typed: str, stored: list[Scope], found: Scope) -> None:
    assert await ScopeNames(Directory(*stored)).find("w", typed, "default") == found


@pytest.mark.parametrize(
    "letter",
    ["\x85", "\x9b", "\u200b", "\u200e", "\u202e", "\u2066", "\u2028", "\u2029", "\ufeff", "\u00ad", "\U000e0041", "\ufffd"],
)
async def test_what_nobody_sees_is_refused_in_new_names_and_accepted_in_old_ones(letter: str) -> None:
    name = f"an{letter}a"
    for user, collection in ((name, "default"), ("ana", name)):
        with pytest.raises(BadRequest, match=f"U\\+{ord(letter):04X}"):
            await ScopeNames(Directory()).find("w", user, collection)
    assert await ScopeNames(Directory(scope(name))).find("w", name, "default") == scope(name)


@pytest.mark.parametrize("name", ["a\ud83d", "\udc00", "a\x1bb", "a\0", "x" * 201])
async def test_half_characters_and_control_characters_are_refused_everywhere(name: str) -> None:
    with pytest.raises(BadRequest):
        scope(name)
    with pytest.raises(BadRequest):
        await ScopeNames(Directory()).find("w", name, "default")
    with pytest.raises(MissingScope):
        await ScopeNames(Directory()).find("w", "ana", "")
