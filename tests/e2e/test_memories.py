"""Memories shown, taken back, forgotten, carried out and in."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from .command import ReactMem

pytestmark = pytest.mark.later

CHAT = [
    {"role": "user", "content": "I moved to Utrecht in March and I repair old bicycles."},
    {"role": "assistant", "content": "That sounds like a good hobby."},
    {"role": "user", "content": "My brother Farid plays the cello in an orchestra."},
]


@pytest.fixture
def chat_file(tmp_path: Path) -> Path:
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps({"messages": CHAT}) + "\n", encoding="utf-8")
    return file


def test_an_imported_chat_is_found_by_questions_without_a_model(served: ReactMem, chat_file: Path) -> None:
    ana = served.as_user("import-ana")
    imported = ana.json("import", "chatml", str(chat_file))
    found = ana.json("memories", "search", "Which instrument does my brother play?")
    assert imported["turns"] == len(CHAT)
    assert "cello" in found["memories"][0]["content"]
    assert found["memories"][0]["why"]


def test_a_text_added_by_command_is_found_and_can_be_forgotten(served: ReactMem) -> None:
    ana = served.as_user("add-ana")
    [added] = ana.json("memories", "add", "My brother Farid plays the cello.")["memories"]
    assert (added["kind"], added["status"], added["trust"]) == ("semantic", "active", "user")
    found = ana.json("memories", "search", "Which instrument does my brother play?")
    assert [each["id"] for each in found["memories"]] == [added["id"]]
    empty = ana.run("memories", "add", " ")
    assert (empty.code, "the text is empty: write what to remember" in empty.err) == (2, True)
    ana.json("forget", added["id"])
    assert ana.json("memories", "list")["memories"] == []


def test_nothing_is_erased_without_being_named_or_confirmed(served: ReactMem) -> None:
    ana = served.as_user("careful-ana")
    unnamed = ana.run("forget")
    unconfirmed = ana.run("forget", "--user", "careful-ana")
    assert (unnamed.code, unconfirmed.code) == (2, 2)
    assert "say what to forget" in unnamed.err
    assert "--yes" in unconfirmed.err


def test_a_rollback_takes_back_what_came_later(served: ReactMem, chat_file: Path) -> None:
    ana = served.as_user("rollback-ana")
    ana.json("import", "chatml", str(chat_file))
    before = ana.json("memories", "list")["memories"]
    then = datetime.now(UTC).isoformat()
    ana.json("ask", "My dog Miso is allergic to chicken.")
    full = ana.json("memories", "list")["memories"]
    done = ana.json("rollback", "--to", then, "--yes")
    after = ana.json("memories", "list")["memories"]
    assert {memory["id"] for memory in after} == {memory["id"] for memory in before}
    taken = ana.json("memories", "list", "--status", "undone")["memories"]
    assert {memory["id"] for memory in [*taken, *after]} == {memory["id"] for memory in full}
    changes = [entry["change"] for entry in ana.json("memories", "show", taken[0]["id"])["history"]]
    assert changes == ["undone", "created"]
    assert all("Miso" not in memory["content"] for memory in ana.json("memories", "search", "Miso")["memories"])
    (talk,) = ana.json("conversations")["conversations"]
    assert ana.run("conversations", talk["conversation_id"]).code == 2  # no exchange of it is left to show
    shown = ana.run("undo", done["operation"]).out
    assert "reverts this" in shown
    assert {memory["id"] for memory in ana.json("memories", "list")["memories"]} == {memory["id"] for memory in full}


def test_an_instruction_is_listed_undone_and_forgotten_as_a_rule(served: ReactMem) -> None:
    ana = served.as_user("rules-ana")
    ana.json("ask", "Never call me before nine.")
    [rule] = ana.json("memories", "list", "--kind", "rule")["memories"]
    assert (rule["kind"], rule["content"]) == ("procedural", "Never call before nine")
    assert ana.json("memories", "show", rule["id"])["record"]["metadata"]["instruction"] == "general"
    ana.json("undo", rule["id"])
    assert ana.json("memories", "list", "--kind", "rule")["memories"] == []
    ana.json("undo", rule["id"])
    assert len(ana.json("memories", "list", "--kind", "rule")["memories"]) == 1
    ana.json("forget", rule["id"])
    assert ana.json("memories", "list", "--kind", "rule", "--status", "undone")["memories"] == []
    assert ana.json("memories", "list", "--kind", "rule")["memories"] == []
