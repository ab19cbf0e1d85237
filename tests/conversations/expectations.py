"""Compares what happened with what a conversation expects.  Every function returns the differences as texts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bench.talk.client import PlayedTurn
from bench.talk.prompt_text import FIXED, read_blocks, recalled_text
from trustgraph_react_mem.schema import Episode, Fact

from .conversation import ExpectedMemories, ExpectedStore, ExpectedText, ExpectedTurn, StoredRecord

MOST_CHARACTERS = 2500  # of a prompt in a message
EXCHANGES, EPISODES = ("exchanges",), ("episodes",)
RULES = ("rules", "instructions")  # learned from tasks, and said by the person
_FORMER = re.compile(
    r"\b(former|formerly|earlier|until|no longer|superseded|replaced|outdated|not any ?more|previous|changed)\b",
    re.IGNORECASE,
)
_MEMORY = re.compile(r"^- Memory \[\d+\]:", re.MULTILINE)


def matches(wanted: str, text: str) -> bool:
    """Whether ``text`` holds ``wanted``: a regular expression between slashes, or words, whatever their case and spaces."""
    return find(wanted, text) >= 0


def find(wanted: str, text: str) -> int:
    """The place of ``wanted`` in ``text``, or -1."""
    flat = " ".join(text.split())
    if len(wanted) > 2 and wanted[0] == wanted[-1] == "/":
        found = re.search(wanted[1:-1], flat, re.IGNORECASE)
        return found.start() if found else -1
    return flat.casefold().find(" ".join(wanted.split()).casefold())


class Prompt:
    """The agent's prompts of a turn: the first one, and the steps in the last one.

    ``memories``: the recalled records, in the order of their numbers.
    """

    def __init__(self, texts: Sequence[str], memories: Sequence[Mapping[str, Any]]) -> None:
        self.text = text = texts[0]
        self.longest = max(map(len, texts))
        self.steps = read_blocks(texts[-1]).get("history", "") if texts[-1] else ""
        self.blocks = read_blocks(text) if text else {}
        self.memories = [_speaker_and_text(memory) for memory in memories]
        self.lines = _lines(self.blocks.get("memories", ""))

    @property
    def recalled(self) -> str:
        return recalled_text(self.blocks)

    def compact(self) -> str:
        """What memory added, on few lines, to be read beside a difference."""
        if not self.text:
            return "  (the model was not asked)"
        lines = []
        for block, text in self.blocks.items():
            if block in FIXED:
                continue
            shortened = text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} … ({len(text)} characters)"
            lines += [f"  | {block}:", *(f"  |   {line[:300]}" for line in shortened.splitlines() if line.strip())]
        return "\n".join(lines or ["  | (nothing from memory)"])


def _speaker_and_text(memory: Mapping[str, Any]) -> str:
    speaker = memory.get("speaker") or ""
    return f"{speaker}: {memory.get('content', '')}" if speaker else str(memory.get("content", ""))


def _lines(block: str) -> list[str]:
    """The numbered memories of the block, each with the lines below it."""
    starts = [match.start() for match in _MEMORY.finditer(block)]
    return [block[start:end] for start, end in zip(starts, [*starts[1:], len(block)], strict=True)] if starts else []


# ------------------------------------------------------------------------------------------------------------ turns


def compare_turn(expected: ExpectedTurn, prompt: Prompt, turn: PlayedTurn) -> list[str]:
    faults = [f"not in the prompt: {text!r}" for text in expected.knows if not matches(text, prompt.recalled)]
    faults += [f"in the prompt, but should not be: {text!r}" for text in expected.ignores if matches(text, prompt.recalled)]
    faults += _compare_order("prompt", expected.order, prompt.recalled)
    if expected.memories is not None:
        faults += _compare_memories(expected.memories, prompt)
    for names, wanted in ((EXCHANGES, expected.conversation), (RULES, expected.rules), (EPISODES, expected.episodes)):
        if wanted is not None:
            text = "\n".join(prompt.blocks.get(name, "") for name in names)
            faults += _compare_text(names[0], wanted, text)
    if expected.steps is not None:
        faults += _compare_text("steps", expected.steps, prompt.steps)
    if expected.most_characters is not None and prompt.longest > expected.most_characters:
        faults.append(f"the prompt has {prompt.longest} characters, expected at most {expected.most_characters}")
    if expected.prompt is not None:
        faults += _compare_text("whole prompt", expected.prompt, prompt.text)
    return faults + _compare_answer(expected, turn)


def _compare_text(where: str, expected: ExpectedText, text: str) -> list[str]:
    faults = [f"{where}: lacks {wanted!r}" for wanted in expected.holds if not matches(wanted, text)]
    faults += [f"{where}: holds {wanted!r}, but should not" for wanted in expected.lacks if matches(wanted, text)]
    return faults + _compare_order(where, expected.order, text)


def _compare_order(where: str, order: Sequence[str], text: str) -> list[str]:
    places = [find(wanted, text) for wanted in order]
    missing = [f"{where}: lacks {wanted!r}" for wanted, place in zip(order, places, strict=True) if place < 0]
    return missing or ([] if places == sorted(places) else [f"{where}: not in the order {list(order)} (found at {places})"])


def _compare_memories(expected: ExpectedMemories, prompt: Prompt) -> list[str]:
    shown = prompt.memories
    text = "\n".join(prompt.lines) or "\n".join(shown)
    faults = _compare_text("memories", expected, text)
    if expected.first and not (shown and matches(expected.first, shown[0])):
        faults.append(f"memories: the first does not hold {expected.first!r}")
    for wanted in expected.once:
        count = sum(matches(wanted, memory) for memory in shown)
        if count != 1:
            faults.append(f"memories: {wanted!r} takes {count} places, expected 1")
    if expected.places is not None and len(shown) != expected.places:
        faults.append(f"memories: {len(shown)} are shown, expected {expected.places}")
    if expected.distinct is not None:
        count = sum(any(matches(fact, memory) for memory in shown) for fact in expected.facts)
        if count < expected.distinct:
            faults.append(
                f"memories: {count} different facts are shown, expected {expected.distinct} of {list(expected.facts)}"
            )
    for wanted in expected.current:
        lines = [line for line in prompt.lines if matches(wanted, line)]
        if not lines:
            faults.append(f"memories: none holds {wanted!r}")
        elif any(_FORMER.search(line) for line in lines):
            faults.append(f"memories: {wanted!r} is marked as former")
    return faults


def _compare_answer(expected: ExpectedTurn, turn: PlayedTurn) -> list[str]:
    answer, faults = turn.trace.answer, []
    if expected.answer is not None and answer != expected.answer:
        faults.append(f"the person sees {answer!r}, expected {expected.answer!r}")
    faults += [f"the answer lacks {wanted!r}" for wanted in expected.answer_holds if not matches(wanted, answer)]
    faults += [f"the answer holds {wanted!r}, but should not" for wanted in expected.answer_lacks if matches(wanted, answer)]
    everything = "\n".join([answer, "".join(turn.shown), *turn.trace.thoughts, *turn.trace.observations])
    faults += [f"the person sees {wanted!r}, but should not" for wanted in expected.shown_lacks if matches(wanted, everything)]
    if expected.pieces is not None and turn.pieces < expected.pieces:
        faults.append(f"the answer came in {turn.pieces} pieces, expected at least {expected.pieces}")
    if expected.cited is not None:
        named = {memory["id"]: _speaker_and_text(memory) for memory in turn.trace.memories}
        cited = [named.get(record, "?") for record in turn.trace.cited_ids]
        if len(cited) != len(expected.cited) or not all(any(matches(text, each) for each in cited) for text in expected.cited):
            faults.append(f"cited are {cited}, expected {list(expected.cited)}")
    return faults


# ---------------------------------------------------------------------------------------------------------- the store


def compare_store(expected: ExpectedStore, records: Sequence[Fact], episodes: Sequence[Episode]) -> list[str]:
    by_status = {
        status: [each for each in records if each.status == status] for status in ("active", "superseded", "quarantined")
    }
    extracted = [each for each in by_status["active"] if each.kind != "turn"]
    faults = []
    for status, wanted in (
        ("active", expected.active),
        ("superseded", expected.superseded),
        ("quarantined", expected.quarantined),
    ):
        faults += [f"no {status} record {_named(each)}" for each in wanted if not _has(by_status[status], each)]
    rules = [each for each in by_status["active"] if each.kind == "procedural"]
    faults += [f"no rule {_named(each)}" for each in expected.rules if not _has(rules, each)]
    faults += [f"an active record {_named(each)}, but should not" for each in expected.lacks if _has(by_status["active"], each)]
    if expected.only is not None and len(extracted) != expected.only:
        faults.append(f"{len(extracted)} active extracted records, expected {expected.only}")
    for text, number in expected.counts.items():
        count = sum(matches(text, _content(each)) for each in extracted)
        if count != number:
            faults.append(f"{count} active extracted records hold {text!r}, expected {number}")
    told = [f"{each.goal} {each.outcome} {each.lessons}" for each in episodes]
    faults += [f"no episode holds {text!r}" for text in expected.episodes if not any(matches(text, each) for each in told)]
    return faults


def _content(fact: Fact) -> str:
    return " ".join(part for part in (fact.content, fact.condition, fact.action) if part)


def _has(records: Sequence[Fact], wanted: StoredRecord) -> bool:
    return any(
        matches(wanted.text, _content(each))
        and wanted.kind in ("", each.kind)
        and wanted.trust in ("", each.trust)
        and each.valid_from.startswith(wanted.valid_from)
        and wanted.uses in (None, each.uses)
        for each in records
    )


def _named(wanted: StoredRecord) -> str:
    details = [value for value in (wanted.kind, wanted.trust, wanted.valid_from) if value]
    details += [f"{wanted.uses} uses"] if wanted.uses is not None else []
    return f"holds {wanted.text!r}" + (f" ({', '.join(details)})" if details else "")
