"""Recognises standing instructions in what a person says: "Always answer in German", "never call me before nine".

They are recognised when the turn is recorded, without asking a model, so that they apply from the next turn on.

- A linear model tells whether a sentence is an instruction (``likelihood.py``).  A false rule does more harm than a missed one:
  background learning can still find it.
- Quoted and pasted text is not read, and of a long message only its beginning.
- A condition before the instruction is kept apart.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...memory.records import INSTRUCTION, Fact
from .aspects import subject_of
from .likelihood import likelihood
from .revocations import is_revocation
from .sentences import MASK, SHORT_QUOTE, form, read_sentences, without_lead
from .wordings import WORDINGS
from .wordings.east_asian import is_east_asian, without_east_asian_lead
from .wordings.wording import Wording

MOST_INSTRUCTIONS = 5  # per message
LONGEST = 300  # characters of an instruction
LEAST_LIKELIHOOD = 0.65  # a false rule is worse than a missed one

_SMALL_TALK = re.compile(
    r"(?i)^(?:hi|hey|hello|hallo|hoi|hola|olá|oi|ciao|salut|bonjour|guten (?:tag|morgen|abend)|good (?:morning"
    r"|evening|afternoon)"
    r"|thanks?(?: you)?(?: so much| very much)?|danke(?: schön)?|merci|gracias|grazie|obrigad[oa]|bedankt|dank je|привет"
    r"|здравствуйте|спасибо|cześć|dzień dobry|dziękuję|dzięki"
    r"|ok(?:ay)?|great|super|gut|yes|no)"
    r"(?: \w+)?[\s.!,]*$"
)
_TAG_QUESTION = re.compile(
    r"(?i),\s*(?:ok(?:ay)?|right|all right|alright|will you|would you|ja|klar|oder|d'accord|vale|va bene|tá|certo"
    r"|oké|goed|хорошо|ладно|dobrze|ok)\s*\?$"
)
# What is wanted in a case: "when you give me directions I want kilometres".
_WISH = re.compile(
    r",? (?:i (?:want|need|prefer)|i'd (?:like|prefer)|please|ich (?:will|möchte|brauche|hätte gern)|(?:will|möchte|brauche"
    r"|hätte) ich"
    r"|bitte|je (?:veux|voudrais|préfère)|quiero|prefiero|necesito|voglio|vorrei|preferisco|quero|prefiro|(?:ik wil|wil ik)"
    r"|chcę|wolę"
    r"|(?:я )?(?:хочу|предпочитаю))\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """``text``: as the person said it.  ``condition``: when it applies; empty: always.  ``action``: what to do then.

    ``subject``: what it is about.  Of two instructions about the same subject, only the newer one holds.
    """

    text: str
    action: str
    condition: str = ""
    subject: str = ""


def find_instructions(message: str) -> list[Instruction]:
    """The standing instructions in one message of a person, in order.

    >>> [each.subject for each in find_instructions("Always answer me in German.")]
    ['language']
    >>> find_instructions("I always answer in German at work.")
    []
    """
    sentences, words = read_sentences(message)
    found: dict[str, Instruction] = {}
    for sentence, introduced in sentences:
        if _EXCEPTS.match(sentence):
            continue
        if is_revocation(sentence) and not any(_begins_case(wording, sentence) for wording in WORDINGS):
            sentence = _after_withdrawal(sentence)
        instruction = _read(sentence, introduced=introduced)
        if instruction is not None:
            found.setdefault(instruction.text.casefold(), _with_quotes(instruction, words))
    return list(found.values())[:MOST_INSTRUCTIONS]


def _after_withdrawal(sentence: str) -> str:
    """What a sentence asks for after a clause that withdraws something: "no need to be polite, just be direct"."""
    withdrawing, comma, rest = sentence.partition(", ")
    return rest if comma and is_revocation(withdrawing) and not is_revocation(rest) else ""


_EXCEPTS = re.compile(
    r"(?i)^(?:(?:but|and|well|aber|mais|pero|ma|mas|maar|ale|но) )?(?:except|apart from|außer|ausgenommen|sauf|excepté|excepto"
    r"|salvo|tranne|eccetto|exceto|behalve|oprócz|z wyjątkiem|кроме|за исключением)\b|^(?:除了|除非)"
)
_SELF = re.compile(r"(?i), (?:i|we|ich|wir|je|nous|yo|io|eu|ik|wij|ja|я|мы)\b")


def find_exceptions(message: str) -> list[str]:
    """The sentences of a message that only except something from an instruction before them.

    >>> find_exceptions("Except on Fridays.")
    ['except on Fridays']
    """
    plain = (" ".join(sentence.split()) for sentence, _ in read_sentences(message)[0])
    found = [each.strip(" .!…") for each in plain if _EXCEPTS.match(each) and len(each) <= LONGEST]
    return [
        each[0].lower() + each[1:] for each in found if MASK not in each and not each.endswith("?") and not _SELF.search(each)
    ]


def is_instruction(fact: Fact) -> bool:
    """Whether the fact is a rule that a person gave."""
    return fact.kind == "procedural" and INSTRUCTION in fact.metadata


def _with_quotes(instruction: Instruction, words: Mapping[str, str]) -> Instruction:
    """The instruction with the quotation marks that the person put around single words."""
    if not words:
        return instruction
    within = re.compile(
        "|".join(re.escape(word) if is_east_asian(word) else rf"(?<!\w){re.escape(word)}(?!\w)" for word in words)
    )
    text, action = (within.sub(lambda match: words[match.group()], each) for each in (instruction.text, instruction.action))
    return replace(instruction, text=text, action=action)


def _read(sentence: str, *, introduced: bool) -> Instruction | None:
    """The instruction in a sentence.  ``introduced``: "from now on:" precedes it."""
    plain = _TAG_QUESTION.sub("", " ".join(sentence.split()))
    if not plain or len(plain) > LONGEST or plain.startswith(MASK) or _SMALL_TALK.match(plain):
        return None
    if plain.count(MASK) != len(SHORT_QUOTE.findall(plain)):  # words of others
        return None
    if likelihood(plain, introduced=introduced) < LEAST_LIKELIHOOD:
        return None
    if is_east_asian(plain):
        text = without_east_asian_lead(plain)
        return Instruction(text=text, action=text, subject=subject_of(text))
    wording = _wording_of(plain)
    text = without_lead(wording, plain)[0].strip(" ,;.!…?") or plain
    return _conditional(wording, text) or Instruction(text=text, action=text, subject=subject_of(text))


def _wording_of(plain: str) -> Wording:
    """The wordings of the language in which the sentence begins."""
    begun = (wording for wording in WORDINGS if without_lead(wording, plain)[0] != plain or _begins_case(wording, plain))
    return next(begun, WORDINGS[0])


def _begins_case(wording: Wording, plain: str) -> re.Match[str] | None:
    return form(r"(?i)(?:{}|{})\b", wording.whenever, wording.when).match(plain)


def _conditional(wording: Wording, text: str) -> Instruction | None:
    """ "When I ask for recipes, suggest vegetarian ones": a condition, then what to do."""
    begins = _begins_case(wording, text)
    if begins is None:
        return None
    wish, comma = _WISH.search(text, begins.end()), text.find(",", begins.end())
    end = wish.start() if wish and not 0 <= comma < wish.start() else comma
    if end < 0:
        return None
    condition = text[begins.end() : end].strip(" ,")
    action = without_lead(wording, re.sub(r"(?i)^[\s,]*(?:then|dann|alors|entonces|allora|então|dan)\b", "", text[end:]))[0]
    action = action.lstrip(" ,")
    return Instruction(text=text, action=action, condition=condition) if condition and action else None
