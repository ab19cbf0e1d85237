"""What is said in one conversation is known in the next, and only to the same person."""

import pytest

from .command import ReactMem

pytestmark = pytest.mark.later

FACT = "My dog Miso is allergic to chicken."
QUESTION = "What is my dog allergic to?"


def test_a_fact_told_once_answers_a_question_in_another_conversation(served: ReactMem) -> None:
    ana = served.as_user("ask-ana")
    told = ana.json("ask", FACT)
    asked = ana.json("ask", QUESTION)
    assert told["recorded"] is True
    assert asked["conversation_id"] != told["conversation_id"]
    assert "chicken" in asked["answer"]
    assert FACT in [memory["content"] for memory in asked["recalled"]]
    assert asked["citation"] == "cited"
    assert asked["cited"] == [asked["recalled"][0]["id"]]
    assert "[0]" not in asked["answer"]


def test_a_switched_off_user_is_not_remembered_until_switched_on(served: ReactMem) -> None:
    ana = served.as_user("switch-ana")
    ana.json("switch", "--write", "off")
    ana.json("ask", FACT)
    assert ana.json("memories", "list")["memories"] == []
    assert ana.json("switch", "--write", "on") == {"read": "on", "write": "on"}


def test_chat_remembers_explains_and_ends_conversations(served: ReactMem) -> None:
    ana = served.as_user("chat-ana")
    lines = [FACT, "/end", QUESTION, "/why", "/memories", "/nonsense", "/quit"]
    result = ana.run("chat", "--json", text="\n".join(lines) + "\n")
    told, ended, asked, why, memories, refused = result.lines
    assert ended["ended"] == told["conversation_id"]
    assert asked["conversation_id"] == ended["began"]
    assert "chicken" in asked["answer"]
    assert why["cited"] == asked["cited"]
    assert FACT in [memory["content"] for memory in memories["memories"]]
    assert "/help" in refused["error"]
    assert result.code == 2  # of the line that was refused


def test_why_explains_the_last_answer_afterwards(served: ReactMem) -> None:
    ana = served.as_user("why-ana")
    ana.json("ask", FACT)
    asked = ana.json("ask", QUESTION)
    why = ana.json("why")
    assert [memory["id"] for memory in why["recalled"]] == [memory["id"] for memory in asked["recalled"]]
    assert why["cited"] == asked["cited"]
    assert why["recalled"][0]["content"] == asked["recalled"][0]["content"]


def test_feedback_takes_the_id_that_why_shows(served: ReactMem) -> None:
    ana = served.as_user("number-ana")
    told = ana.json("ask", FACT)
    ana.json("ask", QUESTION)
    first = ana.json("why")["recalled"][0]["id"]
    assert first in ana.run("why").out
    assert ana.json("feedback", first, "+") == {"id": first, "rating": 1}
    listed = ana.run("conversations").out
    assert told["conversation_id"] in listed
    assert "exchanges" in listed


def test_people_see_the_answer_and_with_verbose_what_it_rests_on(served: ReactMem) -> None:
    ana = served.as_user("verbose-ana")
    ana.json("ask", FACT)
    plain = ana.run("ask", QUESTION)
    verbose = ana.run("ask", QUESTION, "--verbose")
    assert plain.out.strip() == "Miso is allergic to chicken."
    assert "A memory says it." in verbose.out
    assert "rests on memories 0" in verbose.out
