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
from .aspects import complains, subject_of
from .likelihood import likelihood
from .revocations import find_revocations, is_revocation
from .sentences import MASK, NOW, SHORT_QUOTE, form, holds_on, is_task, read_sentences, search, without_lead, without_opening
from .wordings import WORDINGS
from .wordings.east_asian import east_asian_wording, is_about_once, is_east_asian, without_east_asian_lead
from .wordings.openings import INSTEAD
from .wordings.permitting import AGAIN, CASE, EXCEPTION, EXCEPTS, TIME
from .wordings.wording import Wording

MOST_INSTRUCTIONS = 5  # per message
LONGEST = 300  # characters of an instruction
LEAST_LIKELIHOOD = 0.6  # a false rule is worse than a missed one
LEAST_OF_TASK = 0.9  # the same after "write me a card", where wishes are about the card
LEAST_INSTEAD = 0.2  # the same of what to do instead of what was just forbidden
MOST_POINTING, MOST_INSTEAD = 6, 12  # words of such sentences
MOST_OF_REASON = 0.4  # likelihood; a likelier clause is part of the wish
MOST_REASONS = 3  # clauses before a wish
FEWEST_WORDS, SHORTEST_REASON = 2, 4  # words, or characters in Chinese, Japanese and Korean; a greeting or a name is shorter

_REASON_END = re.compile(
    r"(?i)[,;] (?:and )?(?P<so>(?:so|thus|hence|also|deshalb|daher|darum|drum|donc|alors|así que|por eso|quindi|perciò"
    r"|então|por isso|portanto|dus|daarom|поэтому|так что|więc|dlatego)\b,? )?| [–—-] | so (?=please\b|always\b|from now)"
    r"|[，、](?:所以|因此|だから|なので|그래서)?"
)
_TITLES = ("さん", "様", "君", "ちゃん", "님", "씨")  # end a name
_SELF_FIRST = re.compile(r"(?i)(?:i|i'm|i've|we|ich|wir|je|j'\w+|nous|yo|io|eu|ik|wij|я|мы|ja)\b")

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
_REFERS_BACK = re.compile(
    r"(?i)\b(?:it|them|that|those|this|one|like that|das|sie|es|dies|así|così|assim|ainsi|их|его|это|так)\b"
)
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
    before, last, of_task = "", "", False  # the sentence before, the key of its instruction, whether one text is asked for
    for sentence, introduced in sentences:
        instruction = None
        if not _is_exception(sentence):
            if last and (more := _instead(sentence)):
                found[last] = _join(found[last], more)
                before = last = ""
                continue
            of_task = of_task or _is_only_task(sentence)
            instruction = (
                None if _is_only_task(sentence) else _read_wish(sentence, before, introduced=introduced, of_task=of_task)
            )
        before, last = sentence, ""
        if instruction is not None:
            last = instruction.text.casefold()
            found.setdefault(last, instruction)
    return [_with_quotes(each, words) for each in found.values()][:MOST_INSTRUCTIONS]


def _is_exception(sentence: str) -> bool:
    return bool(form(EXCEPTS).match(sentence) or form(r"(?i)(?:{})", EXCEPTION).match(sentence))


def _is_only_task(sentence: str) -> bool:
    """Whether it asks for one text, and all that it says about it holds for this text."""
    return is_task(sentence) and not holds_on(sentence)


def _read_wish(sentence: str, before: str, *, introduced: bool, of_task: bool) -> Instruction | None:
    withdraws = is_revocation(sentence) and not any(_begins_case(wording, sentence) for wording in WORDINGS)
    if withdraws and not complains(sentence) and ((rest := _after_withdrawal(sentence)) or not is_lasting_relief(sentence)):
        sentence = rest
    least = LEAST_OF_TASK if of_task and not holds_on(sentence) else LEAST_LIKELIHOOD
    instruction = _read(sentence, introduced=introduced, least=least)
    if instruction is None and before and _points_back(sentence):
        instruction = _read(_add_clause(before, sentence), introduced=introduced, least=least)
    return instruction


def _add_clause(before: str, sentence: str) -> str:
    return f"{before.rstrip(' .!…。！')}, {sentence[:1].lower()}{sentence[1:]}"


def _points_back(sentence: str) -> bool:
    """Whether a short sentence is about what the one before names: "I hate tables. Leave them out." """
    return len(sentence.split()) <= MOST_POINTING and _REFERS_BACK.search(sentence) is not None


def is_lasting_relief(sentence: str) -> bool:
    """Whether what a sentence lets go, and does not say to have been so before, may be forbidden by it: "you can skip
    greetings from now on".  It forbids them if no rule asks for them."""
    if is_east_asian(sentence) or re.search(AGAIN, sentence.casefold()):
        return False
    return holds_on(sentence) and any(each.reach == "named" for each in find_revocations(sentence))


