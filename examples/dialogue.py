"""A dialogue as a text file: dated conversations, what a person says, and the expected answers.

    # a comment
    == 2026-03-02 09:15  Getting to know each other
    Ana: My dog Miso is allergic to chicken.

    == 2026-04-11 18:30  A month later
    Ana: What must I not buy for my dog?
      source: My dog Miso is allergic to chicken.
      answer: chicken | poultry

``source`` repeats the earlier line that holds the fact, word for word.  ``answer`` is the expected value, with other ways to
say the same; the answer must contain one of them.  The question must not contain them.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trustgraph_react_mem.errors import BadRequest

_HEADING = re.compile(r"==\s*(\d{4}-\d\d-\d\d)\s+(\d\d:\d\d)\s*(.*)")
_SAID = re.compile(r"([^\s:][^:]{0,60}):\s+(.+)")
_EXPECTED = re.compile(r"\s+(source|answer):\s*(.+)")


@dataclass(slots=True)
class ScriptLine:
    """What a person says.  ``source`` and ``answers`` are set if the answer is checked."""

    number: int  # in the file, from 1
    speaker: str
    text: str
    source: str = ""
    answers: tuple[str, ...] = ()

    @property
    def checked(self) -> bool:
        return bool(self.answers)


@dataclass(slots=True)
class ScriptConversation:
    at: datetime
    title: str
    lines: list[ScriptLine]


def read_dialogue(file: Path) -> list[ScriptConversation]:
    """Raises: BadRequest (it names the line and the error)."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadRequest(
            f"{file} cannot be read ({error.strerror}): pass a dialogue such as examples/dog-and-trip.txt"
        ) from None
    except UnicodeDecodeError:
        raise BadRequest(f"{file} is not UTF-8 text: pass a dialogue such as examples/dog-and-trip.txt") from None
    conversations: list[ScriptConversation] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        if raw.strip() and not raw.lstrip().startswith("#"):
            _read_line(conversations, raw.rstrip(), f"{file}, line {number}", number)
    if not any(conversation.lines for conversation in conversations):
        raise BadRequest(f"{file} holds no dialogue: start with a heading such as '== 2026-03-02 09:15  First talk'")
    _check_expectations(conversations, file)
    return conversations


def _read_line(conversations: list[ScriptConversation], raw: str, where: str, number: int) -> None:
    heading, expected, said = _HEADING.fullmatch(raw), _EXPECTED.fullmatch(raw), _SAID.fullmatch(raw)
    if heading:
        try:
            at = datetime.strptime(f"{heading[1]} {heading[2]}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
        except ValueError:
            raise BadRequest(f"{where}: {heading[1]} {heading[2]} is not a date and time") from None
        conversations.append(ScriptConversation(at=at, title=heading[3], lines=[]))
    elif not conversations:
        raise BadRequest(f"{where}: a heading such as '== 2026-03-02 09:15  First talk' must come first")
    elif expected and conversations[-1].lines:
        line = conversations[-1].lines[-1]
        if expected[1] == "source":
            line.source = expected[2].strip()
        else:
            line.answers = tuple(word.strip() for word in expected[2].split("|") if word.strip())
    elif said:
        conversations[-1].lines.append(ScriptLine(number=number, speaker=said[1], text=said[2]))
    else:
        raise BadRequest(f"{where}: expected 'Name: what is said', or an indented 'source:' or 'answer:' line under a question")


def _check_expectations(conversations: list[ScriptConversation], file: Path) -> None:
    earlier: set[str] = set()
    for conversation in conversations:
        for line in conversation.lines:
            where = f"{file}, line {line.number}"
            if bool(line.source) != bool(line.answers):
                raise BadRequest(f"{where}: a checked question needs both 'source:' and 'answer:'")
            if line.source and line.source not in earlier:
                raise BadRequest(f"{where}: source {line.source!r} matches no line of an earlier conversation")
            for word in line.answers:
                if word.lower() in line.text.lower():
                    raise BadRequest(f"{where}: the question contains {word!r}, so an answer with it proves nothing")
        earlier |= {line.text for line in conversation.lines}
