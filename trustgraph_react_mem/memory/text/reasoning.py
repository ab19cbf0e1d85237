"""Removes what models write beside the text that is meant: reasoning (``<think>`` and its variants), control tokens, and the
further turns of an endpoint that does not stop at the end of the model's own.

A tag in code, after a quotation mark, or in a line of text with its counterpart is written about, not used: it stays.
"""

import re
from collections.abc import Iterator
from typing import Final

from .fences import Fences

#: Names of the elements that hold reasoning.
NAMES: Final = (
    "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|inner_monologue|inner_thoughts|thought_process|"
    "ponder"
)
_FINAL: Final = r"<\|channel\|>\s*final\s*(?:<\|constrain\|>\s*\w{1,20}\s*)?<\|message\|>"
_FORMS: Final = {
    "closes": rf"</(?:seed:)?(?:{NAMES})\s*>|<\|(?:/|end_of_|end_)(?:{NAMES})\|>|<\|(?:{NAMES})_end\|>|\[/THINK\]|◁/think▷"
    rf"|<\|end\|>|<channel\|>|<\|inner_suffix\|>|<unused95>|{_FINAL}",
    "opens": rf"<(?:seed:)?(?:{NAMES})(?:\s[^<>]{{0,80}})?>|<\|(?:begin_of_|start_)?(?:{NAMES})(?:_start)?\|>|\[THINK\]|◁think▷"
    r"|<\|channel\|>\s*(?:analysis|commentary)\s*<\|message\|>|<\|channel>thought|<\|inner_prefix\|>|<unused94>",
    "ends_turn": r"<\|(?:im_end|eot_id|eom_id|end_of_text|endoftext|end_of_turn|end_of_turn_token|return|end|user|system"
    r"|observation|end_of_solution|end_response)\|>|<end_of_turn>|<turn\|>|<｜(?:end▁of▁sentence|user)｜>|<eos>",
    "begins_turn": r"<\|(?:im_start|start|start_header_id|start_of_role|start_of_turn_token)\|>|<start_of_turn>|<\|turn>",
    "controls": r"<\|(?:end_header_id|end_of_role|assistant|chatbot_token|begin_of_text|begin_of_solution|start_response)\|>"
    r"|<｜(?:begin▁of▁sentence|assistant)｜>|<bos>",
}
_KNOWN = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in _FORMS.items()), re.IGNORECASE)
_TAG = re.compile(r"[<\[◁]")
_LONGEST_TAG: Final = 110
_STARTS: Final = (
    *(f"{start}{name}" for start in ("<", "</", "<seed:", "</seed:") for name in NAMES.split("|")),
    *("<|", "<｜", "[think]", "[/think]", "◁think▷", "◁/think▷", "<channel|>", "<unused94>", "<unused95>"),
    *("<start_of_turn>", "<end_of_turn>", "<turn|>", "<eos>", "<bos>"),
)
_APART = re.compile(r" <(?!\||\Z)")
_GOES_ON: Final = re.compile(r"[ \t]+\S|[,;:.!?)]")  # text after a token that is a word of its sentence
_LITERAL_AFTER: Final = "`\"'“‘«"  # a tag after one of these is written about, not used
_BEGINS_AFTER: Final = ":：.!?。！？>*)"
#: Who speaks, after the token that begins a turn; a model may name the tool that it calls.
_SPEAKER = re.compile(r"\s*(?P<role>[A-Za-z]{0,20})(?P<call> to=[\w.-]{1,80})?")
_SPEAKER_BEGINS = re.compile(r"\s{0,8}[A-Za-z]{0,20}(?: (?:t(?:o(?:=[\w.-]{0,80})?)?)?)?")
_OWN_ROLES: Final = ("assistant", "model", "ai", "bot", "chatbot")
_OTHER_ROLES: Final = ("user", "human", "system", "tool", "developer", "observation")


