"""Decides whether a newer statement changes what an older one says, and whether a question asks for the past.

Only forms are compared: where somebody lives or works, "my X is Y", corrections, and texts that differ in their numbers alone.
The test serves the order of what is shown, so a missed change costs little and nothing is changed in the store.  Events never
replace one another: who paid 50 euros and later 70 paid twice.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .tokenizer import terms

LONGEST = 400  # characters; a longer text says more than one thing
NEGATED_SHARE = 0.5  # share of the older text's words in a newer one that says "no longer"
SAME_WORDS = 0.7  # Jaccard similarity of the words of two texts that differ in their numbers

_SENTENCE = re.compile(r"[^.!?。！？\n]+")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_SPEAKER_WORDS = frozenset(
    [
        "i",
        "im",
        "ive",
        "we",
        "my",
        "our",
        "user",
        "the",
        "ich",
        "wir",
        "mein",
        "meine",
        "meinen",
        "unser",
        "unsere",
        "der",
        "die",
        "das",
        "den",
        "je",
        "j",
        "nous",
        "mon",
        "ma",
        "mes",
        "notre",
        "le",
        "la",
        "les",
        "yo",
        "mi",
        "mis",
        "nuestro",
        "el",
        "los",
        "io",
        "mio",
        "mia",
        "il",
        "lo",
        "eu",
        "meu",
        "minha",
        "o",
        "a",
        "ik",
        "mijn",
        "onze",
        "de",
        "het",
        "ja",
        "mój",
        "moja",
        "я",
        "мой",
        "моя",
        "мы",
        "наш",
        "私",
        "僕",
        "我",
        "now",
        "currently",
        "actually",
        "also",
        "no",
        "jetzt",
        "now",
        "maintenant",
        "ahora",
        "adesso",
        "agora",
        "nu",
        "teraz",
        "теперь",
    ]
)
_RESIDENCE = (
    r"(?:live|lives|living|reside|resides|am based|is based|(?:have |has |'ve |just |recently )*(?:moved"
    r"|relocated) (?:back )?(?:to|from)"
    r"|new (?:address|home|flat|apartment) is|wohne|wohnt|lebe|lebt|bin .{0,30}(?:nach .{0,30})?(?:um)?gezogen|ziehe um"
    r"|habite|vit à"
    r"|(?:ai|a|suis) (?:emménagé|déménagé)|vivo en|vive en|me (?:mudé|he mudado)|se mudó|abito|abita|vivo a"
    r"|mi sono trasferit[oa]"
    r"|moro em|mora em|me mudei|se mudou|woon|woont|ben .{0,20}verhuisd|mieszkam|mieszka|przeprowadził[ae]?m się|живу|живёт"
    r"|переехал[аи]?|に住んで|に引っ越し|へ引っ越し|住在|搬到|에 살|로 이사)"
)
_WORK = (
    r"(?:work|works|working) (?:as|at|for|in)|(?:started|start|begun|began) (?:working|work|a (?:new )?job)|(?:got|have"
    r"|took|found) a new job"
    r"|(?:quit|left|resigned from|lost) (?:my|his|her|their|the) (?:job|position|work|clinic|company)|new (?:job|employer) is"
    r"|(?:quit|resigned|retired)\b|arbeite (?:als|bei|in)|arbeitet (?:als|bei)|gekündigt|travaille (?:comme|chez|à)"
    r"|trabajo (?:como|en)"
    r"|lavoro (?:come|per|in)|trabalho (?:como|na|no|em)|werk (?:als|bij)|pracuję (?:jako|w)|работаю|で働いて|在.{1,12}工作|에서 일"
)
_SLOTS = tuple(re.compile(rf"^(?P<subject>.{{0,60}}?)\b(?:{verb})(?P<value>.*)", re.IGNORECASE) for verb in (_RESIDENCE, _WORK))
# "my car inspection is on 12 March", "the meeting was moved to Friday", "we changed the password to ..."
_COPULA = re.compile(
    r"^(?P<subject>.{2,60}?)\s+(?:(?:is|are|'s) (?:now |currently )?(?:called|named)?|(?:is|are|was|were|has been|have been"
    r"|got) (?:now )?"
    r"(?:moved|changed|postponed|rescheduled|shifted|brought forward) (?:from .{1,30} )?to|(?:starts?|begins?|takes place"
    r"|costs?|closes?"
    r"|opens?|leaves?|arrives?) |ist (?:jetzt )?|sind (?:jetzt )?|heißt |wurde .{0,20}verschoben|(?:est"
    r"|sont) (?:maintenant )?|s'appelle "
    r"|(?:es|está|son|están) (?:ahora )?|se llama |è (?:ora |adesso )?|sono |si chiama |é (?:agora )?|são |se chama |heet "
    r"|jest |są |to "
    r"|nazywa się |зовут |— )(?P<value>.+)",
    re.IGNORECASE,
)
_COPULA_WITHOUT_SPACES = re.compile(r"^(?P<subject>.{2,30}?)(?:は|叫做?|是|은|는)(?P<value>.+)")
_MOVED = re.compile(
    r"\b(?:moved|changed|postponed|rescheduled|shifted|switched) (?:my|our|the|his|her"
    r"|their) (?P<subject>.{2,40}?)(?: from .{1,30}?)? to "
    r"(?P<value>.+)",
    re.IGNORECASE,
)
_VAGUE_SUBJECTS = frozenset(
    terms(
        "problem thing point question idea issue reason it this that there he she they what something everything goal weather day"
    )
)
_ADDS = re.compile(
    r"\b(?:also|too|another|as well|auch|noch ein\w*|außerdem|aussi|également|también|otro|otra|anche|altro|também|outro"
    r"|ook|też|także"
    r"|тоже|также)\b|も|也|도 ",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|used to|lived|worked|had been|wohnte|lebte|war|arbeitete|était|habitais|travaillais|era|vivía|fue"
    r"|abitavo|ero|morava"
    r"|woonde|mieszkał[ae]?m|жил[аи]?|был[аи]?)\b|住んでいた|住んでいました",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|would|going to|want to|plan(?:ning)? to|might|may|could|maybe|perhaps|thinking (?:of|about)|hope to|if"
    r"|werde|will|möchte"
    r"|vielleicht|plane|vais|voudrais|peut-être|voy a|quiero|quizás|quizá|vorrei|forse|quero|vou|talvez|wil|misschien|chcę"
    r"|może|хочу|буду"
    r"|может)\b|つもり|たい|打算|想要|할 거",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:paid|bought|ate|went|met|saw|ran|won|lost|spent|sold|had|did|took|gave|drank|visited|watched|finished|attended"
    r"|cooked|played"
    r"|booked|ordered|called|yesterday|today|last (?:night|week|month|year)|habe|hatte|gestern|heute|ai (?:payé|acheté)"
    r"|hier|pagué|compré"
    r"|ayer|ho (?:pagato|comprato)|ieri|paguei|comprei|ontem|heb|gisteren|zapłacił\w*|wczoraj|заплатил\w*|купил\w*|вчера)\b"
    r"|昨日|昨天|어제",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    r"\b(?:no longer|not .{0,60}any ?more|n't .{0,60}any ?more|any ?more|stopped|quit|gave up|nicht mehr"
    r"|kein\w* .{0,40}mehr|ne .{0,40}plus\b"
    r"|plus de|ya no|dejé de|non .{0,40}più|ho smesso|não .{0,40}mais|deixei de|niet (?:meer|langer)|geen .{0,40}meer"
    r"|już nie|przestał\w*"
    r"|больше не|перестал\w*)|もう.{0,20}(?:ない|ません)|やめ(?:た|ました)|不再|已经不|더 이상|그만뒀",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"(?:^|[.!?]\s*)\W*(?:oh |oops |ah |hm+ )?(?:no|nope|sorry|correction|wait|nein|doch|entschuldigung|non|pardon|perdón"
    r"|scusa|não|desculpe"
    r"|nee|nie|нет|извини\w*|いや|いえ|违|不对|不是|아니)\b|\b(?:actually|i meant?|i was wrong|my mistake|instead of|rather than|make that"
    r"|to correct|that was wrong|eigentlich|ich meinte|sondern|korrigiere|en fait|je voulais dire|plutôt|en realidad"
    r"|quise decir|sino|in realtà"
    r"|anzi|volevo dire|na verdade|quis dizer|eigenlijk|ik bedoel\w*|właściwie|miałem na myśli|на самом деле|вернее|точнее)\b"
    r"|じゃなくて|ではなく|訂正|其实|说错|정정|아니라",
    re.IGNORECASE,
)
_NEGATES = re.compile(
    r"\b(?:not|instead of|rather than|nicht|statt|pas|au lieu d[eu]|no|en vez de|non|invece d\w*|não|em vez de|niet|nie"
    r"|zamiast|не|вместо)\s+"
    r"(?:on |at |in |the |am |den |der |die |das |le |la |el |il |o |a |de |het )*(?P<value>[\w.:/-]+)",
    re.IGNORECASE,
)
_ASKS_PAST = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|used to|earlier|in the past|originally|at first|back then|until"
    r"|ever (?:live|work)|did .{0,40}"
    r"(?:live|work)|was my|were my|old (?:address|job|number|name|flat|phone|employer|password)|ex|history|changed"
    r"|früher\w*|vorher\w*|zuvor"
    r"|ehemalig\w*|damals|bisher\w*|ursprünglich|alte[rsn]? (?:adresse|job|nummer|wohnung)|bevor|avant|auparavant"
    r"|ancien(?:ne)?s?|autrefois"
    r"|précédent\w*|à l'origine|antes|anterior(?:es|mente)?|antiguamente|antigu[oa]s?|al principio|prima|in precedenza"
    r"|precedente|una volta"
    r"|originariamente|anteriormente|antig[oa]s?|no passado|vroeger|voorheen|eerder|vorige|destijds|oorspronkelijk"
    r"|wcześniej\w*|przedtem"
    r"|kiedyś|dawniej|poprzedni\w*|раньше|прежде|прежн\w+|до этого|бывш\w+|прошл\w+ (?:адрес|работ\w+))\b"
    r"|以前|前に|前は|昔|かつて|元々|もともと|之前|从前|原来|曾经|过去|전에|예전|이전|옛날",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Read:
    """A statement taken apart.  ``slots``: (slot, subject, value), subject and value as sets of terms."""

    words: frozenset[str]
    numbers: frozenset[str]
    slots: tuple[tuple[str, frozenset[str], frozenset[str]], ...]


def asks_for_past(question: str) -> bool:
    """Whether the question asks for something that may no longer be true.

    >>> asks_for_past("Where did I live before Leipzig?"), asks_for_past("Where do I live?")
    (True, False)
    """
    return _ASKS_PAST.search(question) is not None


def changes(new: str, old: str, *, speaker: str = "", same_conversation: bool = False) -> bool:
    """Whether ``new``, said later, replaces what ``old`` says.

    ``speaker``: name of the person who said both; a text about that person may have the name or "I".  ``same_conversation``:
    both are of one conversation, where a correction may leave out what it is about.

    >>> changes("I moved to Leipzig last week.", "I live in Hamburg.")
    True
    >>> changes("My sister lives in Oslo.", "I live in Hamburg.")
    False
    """
    if max(len(new), len(old)) > LONGEST or _FUTURE.search(new):
        return False
    after, before = _read(new, speaker.casefold()), _read(old, speaker.casefold())
    if after.words == before.words:
        return False
    shared = (after.words & before.words) - after.numbers
    if _NO_LONGER.search(new) and not _NO_LONGER.search(old):
        return _same_slot(after, before, no_value=True) or len(shared) >= max(1.0, NEGATED_SHARE * len(before.words))
    if _corrects(new, old, after, before, shared, same_conversation):
        return True
    if _ADDS.search(new) or _PAST.search(new):
        return False
    if _same_slot(after, before):
        return True
    if _EVENT.search(new) or _EVENT.search(old):
        return False
    own, other = after.words - after.numbers, before.words - before.numbers
    numbers = after.numbers and before.numbers and not after.numbers & before.numbers
    return bool(numbers) and len(own & other) >= 2 and len(own & other) >= SAME_WORDS * len(own | other)


def _corrects(new: str, old: str, after: _Read, before: _Read, shared: frozenset[str], same_conversation: bool) -> bool:
    if not _CORRECTS.search(new):
        return False
    denied = {term for match in _NEGATES.finditer(new) for term in terms(match["value"])}
    if denied & before.words:
        return True
    if after.words <= before.words or _EVENT.search(old):
        return False
    return len(shared) >= (1 if same_conversation else 2)


def _same_slot(after: _Read, before: _Read, *, no_value: bool = False) -> bool:
    for name, subject, value in after.slots:
        for other, whose, former in before.slots:
            if name != other:
                continue
            same = subject == whose if name != "is" else bool(subject & whose) and (subject <= whose or whose <= subject)
            if same and (no_value or not (value <= former or former <= value)):
                return True
    return False


@lru_cache(maxsize=4096)
def _read(text: str, speaker: str) -> _Read:
    own = frozenset(terms(speaker)) if speaker else frozenset()
    plain = text.replace("’", "'")
    return _Read(
        frozenset(terms(plain)) - own,
        frozenset(term for number in _NUMBER.findall(plain) for term in terms(number)),
        tuple(_slots(plain, own)),
    )


def _slots(text: str, speaker: frozenset[str]) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    for sentence in _SENTENCE.findall(text):
        clause = sentence.strip()
        for number, pattern in enumerate(_SLOTS):
            if found := pattern.match(clause):
                yield str(number), _subject(found["subject"], speaker), frozenset(terms(found["value"]))
        found = _MOVED.search(clause) or _COPULA.match(clause) or _COPULA_WITHOUT_SPACES.match(clause)
        if found:
            subject = _subject(found["subject"], speaker)
            if subject and not subject <= _VAGUE_SUBJECTS:
                yield "is", subject, frozenset(terms(found["value"]))


def _subject(text: str, speaker: frozenset[str]) -> frozenset[str]:
    """Terms of whom or what a statement is about; empty for the speaker."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return frozenset(terms(" ".join(word for word in words if word not in _SPEAKER_WORDS))) - speaker