def _instead(sentence: str) -> str:
    """A short sentence after an instruction that says what to do instead: "Write whole sentences instead." """
    plain = " ".join(sentence.split()).strip(" .!…。！")
    if MASK in plain or plain.endswith(("?", "？")) or len(plain.split()) > MOST_INSTEAD or len(plain) > LONGEST:
        return ""
    return plain if form(r"(?i)(?:{})", INSTEAD).search(plain) and likelihood(plain) >= LEAST_INSTEAD else ""


def _join(instruction: Instruction, more: str) -> Instruction:
    return replace(instruction, text=f"{instruction.text}. {more}", action=f"{instruction.action}. {more}")


def _after_withdrawal(sentence: str) -> str:
    """What a sentence asks for after a clause that withdraws something: "no need to be polite, just be direct"."""
    withdrawing, comma, rest = sentence.partition(", ")
    return rest if comma and is_revocation(withdrawing) and not is_revocation(rest) else ""


_SELF = re.compile(r"(?i), (?:i|we|ich|wir|je|nous|yo|io|eu|ik|wij|ja|я|мы)\b")


def find_exceptions(message: str) -> list[str]:
    """The sentences of a message that only except something from an instruction before them.

    >>> find_exceptions("Except on Fridays.")
    ['except on Fridays']
    """
    plain = (" ".join(sentence.split()) for sentence, _ in read_sentences(message)[0])
    found = [each.strip(" .!…") for each in plain if form(EXCEPTS).match(each) and len(each) <= LONGEST]
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


def _read(sentence: str, *, introduced: bool, least: float = LEAST_LIKELIHOOD) -> Instruction | None:
    """The instruction in a sentence.  ``introduced``: "from now on:" precedes it."""
    plain = without_opening(_TAG_QUESTION.sub("", " ".join(sentence.split())))
    if not plain or len(plain) > LONGEST or plain.startswith(MASK) or _SMALL_TALK.match(plain):
        return None
    if plain.count(MASK) != len(SHORT_QUOTE.findall(plain)):  # words of others
        return None
    likely = likelihood(plain, introduced=introduced)
    if wish := _after_reason(plain):
        plain = wish
    elif likely < least:
        return None
    if is_east_asian(plain):
        text = without_east_asian_lead(plain)
        return Instruction(text=text, action=text, subject=subject_of(text))
    wording = _wording_of(plain)
    text = without_lead(wording, plain)[0].strip(" ,;.!…?") or plain
    return _conditional(wording, text) or Instruction(text=text, action=text, subject=subject_of(text))


def _after_reason(plain: str) -> str:
    """The wish after clauses that only say why: "I have moved, so always give prices in euros".  "" if it is not so."""
    if form(r"(?i)(?:{}|{})", CASE, TIME).match(plain) or any(_begins_case(wording, plain) for wording in WORDINGS):
        return ""
    for found in list(_REASON_END.finditer(plain))[:MOST_REASONS]:
        reason, wish = plain[: found.start()], plain[found.end() :].strip()
        if is_task(reason) or _is_of_others(reason) or likelihood(reason) >= MOST_OF_REASON:
            return ""
        if not _is_clause(reason, concludes=found["so"] is not None) or not _is_lasting(wish):
            continue
        if likelihood(wish) >= LEAST_LIKELIHOOD and (is_east_asian(wish) or len(wish.split()) > FEWEST_WORDS):
            return plain if _REFERS_BACK.search(wish) else wish
    return ""


def _is_of_others(reason: str) -> bool:
    """Whether a clause tells what others say, or what holds once."""
    lower = NOW.sub(" ", reason.casefold())
    if is_east_asian(reason):
        return is_about_once(reason)
    return any(search(wording.report, lower) or search(wording.once, lower) for wording in WORDINGS)


def _is_clause(reason: str, *, concludes: bool) -> bool:
    """Whether it may have a subject and a verb, rather than be a greeting, a name or "from now on"."""
    if is_east_asian(reason):
        return len(reason) >= SHORTEST_REASON and not _is_lasting(reason) and not reason.endswith(_TITLES)
    if not all(without_lead(wording, reason)[0].strip() for wording in WORDINGS):
        return False
    return len(reason.split()) >= (FEWEST_WORDS if concludes or _SELF_FIRST.match(reason) else FEWEST_WORDS + 1)


def _is_lasting(wish: str) -> bool:
    """Whether a clause says that it holds from now on."""
    lower = wish.casefold()
    if is_east_asian(wish):
        wording = east_asian_wording(wish)
        return wording is not None and re.search(wording.standing, wish) is not None
    return any(search(wording.phrase, lower) or search(wording.early, lower) for wording in WORDINGS)


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
