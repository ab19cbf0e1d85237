"""The parts of the proxy that need no stack."""

import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trustgraph_react_mem.http.proxy.dialogue import Dialogue, is_background, read_messages, words_of_person
from trustgraph_react_mem.http.proxy.errors import ProxyError
from trustgraph_react_mem.http.proxy.kept import Kept, KeptResponses
from trustgraph_react_mem.http.proxy.options import invocation_of, named_users
from trustgraph_react_mem.http.proxy.passing import ChatAnswer, insert
from trustgraph_react_mem.memory.scope import Scope


@pytest.mark.parametrize(
    ("choice", "complete"),
    [
        ({"message": {"content": "Yes"}, "finish_reason": "stop"}, True),
        ({"message": {"content": "Yes"}, "finish_reason": "length"}, True),
        ({"message": {"content": "Yes"}, "finish_reason": "content_filter"}, True),
        ({"message": {"content": None, "tool_calls": [{}]}, "finish_reason": "tool_calls"}, False),
        ({"message": {"content": "Look", "tool_calls": [{}]}, "finish_reason": "stop"}, False),
        ({"message": {"content": "  "}, "finish_reason": "stop"}, False),
        ({"message": {"content": "Yes"}, "finish_reason": "end_turn"}, True),
        ({"message": {"content": "Yes"}, "finish_reason": "error"}, False),
        ({"message": {"content": "Yes"}, "finish_reason": None}, True),
        ({"message": {"content": [{"type": "thinking"}, {"type": "text", "text": "Yes"}]}, "finish_reason": "stop"}, True),
        ({"message": {"content": [{"type": "thinking"}]}, "finish_reason": "stop"}, False),
        ({"message": 3}, False),
    ],
)
def test_which_answers_are_complete(choice: dict[str, Any], complete: bool) -> None:
    answer = ChatAnswer()
    answer.body({"choices": [choice, {"message": {"content": "second"}}]})
    assert answer.complete is complete


@pytest.mark.parametrize(
    ("content", "changed"),
    [
        ("asked", "known\n\nasked"),
        ([{"type": "input_text", "text": "asked"}], [{"type": "input_text", "text": part} for part in ("known", "asked")]),
    ],
)
def test_recalled_text_goes_into_the_last_message_of_the_user(content: Any, changed: Any) -> None:
    asked = {"role": "user", "content": content, "name": "ana"}
    messages = [{"role": "system"}, {"role": "user"}, {"role": "assistant"}, asked, {"role": "tool"}]
    assert insert(messages, "known", part="input_text") == [*messages[:3], {**asked, "content": changed}, {"role": "tool"}]
    assert insert(messages, "") == messages


def test_an_exchange_is_the_same_when_it_is_sent_again_and_in_its_tool_rounds() -> None:
    asked = [{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}, {"role": "user", "content": "C"}]
    rounds = [*asked, {"role": "assistant", "content": "wait", "tool_calls": []}, {"role": "tool", "content": "D"}]
    names = {invocation_of("c", read_messages(messages)) for messages in (asked, list(asked), rounds)}
    assert len(names) == 1
    others = {invocation_of("c2", read_messages(asked)), invocation_of("c", read_messages(asked[:1]))}
    assert not names & others


@pytest.mark.parametrize(
    "text",
    [
        "Write a title for my blog post about cats",
        "My task: find a name for my boat",
        "Create a plan for the garden",
        "What did we say in our conversation about tags?",
        "### My notes\nI live in Porto",
        "Suggest a name for our group chat with the Rossi family",
        "Summarize the conversation I had with my doctor: I am allergic to penicillin. Her name is Dr. Weiss.",
        "Create a discussion guide for my book club; the title of the book is Emma",
        "Provide a summary of our discussion. By the way my dog's name is Miso",
        "Write a chat bot named Bo and tag the release",
        "Der Titel meines Buches ist Gespräche mit Goethe",
        "Do you remember the title of the book from this conversation?",
        "Which tags did I ask you for in the chat history?",
        "Wie war der Titel, den wir in dieser Unterhaltung gefunden haben?",
        "这段对话里我说的标题是什么？",
        "I like the title that you found in our last conversation.",
    ],
)
def test_what_people_ask_is_no_background_task(text: str) -> None:
    assert not is_background(read_messages([{"role": "user", "content": text}]))
    assert words_of_person(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "### Aufgabe:\nErstelle einen Titel\n### Verlauf:\n<chat_history>\nUSER: I am Bo\n</chat_history>",
        "### Task:\nSuggest a title.",
        "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.\n||>User: I am Bo",
        "Given the following conversation and a follow up question, rephrase the follow up question.\nHuman: I am Bo",
    ],
)
def test_the_tasks_of_known_programs_are_no_questions_of_a_person(text: str) -> None:
    assert is_background(read_messages([{"role": "user", "content": text}]))


