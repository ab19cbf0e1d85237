"""Recognises that a person permits what a rule forbids, or the opposite of what it asks for: "feel free to joke again".

The wording is free: it is enough that something is permitted, holds again or is missed, and that the rule is about it.
What is said of others ("my sister tells jokes again"), once, or as a question permits nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...memory.records import INSTRUCTION, Fact
from .aspects import alike, direction, is_permission, kinds_of, named_topics, subject_of, values_of
from .sentences import MASK, NOW, form, read_sentences, search, without_lead
from .wordings import WORDINGS
from .wordings import permitting as words
from .wordings.east_asian import is_about_once, is_east_asian

LONGEST = 300  # characters of a sentence
SHORT = 5  # words of a sentence without a verb: "jokes again, please"
LEAST_SHARED = 0.5  # of the words of the rule or of the permission
_GRANTS = re.compile("|".join((words.PERMITTED, words.MISSED)))
_BREAK = re.compile(r"[,;，、] ?(?:so |and |und |also |et |donc |y |así que |e |quindi |en |dus |и |так что |i |więc )?")
_CUES = re.compile("|".join((words.PERMITTED, words.AGAIN, words.MISSED)))
_WEAK = re.compile(words.WEAK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """``text``: the sentence.  ``excepts``: it only narrows a rule.  ``explicit``: it calls itself an exception.

    ``again``: it says that something holds again or is missed, rather than only that it is permitted.
    ``refers``: it points to what was said before: "for shopping lists they're fine though".
    ``missed``: the person misses it.  ``asks``: it asks for something, so that it may be an instruction too.
    """

    text: str
    excepts: bool = False
    explicit: bool = False
    refers: bool = False
    again: bool = False
    missed: bool = False
    asks: bool = False


def find_permissions(message: str) -> list[Permission]:
    """What one message of a person permits, in order.

    >>> [each.again for each in find_permissions("Feel free to make jokes again.")]
    [True]
    >>> find_permissions("My sister makes jokes again.")
    []
    """
    return [found for sentence, _ in read_sentences(message)[0] if (found := _in_sentence(" ".join(sentence.split())))]


def _in_sentence(plain: str) -> Permission | None:
    if not plain or len(plain) > LONGEST or MASK in plain or form(words.EXCEPTS).match(plain):
        return None
    if plain.endswith(("?", "？")) and not re.search(words.MISSED, plain.casefold()):
        return None
    text = plain.strip(" .!?…。！？")
    lower = text.casefold()
    if re.match(words.EXCEPTION, lower):
        return Permission(text=text, excepts=True, explicit=True)
    if is_east_asian(plain):
        if is_about_once(plain.replace("现在", "")):
            return None
        narrow = re.search(words.EAST_ASIAN_CASE, lower) is not None
    else:
        timeless = NOW.sub(" ", lower)
        if any(search(each.once, timeless) or search(each.report, lower) for each in WORDINGS):
            return None
        narrow = re.match(rf"(?:{words.ONLY} )?{words.CASE}", lower) is not None
    if re.match(words.OTHERS, lower):  # "we eat meat again, so you may suggest it" still permits something
        lower = lower if narrow else _BREAK.split(lower, maxsplit=1)[-1]
        direct = re.search(words.DIRECT, lower) or (narrow and re.search(words.REFERS, lower))
        if (not narrow and re.match(words.OTHERS, lower)) or not direct:
            return None
    again = re.search(rf"{words.AGAIN}|{words.MISSED}", lower) is not None
    permitted = re.search(words.PERMITTED, lower) is not None
    missed = re.search(words.MISSED, lower) is not None
    asks = not permitted and not missed
    if asks and not (again and _is_request(lower)):
        return None
    excepts = narrow and permitted and not again
    refers = excepts and re.search(words.REFERS, lower) is not None
    return Permission(text=text, excepts=excepts, refers=refers, again=again, missed=missed, asks=asks)


def _is_request(lower: str) -> bool:
    """Whether a sentence that permits nothing asks for something: "use emojis again", "jokes again, please"."""
    bare = lower
    for wording in WORDINGS:
        bare, _ = without_lead(wording, bare)
    return (len(bare.split()) <= SHORT and not is_east_asian(bare)) or any(
        form(r"(?:{})\b", wording.verb).match(bare) for wording in WORDINGS
    )


def permitted_rules(permission: Permission, known: Sequence[Fact], conversation_id: str) -> list[Fact]:
    """The known rules that a permission in a conversation is about: those that end, or the one that it narrows."""
    about = [rule for rule in known if _is_about(permission, rule)]
    if not permission.excepts:
        return about
    meant = [rule for rule in known if permission.explicit or (permission.refers and rule.source == conversation_id)]
    return sorted(about or meant, key=lambda rule: (rule.said_at or rule.created_at, rule.id))[-1:]


def _is_about(permission: Permission, rule: Fact) -> bool:
    if rule.condition and not permission.excepts:
        return False
    said, ruled = permission.text.casefold(), rule.content.casefold()
    if (subject_of(permission.text) == "name") != (rule.metadata[INSTRUCTION] == "name"):
        return False
    forbids = not is_permission(rule.content) or _forbids(ruled)
    if (permits := direction(_keep_granting(said))) and (asked := direction(ruled)):
        return permits != asked if not forbids else permits == asked
    kinds = kinds_of(said) & kinds_of(ruled)
    if not forbids and ((permission.excepts and kinds) or any(values_of(k, said) != values_of(k, ruled) for k in kinds)):
        return True
    subject = subject_of(said)
    same = subject == rule.metadata[INSTRUCTION] and subject not in ("", "name", "length")
    permitted = _CUES.sub(" ", said)
    last = _BREAK.split(permitted)[-1] if is_east_asian(said) else permitted
    shared = max(_measure_overlap(text, ruled) for text in (permitted, _CUES.sub(" ", _keep_granting(said))))
    leaves_out = re.search(words.WITHOUT, last) is not None
    if forbids:
        return shared >= LEAST_SHARED and (not leaves_out or permission.missed)
    if permission.excepts:
        return same or shared >= LEAST_SHARED
    if same and subject != "language":
        return not _same_value(said, ruled)
    return permission.again and shared >= LEAST_SHARED and (leaves_out or _names_rejected(permitted, ruled))


def _names_rejected(permitted: str, ruled: str) -> bool:
    """Whether what is permitted is what the rule puts aside: "use the stove, not the oven", "the oven is fine again"."""
    parts = re.split(words.REJECTED, ruled, maxsplit=1)
    return len(parts) > 1 and _measure_overlap(permitted, parts[1]) > max(LEAST_SHARED, _measure_overlap(permitted, parts[0]))


def _keep_granting(said: str) -> str:
    """The clauses that permit something or miss it: "long" in another one says nothing about answers."""
    clauses = _BREAK.split(said)
    return ", ".join(each for each in clauses if _GRANTS.search(each)) or said


def _forbids(ruled: str) -> bool:
    """Whether a rule leaves something out, without a word such as "never": "explain it without jargon"."""
    return re.search(r"\b(?:without|no|ohne|keine?n?|sans|sin|senza|sem|zonder|geen|без|bez)\b|なし", ruled) is not None


def _same_value(said: str, ruled: str) -> bool:
    mine, others = named_topics(said), named_topics(ruled)
    return bool(mine & others)


def _measure_overlap(said: str, ruled: str) -> float:
    """The share of common words, of the shorter of two texts."""
    mine, others = ({word for word in named_topics(text) if not _WEAK.match(word)} for text in (said, ruled))
    if not mine or not others:
        return 0.0
    common = sum(1 for word in others if any(alike(word, other) for other in mine))
    return common / min(len(mine), len(others))