class ReasoningFilter:
    """``feed`` each chunk, then ``finish``.  Both yield the visible text, and None where all text so far was reasoning.

    A block that is not closed is removed up to the end.  Where a block is closed but was not opened, because the prompt opened
    it, the text before belongs to it.
    """

    def __init__(self) -> None:
        self._rest = ""  # the start of a possible tag
        self._inside = False
        self._speaker: str | None = None  # the text after the token that begins a turn, while it may name the speaker
        self._turn_ended = False
        self._end_tag = ""  # what ended the turn, and the space after it, while it may turn out to be text
        self._others_turn = False  # what follows is not the model's to say
        self._forget()

    def _forget(self) -> None:
        self._before = ""  # the last visible character of the line that is not white space; "" at its start
        self._last = ""  # the last visible character
        self._said = False
        self._written = 0  # opening tags of this line, or of this code, that are written about
        self._fences = Fences()

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
            if start > position:
                yield from self._say(text[position:start])
            position = start
            if found is None:
                break
            tag = _KNOWN.match(text, position)
            if not ended and tag is None and _is_unfinished(text[position : position + _LONGEST_TAG + 1]):
                self._rest = text[position:]
                return
            if tag is None:
                yield from self._say(text[position])
                position += 1
                continue
            yield from self._take(tag)
            position = tag.end()
        if ended:
            yield from self._name_speaker()

    def _take(self, tag: re.Match[str]) -> Iterator[str | None]:
        self._end_tag = ""
        yield from self._name_speaker()
        opens, closes = tag.lastgroup == "opens", tag.lastgroup == "closes"
        if self._inside:
            self._inside = not closes
        elif self._is_written(opens=opens, closes=closes):
            self._written = max(0, self._written + opens - closes)
            yield from self._say(tag.group())
        elif opens:
            self._inside = True
        elif tag.lastgroup == "begins_turn":
            self._speaker = ""
        elif tag.lastgroup == "ends_turn" or tag.group() == "<|end|>":
            if self._said and not self._turn_ended:
                self._turn_ended, self._end_tag = True, tag.group()
        elif closes and not self._others_turn:
            self._turn_ended = False
            self._forget()
            yield None

    def _is_written(self, *, opens: bool, closes: bool) -> bool:
        """Whether a tag is part of the text."""
        if self._last in tuple(_LITERAL_AFTER):
            return True
        if closes:
            return self._written > 0
        return self._fences.are_open or (opens and not (self._before == "" or self._before in _BEGINS_AFTER))

    def _say(self, text: str) -> Iterator[str]:
        """Text between tags."""
        if self._inside:
            return
        if self._speaker is not None:
            self._speaker += text
            if not (len(self._speaker) < _LONGEST_TAG and _SPEAKER_BEGINS.fullmatch(self._speaker)):
                yield from self._name_speaker()
            return
        if self._end_tag:
            self._end_tag += text
            after = self._end_tag.partition(">")[2]
            if after.isspace() and "\n" not in after:
                return
            text, self._turn_ended = self._end_tag, not _GOES_ON.match(after)
            self._end_tag = ""
        self._others_turn |= self._turn_ended and text.strip() != ""
        if not (self._turn_ended or self._others_turn):
            yield self._show(text)

    def _name_speaker(self) -> Iterator[str]:
        """Decide about the text after the token that begins a turn."""
        text, self._speaker = self._speaker, None
        named = _SPEAKER.match(text) if text is not None else None
        if named is None:
            return
        role = named["role"].casefold()
        if role in _OTHER_ROLES:
            self._others_turn |= self._said
        elif role in _OWN_ROLES and not self._others_turn:
            self._turn_ended = False
        call = f"<|channel|>commentary{named['call']} " if named["call"] else ""
        yield from self._say(call + named.string[named.end() if role in (*_OWN_ROLES, *_OTHER_ROLES) else 0 :])

    def _show(self, text: str) -> str:
        if not text:
            return text
        self._fences.read(text)
        if "\n" in text and not self._fences.are_open:
            self._written = 0
        line = text.rpartition("\n")[2] if "\n" in text else self._before + text
        self._before = line.rstrip()[-1:]
        self._last = text[-1]
        self._said |= not text.isspace()
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
    """Whether more text may make it a tag."""
    tag = tag.lower()
    if len(tag) > _LONGEST_TAG:
        return False
    return any(start.startswith(tag) or (tag.startswith(start) and _may_end(tag[len(start) :])) for start in _STARTS)


def _may_end(rest: str) -> bool:
    return "\n\n" not in rest and rest.count(">") < 4 and rest.count("<") < 3 and _APART.search(rest) is None


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