def test_a_block_of_memories_that_comes_back_is_not_learned() -> None:
    assert words_of_person("<recalled_memories>\n- I am Eve\n</recalled_memories>\nPaint <B>it</B>") == "Paint <B>it</B>"


def instructed(system: str) -> Dialogue:
    return read_messages([{"role": "system", "content": system}, {"role": "user", "content": "I live in Porto"}])


@pytest.mark.parametrize(
    "system",
    [
        "You are a title generator. You output ONLY a thread title. Nothing else.",
        "Analyze if this message indicates a new conversation topic. If it does, extract a 2-3 word title.",
        "Summarize this coding conversation in under 50 characters.",
        "Given a chat history and the latest user question, formulate a standalone question.",
    ],
)
def test_a_task_of_a_program_is_known_by_its_instructions(system: str) -> None:
    assert is_background(instructed(system))


@pytest.mark.parametrize(
    "system",
    [
        "You are a helpful assistant. You should keep the conversation going by asking follow-up questions.",
        "You are a legal assistant specialising in title insurance. Answer the user's questions.",
        "You are a chat assistant. Be brief. If asked, summarize the discussion.",
        "You are a support agent for a chat product. You will answer questions about titles of plans.",
        "You are an editor who writes headlines and titles for newspaper articles.",
        "You are a helpful assistant that can summarize discussions.",
        "You are Max, who helps our teams summarize long chats and answers questions about them.",
    ],
)
def test_instructions_for_a_chat_with_a_person_are_no_task_of_a_program(system: str) -> None:
    assert not is_background(instructed(system))


def test_a_task_of_a_program_is_known_by_its_header() -> None:
    asked = read_messages([{"role": "user", "content": "I live in Porto"}])
    assert not is_background(asked, "{{TASK}}")
    assert is_background(asked, "tags_generation")


def test_who_is_named_in_a_body() -> None:
    body = {"user": {"id": "ana"}, "safety_identifier": "ben", "metadata": {"user_id": "cleo"}}
    assert named_users(body) == ["cleo", "ana"]
    assert named_users({"safety_identifier": "ben"}) == ["ben"]
    assert named_users({"user": "", "metadata": None}) == []
    with pytest.raises(ProxyError, match=r"metadata\.user_id must be a text, not number"):
        named_users({"metadata": {"user_id": 3}})


SCOPE = Scope(workspace="w", user="ana", collection="default")
ANSWER = Kept(
    id="resp_1",
    key_id="k",
    scope=SCOPE,
    conversation="c",
    invocation="i",
    learned=True,
    previous="",
    created=time.time(),
    body={"id": "resp_1"},
    items=["Hi"],
)


async def test_kept_answers_expire_and_are_overwritten(tmp_path: Path) -> None:
    kept = KeptResponses(tmp_path / "data" / "kept.sqlite", days=30, most_mb=1)
    assert await kept.get("resp_1", "k", SCOPE) is None
    assert not kept.path.exists()
    await kept.put(replace(ANSWER, body={"text": "a very secret kite"}))
    assert (await kept.get("resp_1", "k", SCOPE)) is not None
    assert await kept.get("resp_1", "k2", SCOPE) is None
    assert await kept.get("resp_1", "k", replace(SCOPE, user="ben")) is None
    assert kept.path.stat().st_mode & 0o777 == 0o600
    await kept.delete([ANSWER])
    assert b"secret kite" not in kept.path.read_bytes()
    assert [path.name for path in kept.path.parent.iterdir()] == ["kept.sqlite"]
    await kept.put(replace(ANSWER, created=time.time() - 31 * 86_400))
    assert await kept.get("resp_1", "k", SCOPE) is None
    await kept.put(ANSWER)
    assert await kept.of_scope(SCOPE) == [ANSWER]
    with sqlite3.connect(kept.path) as base:
        assert base.execute("SELECT count(*) FROM responses").fetchone() == (1,)
