"""A language model that understands recorded cases and conversations as their files say, and nothing else."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.talk.prompt_text import template_of
from bench.talk.understood import PROMPT, answer_with, empty_answer, normalise, read_prompt
from bench.understand.cases import Case, Session
from bench.understand.replayed import Conversation
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing import Rule, ScriptedModel


def recorded_model(cases: Sequence[Case] = (), conversations: Sequence[Conversation] = ()) -> ScriptedModel:
    """A prompt is answered from the session, or the conversation, with most of its new lines."""
    known: list[tuple[list[str], Sequence[Mapping[str, Any]]]] = [
        (_texts(session), _items(session)) for case in cases for session in case.sessions
    ]
    known += [([turn["say"] for turn in each.turns], each.understood) for each in conversations]
    spoken = [({normalise(text) for text in texts}, items) for texts, items in known]

    def answer(request: ChatRequest) -> str:
        template = template_of(request.prompt)
        if template is None or template.name != PROMPT:
            return empty_answer(request)
        new = set(read_prompt(request.prompt).lines.values())
        _, items = max(spoken, key=lambda each: len(each[0] & new))
        return answer_with(items, request.prompt)

    return ScriptedModel(rules=[Rule(answer=answer)])


def _texts(session: Session) -> list[str]:
    return [line.text for line in session.lines]


def _items(session: Session) -> list[Mapping[str, Any]]:
    """The items with their lines by text."""
    texts = _texts(session)
    return [
        {
            **item,
            "line": texts[item["line"]],
            "quote": item["quote"],
            "context": texts[item["context"]] if item.get("context") is not None else None,
        }
        for item in session.understood
    ]
