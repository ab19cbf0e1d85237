"""Removes the reasoning that models write into their output: ``<think>`` blocks and their variants, and control tokens."""

import re
from collections.abc import Iterator
from typing import Final

_NAMES: Final = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_OPENS = re.compile(
    rf"<(?:seed:)?(?P<name>{_NAMES})(?:\s[^<>]{{0,80}})?>|<\|(?:begin_of_)?(?:{_NAMES})(?:_start)?\|>|\[THINK\]|◁think▷"
    r"|<\|channel\|>\s*(?:analysis|commentary)\s*<\|message\|>",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    rf"</(?:seed:)?(?:{_NAMES})\s*>|<\|(?:/|end_of_)(?:{_NAMES})\|>|<\|(?:{_NAMES})_end\|>|\[/THINK\]|◁/think▷"
    r"|<\|end\|>(?:<\|start\|>assistant)?(?:<\|channel\|>\s*final\s*<\|message\|>)?|<\|channel\|>\s*final\s*<\|message\|>",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|return|eom_id|start|end)\|>", re.IGNORECASE)
_TAG = re.compile(r"[<\[◁]")
_LONGEST_TAG: Final = 110
_STARTS: Final = (
    *(f"{start}{name}" for start in ("<", "</", "<seed:", "</seed:") for name in _NAMES.split("|")),
    *("<|", "[think]", "[/think]", "◁think▷", "◁/think▷"),
)
_LITERAL_AFTER: Final = "`\"'“‘«"  # a tag after one of these is written about, not used
_BEGINS_AFTER: Final = ":：.!?。！？>*)"


class ReasoningFilter:
    """``feed`` each chunk, then ``finish``.  Both yield the visible text, and None where all text so far was reasoning.

    A block that is not closed is removed up to the end.  Where a block is closed but was not opened, because the prompt opened
    it, the text before belongs to it.
    """

    def __init__(self) -> None:
        self._rest = ""  # the start of a possible tag
        self._inside = False
        self._before = ""  # the last visible character of the line that is not white space; "" at its start
        self._last = ""  # the last visible character

    def feed(self, chunk: str) -> Iterator[str | None]:
        return _join(self._scan(self._rest + chunk, ended=False))

    def finish(self) -> Iterator[str | None]:
        return _join(self._scan(self._rest, ended=True))

    def _scan(self, text: str, *, ended: bool) -> Iterator[str | None]:
        self._rest = ""
        position = 0
        while position < len(text):
            found = _TAG.search(text, position)
            start = found.start() if found is not None else len(text)
            if start > position and not self._inside:
                yield self._show(text[position:start])
            position = start
            if found is None:
                return
            closes, opens = _CLOSES.match(text, position), _OPENS.match(text, position)
            control = _CONTROL.match(text, position)
            tag = closes or opens or control
            grows = tag is None or (tag.end() == len(text) and tag.group().startswith("<|"))
            if not ended and grows and _is_unfinished(text[position : position + _LONGEST_TAG + 1]):
                self._rest = text[position:]
                return
            if self._inside:
                self._inside = closes is None
                position = closes.end() if closes else position + 1
            elif tag is None or self._last in tuple(_LITERAL_AFTER) or (opens and not closes and not self._opens_block()):
                yield self._show(text[position])
                position += 1
            else:
                if opens and not closes:
                    self._inside = True
                elif closes and not control:
                    self._before = self._last = ""
                    yield None
                position = tag.end()

    def _opens_block(self) -> bool:
        return self._before == "" or self._before in _BEGINS_AFTER

    def _show(self, text: str) -> str:
        line = text.rpartition("\n")[2] if "\n" in text else self._before + text
        self._before = line.rstrip()[-1:]
        self._last = text[-1]
        return text


def without_reasoning(text: str) -> str:
    """A complete output without its reasoning.  Empty if there is nothing else."""
    found = ReasoningFilter()
    parts: list[str] = []
    for part in (*found.feed(text), *found.finish()):
        if part is None:
            parts.clear()
        else:
            parts.append(part)
    return "".join(parts).strip()


def _is_unfinished(tag: str) -> bool:
    """Whether more text may make it a tag, or a longer one."""
    tag = tag.lower()
    if len(tag) > _LONGEST_TAG:
        return False
    return any(start.startswith(tag) or (tag.startswith(start) and _may_end(tag[len(start) :])) for start in _STARTS)


def _may_end(rest: str) -> bool:
    return "\n\n" not in rest and rest.count(">") < 4 and rest.count("<") < 3 and " <" not in rest


def _join(pieces: Iterator[str | None]) -> Iterator[str | None]:
    """With the text between two Nones as one."""
    kept: list[str] = []
    for piece in pieces:
        if piece is not None:
            kept.append(piece)
            continue
        yield "".join(kept)
        yield None
        kept.clear()
    yield "".join(kept)
