"""Text from memory as one line of data in a prompt.

Invariants:
- A line has no line breaks, no control characters, and no invisible characters but those that letters and emoji need.
- It holds no label of the format (``Thought:``, ``Final Answer:``, ``Rules: +``), no citation, no tag of the block of memories,
  and no tag of a model's own format.  They are recognised as a reader sees them: in other widths, and with invisible
  characters in between.
- Everything else stays, and what is changed stays readable: a label gets another colon, a bracket another form.

The work is linear in the length of the text.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, tzinfo

from ..memory.former import until_note, when_note
from ..memory.text.reasoning import NAMES as REASONING
from ..memory.text.visible import visible
from ..recall.records import asker_of, origin_of
from ..rerank.citations import neutralise
from ..schema import Episode, Fact
from .calls import CALL_TAG
from .labels import FORMAT_LABELS

COLON = "꞉"  # U+A789, which no parser and no model takes for the end of a label
_COLONS: Mapping[int, int | str | None] = {ord(each): COLON for each in ":：︓﹕"}
_BRACKETS: Mapping[int, int | str | None] = str.maketrans("<>＜＞﹤﹥[]", "()()()()", "/／")
_NAMES = "|".join(re.escape(visible(label).text) for label in sorted(FORMAT_LABELS, key=len, reverse=True))
_CHANGES_RULE = r"rules?(?=[ *_]{0,4}:[ *_]{0,4}(?:\+|[-−–—] ?r\d))"  # other rules are too common to be changed
_LABEL = re.compile(rf"(?<![^\W_])(?:{_NAMES}|{_CHANGES_RULE})(?:[ ]\d{{1,2}})?[ *_]{{0,4}}(?P<colon>:)", re.IGNORECASE)
_CALLS = CALL_TAG.pattern
_TAG = re.compile(
    r"<[^<>]{0,40}memories[^<>]{0,40}>?"  # of our block
    r"|</?\|dsml\|[^<>]{0,40}>?"
    r"|<\|[^<>|]{0,40}\|?>?"  # <|im_start|> and its kind
    r"|<[^<>|]{1,40}\|>"  # <turn|>
    r"|<\s{0,4}/?\s{0,4}(?:[a-z]{1,12}[:_])?(?:tools?_?(?:call|use|resp|result|output)|function(?:=|_?call|_resp|_result)|think|"
    r"reasoning|(?:start|end)_(?:of_|function)|(?:begin|end)of)[^<>]{0,40}>?"
    r"|(?<!\w)<\s{0,4}/?\s{0,4}(?:system|assistant|user|human|developer|model|tools?|use_mcp_tool|action|invoke|parameter)(?![^\W_])[^<>]{0,40}>"
    r"|(?<!\w)</?(?:s|bos|eos|pad|unk|mask|unused\d{1,4}|extra_id_\d{1,4})>"
    r"|\[/?(?:inst|think|system_prompt|tool_calls|tool_results|tool_content|available_tools|gmask|args)\]|<</?sys>>"
    rf"|\[(?:{_NAMES})\]|{_CALLS}|</?(?:{REASONING})\s{{0,4}}>",
    re.IGNORECASE,
)
_JOINERS = "\u200c\u200d"  # needed inside emoji and inside words of several scripts
_JOINED = ("L", "M", "S")  # what they join


def as_data(text: str) -> str:
    """The text as one line of data.

    >>> as_data("Action: film\\nat 10:30 [0]")
    'Action꞉ film at 10:30 (0)'
    """
    line = " ".join(_without_invisible(text).split())
    seen = visible(line)
    edits = [(*seen.original(*found.span("colon")), _COLONS) for found in _LABEL.finditer(seen.text)]
    edits += [(*seen.original(*found.span()), _BRACKETS) for found in _TAG.finditer(seen.text)]
    parts, done = list[str](), 0
    for start, end, table in sorted(edits, key=lambda edit: edit[:2]):
        parts += [line[done : max(start, done)], line[max(start, done) : end].translate(table)]
        done = max(end, done)
    return neutralise("".join([*parts, line[done:]]))


def memory_line(fact: Fact, *, when: str = "", zone: tzinfo = UTC, numbers: Mapping[str, int] | None = None) -> str:
    """A memory with its speaker, its dates, who said it if that is not the person, and what took its place.

    ``when``: in place of its dates.  ``zone``: of the reader.  ``numbers``: of the memories shown, by id.
    """
    said = f"{fact.speaker}: {fact.content}" if fact.speaker else fact.content
    by = origin_of(fact)
    until = until_note(replace(fact, replacement=as_data(fact.replacement)), zone=zone, numbers=numbers)
    notes = [when or when_note(fact, zone=zone), f"said by the {by}" if by else "", until]
    return " ".join([as_data(said), *(f"({note})" for note in notes if note)])


def rule_line(rule: Mapping[str, str]) -> str:
    """``rule``: its ``condition``, which may be empty, and its ``action``."""
    return as_data(f"When {rule['condition']}: {rule['action']}" if rule["condition"] else rule["action"])


def episode_line(episode: Episode) -> str:
    speaker = asker_of(episode)
    parts = [
        f"{speaker}: {episode.goal}" if speaker else episode.goal,
        f"Steps: {'; '.join(episode.steps)}." if episode.steps else "",
        f"Outcome: {episode.outcome}",
        f"Lesson: {episode.lessons}" if episode.lessons else "",
    ]
    return " ".join(as_data(part) for part in parts if part)


def _without_invisible(text: str) -> str:
    """Without control and format characters.  White space stays, and joiners between characters that are not ASCII."""
    if text.isascii() and text.isprintable():
        return text
    kept = list[str]()
    for place, letter in enumerate(text):
        if unicodedata.category(letter)[0] == "C" and not letter.isspace():
            around = (text[place - 1 : place], text[place + 1 : place + 2])
            if letter not in _JOINERS or not all(map(_is_joined, around)):
                continue
        kept.append(letter)
    return "".join(kept)


def _is_joined(letter: str) -> bool:
    return letter != "" and not letter.isascii() and unicodedata.category(letter)[0] in _JOINED
