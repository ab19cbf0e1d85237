"""Ordinary conversations through the real embedded stack.  ``data/`` holds them, README.md describes their format."""

import pytest

from .conftest import Stage
from .conversation import Conversation, load_all

LEAST = 80
CONVERSATIONS = load_all()
# Conversations with equal settings follow each other, because each change of the settings is waited for.
IN_ORDER = sorted(CONVERSATIONS, key=lambda each: repr((sorted(each.settings.items()), sorted(each.tools))))


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    "conversation",
    [pytest.param(each, id=each.name, marks=() if each.quick else pytest.mark.slow) for each in IN_ORDER],
)
async def test_conversation(stage: Stage, conversation: Conversation) -> None:
    faults = await stage.play(conversation)
    if faults:
        pytest.fail(f"{conversation.title}\n({conversation.proves})\n\n" + "\n\n".join(faults), pytrace=False)


def test_there_are_many_in_many_languages_and_a_quarter_is_quick() -> None:
    assert len(CONVERSATIONS) >= LEAST
    assert len({each.language for each in CONVERSATIONS}) >= 12
    quick = sum(each.quick for each in CONVERSATIONS)
    assert len(CONVERSATIONS) * 0.2 <= quick <= len(CONVERSATIONS) * 0.35
