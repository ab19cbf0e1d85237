"""Names of users and collections: one name is one scope on every keyboard, and what was stored before stays reachable."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.errors import BadRequest, MissingScope
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.scope_names import KEPT_S, ScopeNames, check_name, compose, spellings

COMPOSED, DECOMPOSED = "José", unicodedata.normalize("NFD", "José")


def scope(user: str, collection: str = "default") -> Scope:
    return Scope(workspace="w", user=user, collection=collection)


class Directory:
    """``ScopeDirectory`` over a list, which counts the questions."""

    def __init__(self, *stored: Scope) -> None:
        self.stored = list(stored)
        self.asked = 0

    async def scopes(self, workspace: str) -> list[Scope]:
        return self.stored

    async def of_user(self, workspace: str, user: str) -> list[Scope]:
        self.asked += 1
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


@pytest.mark.parametrize("name", ["می\u200cخواهم", "क्\u200dष", "👩\u200d👧", "o'neil/x *%_..", "Ж", "日本", "José"])
async def test_joiners_inside_a_word_and_all_visible_signs_stay(name: str) -> None:
    assert await ScopeNames(Directory()).find("w", name, "default") == scope(compose(name))


@pytest.mark.parametrize("name", ["\u200dana", "ana\u200c", "ana \u200d bo", "a\u200c\u200db"])
def test_joiners_outside_of_words_are_refused(name: str) -> None:
    with pytest.raises(BadRequest, match="JOINER"):
        check_name("user", name)


@pytest.mark.parametrize("name", ["a\ud83d", "\udc00", "a\x1bb", "a\0", "x" * 201])
async def test_half_characters_and_control_characters_are_refused_everywhere(name: str) -> None:
    with pytest.raises(BadRequest):
        scope(name)
    with pytest.raises(BadRequest):
        await ScopeNames(Directory()).find("w", name, "default")
    with pytest.raises(MissingScope):
        await ScopeNames(Directory()).find("w", "ana", "")


async def test_the_store_is_asked_about_names_beyond_ascii_and_only_now_and_then() -> None:
    directory, now = Directory(scope(DECOMPOSED)), [0.0]
    names = ScopeNames(directory, clock=lambda: now[0])
    await names.find("w", "ana", "default")
    assert directory.asked == 0
    for _ in range(5):
        assert await names.find("w", COMPOSED, "default") == scope(DECOMPOSED)
    assert directory.asked == len(spellings(COMPOSED)) == 2
    directory.stored.append(scope(COMPOSED))  # another process merged them
    now[0] += KEPT_S + 1
    assert await names.find("w", DECOMPOSED, "default") == scope(COMPOSED)


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"], exclude_characters="\ufffd"), max_size=20))
def test_a_visible_name_is_accepted_and_its_composed_form_is_final(name: str) -> None:
    check_name("user", name)
    assert compose(compose(name)) == compose(name)
    assert spellings(name)[0] == compose(name)
