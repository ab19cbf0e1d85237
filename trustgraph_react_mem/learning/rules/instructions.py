"""Recognises standing instructions in what a person says: "Always answer in German", "never call me before nine".

They are recognised by rules, without a model, when the turn is recorded, so that they apply from the next turn on.

- An instruction is a clause that begins with an imperative, or with "can you", "I want you to" and the like, and that says that
  it holds from now on.  Wishes about the form of all answers, and the name to use, need no such word.
- Statements, habits ("I always answer in German at work"), questions, single requests ("this time"), words of others
  ("my boss says ...") and quoted or pasted text are no instructions.
- Doubtful cases are no instructions: background learning can still find them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...memory.records import INSTRUCTION, Fact
from .aspects import LANGUAGES, complains, is_name_to_use, subject_of
from .revocations import is_revocation
from .sentences import MASK, SHORT_QUOTE, compile_words, form, pattern, read_sentences, search, without_lead
from .wordings import WORDINGS
from .wordings.common import COURTESY, RECURRING, TIME_LIMIT
from .wordings.east_asian import find_east_asian, is_east_asian
from .wordings.subjects import OBLIGATION
from .wordings.wording import Wording

MOST_INSTRUCTIONS = 5  # per message
LONGEST = 300  # characters of an instruction
FEW_WORDS, MOST_ELLIPTIC = 4, 8

_CLAUSE = re.compile(
    r"(?<!\s)\s*+[,;–—]\s*(?:(?:and|but|so|then|und|aber|also|mais|et|alors|donc|pero|y|así que|ma|e|quindi|mas|então|maar|en"
    r"|dus|и|а|но|поэтому|i|ale|więc)\s+)?"
    r"|(?<!\s)\s++(?:but|so please|and please|and never|and always|aber|mais|pero|und bitte|но|ale)\s+"
)
# "Book club is on Wednesdays": the first word is no imperative.
_IS_NOUN = re.compile(
    r"\w+ (?!(?:what|who|how|where|when|why|that|which|if|it|this|there)\b)(?:\w+ )?"
    r"(?:\w+'s (?!\w+\b(?!$))|\w+'s (?:on|at|in|now|not)\b|(?:is|are|was|were|has|have|will|starts|begins|opens|closes"
    r"|takes|costs)\b)"
)
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
_HABIT = re.compile(r"(?:i|we|ich|wir|je|nous|yo|nosotros|io|noi|eu|nós|ik|wij|we|я|мы|ja|my) ")
_TOWARDS_ME = re.compile(
    r"\b(?:me|my|mine|us|your|you|please|mich|mir|bitte|dein\w*|ihre\w*|moi|m'|mes|mon|tes|ton|te|vos|por favor|mis?"
    r"|tus?|mi|miei|tue|tuo|per favore|minhas?|suas?|mij|mijn|je|alsjeblieft|aub|мне|меня|мной|мо[йяеи]\w*|тво[йяеи]\w*"
    r"|сво[йяеи]\w*|пожалуйста|mnie|mi|mój|moj\w+|proszę)\b|m'"
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
    alone = sum(1 for sentence, _ in sentences if not _SMALL_TALK.match(sentence)) == 1
    found: dict[str, Instruction] = {}
    for sentence, standing in sentences:
        if is_revocation(sentence):
            sentence = _after_withdrawal(sentence)
        for instruction in _in_sentence(sentence, standing=standing, alone=alone):
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


def _in_sentence(sentence: str, *, standing: bool, alone: bool) -> Iterator[Instruction]:
    plain = _TAG_QUESTION.sub("", " ".join(sentence.split()))
    if complains(plain):
        text = plain[:LONGEST].strip(" ,;.!…")
        yield Instruction(text=text, action=text, subject=subject_of(text))
        return
    if not plain or len(plain) > 2 * LONGEST or plain.startswith(MASK):
        return
    asks = plain.rstrip(" \"')").endswith(("?", "？"))
    lower = plain.casefold()
    if MASK in plain and any(search(wording.report, lower) for wording in WORDINGS):
        return
    if is_east_asian(plain):
        text = find_east_asian(plain, asks=asks, standing=standing)[:LONGEST]
        if text and (MASK not in text or _says_phrase(text)):
            yield Instruction(text=text, action=text, subject=subject_of(text))
        return
    for wording in WORDINGS:
        if not (matched := _match_wording(wording, plain, asks=asks, standing=standing, alone=alone)):
            continue
        yield from matched
        return


def _match_wording(wording: Wording, plain: str, *, asks: bool, standing: bool, alone: bool) -> list[Instruction]:
    lower = plain.casefold()
    if search(wording.report, lower) and not re.match(r"(?:i|ich|je|yo|io|eu|ik|я|ja) ", lower):
        return []
    if conditional := _conditional(wording, plain, asks=asks):
        return [conditional]
    found = []
    starts = [0, *(match.end() for match in _CLAUSE.finditer(plain))]
    habit = bool(_HABIT.match(lower)) and not pattern(wording.want).match(lower)
    single = False
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(plain)
        clause, rest = plain[start:end].strip(" ,;–—"), plain[start:].strip(" ,;–—.!…?")
        if number < len(starts) - 1 and len(clause.split()) <= FEW_WORDS:  # an adverbial that holds for what follows it
            body, led = without_lead(wording, clause)
            if (led and not body.strip(" .!…,")) or form(r"(?i)(?:{})$", RECURRING).match(body):
                standing = True
            else:
                single = single or search(wording.once, clause.casefold())
        if single or (number and habit and not _TOWARDS_ME.search(clause.casefold())):
            continue
        whole = rest if number == 0 or len(starts) - number <= 2 else clause.strip(" .!…?")
        if _holds(wording, clause, rest, asks=asks, standing=standing, alone=alone and len(starts) <= 2):
            text = without_lead(wording, whole)[0][:LONGEST].strip(" ,;.!…?")
            found.append(Instruction(text=text, action=text, subject=subject_of(text)))
            break
    return found


def _holds(wording: Wording, clause: str, rest: str, *, asks: bool, standing: bool, alone: bool) -> bool:
    """Whether the clause is an instruction.  ``rest``: the sentence from the clause on, where "from now on" may follow."""
    if MASK in clause and not _says_phrase(clause):
        return False
    body, led = without_lead(wording, clause)
    if recurring := form(r"(?i)(?:{})[\s,]+", RECURRING).match(body):
        body, led = without_lead(wording, body[recurring.end() :])[0], True
    original = body
    lower = form(r"(?:[\s,]+{})+$", COURTESY).sub("", body.casefold().strip(" .!…?,"))
    everything = rest.casefold()
    if search(wording.once, compile_words(wording.phrase).sub(" ", everything)):
        return False
    standing = standing or led or search(wording.phrase, everything) or search(wording.every, everything)
    polite = False
    spoken, _ = without_lead(wording, rest)
    if pattern(wording.want).match(spoken.casefold()):  # a comma may follow: "ich möchte, dass du ..."
        lower = spoken.casefold().strip(" .!…?,")
    for opening in (wording.ask, wording.want):
        if match := form(r"(?:{})\b[ ,]*", opening).match(lower):
            lower, polite = lower[match.end() :], True
            lower = form(r"^(?:(?:{})\b[ ,]*)+", wording.lead).sub("", lower)
            lower = _as_imperative(wording, lower)
            break
    if pattern(wording.permit).fullmatch(original.casefold().strip(" .!…,")):
        return not asks
    if asks and not (polite and form(r"(?:{})\b", wording.ask).match(original.casefold())):
        return False
    refused = form(r"(?i)^(?:{})\s+", wording.never).sub("", original)
    if is_name_to_use(wording, original) or is_name_to_use(wording, refused):
        return True
    if not lower:
        return False
    if pattern(wording.form).fullmatch(lower) and not (polite and asks and not standing):
        return True
    if pattern(OBLIGATION).fullmatch(lower) and subject_of(lower):  # in whichever language
        return not any(search(f"{each.report}|{each.once}", everything) for each in WORDINGS)
    if form(r"(?:{})(?!\w)", wording.stop).match(lower) or form(r"(?:{})(?!\w)", wording.stop).match(everything):
        return True
    verb_first = None if _IS_NOUN.match(lower) else form(r"(?:{})(?![\w'])", wording.verb).match(lower)
    if verb_first and form(r" (?:{})$", wording.early).search(lower):  # "use grams always"
        return True
    early = form(r"(?:\S+ ){{0,4}}?(?:{})(?!\w)", wording.early).match(lower)
    if early and form(r"(?:{}) (?:{})(?![\w'])", wording.early, wording.verb).match(lower):
        return True
    if early and form(r"(?:^| ){}$", wording.tail).search(lower) and (polite or clause.casefold() != lower or not verb_first):
        return not _HABIT.match(lower)
    forbids = form(r"(?:{})(?!\w)", wording.never).match(lower)
    if (
        forbids
        and (verb_first or _verb_after(wording, lower))
        and (standing or early or _says_again(wording, lower, everything))
    ):
        return True
    if verb_first and (early or standing):
        return True
    holds = bool(early) or standing or (polite and search(wording.early, lower))
    if polite and holds and form(r"(?:^| )(?:{}|{})(?!\w)", wording.verb, wording.tail).search(lower):
        return True
    if standing and form(r"(?:^| )(?:{})$", wording.tail).search(lower):
        return True
    if standing and not asks and not _HABIT.match(lower) and _asks_politely(wording, rest):
        return len(lower.split()) <= MOST_ELLIPTIC
    if standing and not polite and form(r"(?:{}|only|nur|no|keine?|short|brief|kurze?)(?!\w)", wording.early).match(lower):
        return len(lower.split()) <= 8
    return alone and not asks and bool(form(r"(?:{}) ?{}.{{0,20}}", wording.answer, _IN_LANGUAGE).fullmatch(lower))


def _as_imperative(wording: Wording, lower: str) -> str:
    """ "Would you mind writing" asks to write, "if you kept" to keep."""
    first, _, rest = lower.partition(" ")
    if first in _PAST:
        return f"{_PAST[first]} {rest}"
    if not first.endswith("ing"):
        return lower
    stems = (first[:-3], f"{first[:-3]}e", first[:-4])
    return next((f"{stem} {rest}" for stem in stems if form(r"(?:{})$", wording.verb).match(stem)), lower)


_PAST = {
    "kept": "keep",
    "used": "use",
    "answered": "answer",
    "replied": "reply",
    "wrote": "write",
    "called": "call",
    "gave": "give",
}


def _asks_politely(wording: Wording, rest: str) -> bool:
    """Whether "please" and "from now on" stand around a few words: "plain text please from now on"."""
    plain = compile_words(wording.phrase).sub(" ", rest.casefold())
    return _STATES.search(plain) is None and bool(form(r"^\W*{}\b|\b{}\W*$", _PLEASE, _PLEASE).search(plain.strip()))


_PLEASE = (
    r"(?:please|pls|plz|bitte|s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|por favor|per favore|alsjeblieft|aub|graag|proszę"
    r"|пожалуйста)"
)
_STATES = re.compile(
    r"\b(?:is|are|am|was|were|has|have|ist|sind|war|bin|est|sont|suis|es|son|soy|está|è|sono|é|são|sou|zijn|ben|jest|są)\b"
)


def _says_phrase(clause: str) -> bool:
    """Whether the quotes in a clause are what answers begin or end with."""
    return clause.count(MASK) == len(SHORT_QUOTE.findall(clause)) and subject_of(clause) in ("opening", "closing")


def _says_again(wording: Wording, lower: str, everything: str) -> bool:
    """Whether "any more" is in the clause, or closes the sentence behind a comma."""
    return search(f"{wording.again}|{TIME_LIMIT}", lower) or bool(form(r",\s*(?:{})$", wording.again).search(everything))


_IN_LANGUAGE = rf"(?:in|auf|en|em|op|im|in het|in plain|in simple|на|po|w)?(?: het| the)? ?(?:{LANGUAGES})\b"


def _verb_after(wording: Wording, lower: str) -> re.Match[str] | None:
    """Whether an imperative follows the prohibition within the next words: "don't ever mention", "ne m'appelle jamais"."""
    return form(r"(?:\S+ |n'|m'){{1,4}}?(?:{})(?![\w'])|n'(?:{})(?![\w'])", wording.verb, wording.verb).match(lower)


def _conditional(wording: Wording, plain: str, *, asks: bool) -> Instruction | None:
    """ "When I ask for recipes, suggest vegetarian ones": a condition, then an instruction."""
    body, _ = without_lead(wording, plain)
    lower = body.casefold()
    whenever = form(r"(?:{})\b", wording.whenever).match(lower)
    if asks or not (whenever or form(r"(?:{})\b", wording.when).match(lower)):
        return None
    begun = whenever.end() if whenever else 0  # "jedes Mal, wenn" has a comma of its own
    wish, comma = _WISH.search(body, begun), body.find(",", begun)
    end = wish.start() if wish and not 0 <= comma < wish.start() else comma
    if end < 0:
        return None
    before, after = body[:end], body[end:].lstrip(" ,")
    action, _ = without_lead(wording, re.sub(r"(?i)^\s*(?:then|dann|alors|entonces|allora|então|dan)\b", "", after))
    wanted = action.casefold().strip(" .!…")
    # "Point out bugs first": the order of what is done each time.
    if search(wording.once, lower.strip(" .!…").removesuffix(" first")) or MASK in body or not wanted:
        return None
    talks = form(r"(?:{}|{}),?(?: bitte)? (?:{})\b", wording.whenever, wording.when, wording.talk).match(before.casefold())
    verb = form(r"(?:(?:{}|{}) )*(?:{})(?![\w'])", wording.early, wording.never, wording.verb).match(wanted) or _verb_after(
        wording, wanted
    )
    says_always = bool(form(r"(?:\S+ ){{0,4}}?(?:{})(?!\w)", wording.early).match(wanted)) or search(wording.phrase, wanted)
    if not ((verb or _WISH.match(f" {wanted}")) and (whenever or talks or says_always)):
        return None
    condition = form(r"(?i)^(?:{}|{})\b\s*", wording.when, wording.whenever).sub("", before).strip() or before
    text = body[:LONGEST].strip(" .!…")
    return Instruction(text=text, action=action[:LONGEST].strip(" .!…"), condition=condition[:LONGEST])
