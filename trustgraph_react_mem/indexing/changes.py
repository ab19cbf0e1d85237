"""Decides whether a newer statement changes what an older one says, and whether a question asks for the past.

Only forms are compared: where somebody lives or works, "my X is Y", corrections, and texts that differ in their numbers alone.
The test serves the order of what is shown, so a missed change costs little and nothing is changed in the store.  Events never
replace one another: who paid 50 euros and later 70 paid twice.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .tokenizer import name_spans, terms

LONGEST_CORRECTION = 160  # characters
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
    r"|relocated) (?:back )?to"
    r"|new (?:address|home|flat|apartment) is|wohne|wohnt|lebe|lebt|(?:bin|ist)(?= .{0,40}gezogen)|ziehe|habite|vit à"
    r"|(?:ai|a|suis) (?:emménagé|déménagé)|vivo en|vive en|me (?:mudé|he mudado)|se mudó|abito|abita|vivo a"
    r"|mi sono trasferit[oa]|moro em|mora em|me mudei|se mudou|woon|woont|ben(?= .{0,30}verhuisd)|mieszkam|mieszka"
    r"|przeprowadził[ae]?m się|живу|живёт|переехал[аи]?)"
)
_RESIDENCE_WITHOUT_SPACES = re.compile(
    r"(?P<place>[^\s はがもを、，]{1,12})(?:に住んで|に引っ越し|へ引っ越し|에 살|(?:으)?로 이사)|(?:住在|搬到"
    r"|搬去)(?P<where>[^\s，。]{1,12})"
)
_WORK = (
    r"(?:work|works|working) (?:as|at|for|in)|(?:started|start|begun|began) (?:working|work|a (?:new )?job)|(?:got|have"
    r"|took|found) a new job"
    r"|(?:quit|left|resigned from|lost) (?:my|his|her|their|the) (?:job|position|work|clinic|company)|new (?:job|employer) is"
    r"|(?<!n't )(?<!not )(?:quit|resigned|retired)\b|arbeite (?:als|bei|in)|arbeitet (?:als|bei)|gekündigt"
    r"|travaille (?:comme|chez|à)"
    r"|trabajo (?:como|en)"
    r"|lavoro (?:come|per|in)|trabalho (?:como|na|no|em)|werk (?:als|bij)|pracuję (?:jako|w)|работаю|で働いて"
    r"|在.{1,12}工作|에서 일"
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
        "problem thing point question idea issue reason it this that there he she they what something everything goal "
        "weather day"
    )
)
# Things that have one value at a time, so that two different words for them are a change: "my favourite drink is tea".
_ATTRIBUTE = re.compile(
    r"\b(?:favou?rite|preferred|status|colou?r|diet|password|address|deadline|language|title|role|job|profession"
    r"|employer|boss|doctor"
    r"|lieblings\w*|adresse|beruf|farbe|passwort|préféré\w*|métier|favorit[oa]s?|preferid[oa]s?|trabajo|contraseña"
    r"|preferit[oa]|lavoro"
    r"|profissão|lievelings\w*|baan|ulubion\w+|любим\w+)\b|好きな|最喜欢|좋아하는",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:called|named|name is|heißt|s'appelle|se llama|si chiama|se chama|heet|nazywa się|зовут)\b", re.IGNORECASE
)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|ème|e|º|ª|[.](?=\s|,|$))(?!\w)", re.IGNORECASE)
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
    r"\b(?:no longer|(?:not|never|\w+n't) .{0,60}any ?more|i(?:'ve| have)? (?:stopped|quit|gave up|given up)|nicht mehr"
    r"|kein\w* .{0,40}mehr|ne .{0,40}plus\b"
    r"|plus de|ya no|dejé de|non .{0,40}più|ho smesso|não .{0,40}mais|deixei de|niet (?:meer|langer)|geen .{0,40}meer"
    r"|już nie|przestał\w*"
    r"|больше не|перестал\w*)|もう.{0,20}(?:ない|ません)|やめ(?:た|ました)|不再|已经不|더 이상|그만뒀",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^\W*(?:(?:oh|oops|ah|hm+|sorry)\W+)?(?:no|nope|wait|sorry|correction|nein|doch|entschuldigung|non|pardon|perdón|scusa|não"
    r"|desculpe|nee|nie|нет|извини\w*|いや|いえ|违|不对|不是|아니)\s*[,.:;!–—，、。]"
    r"|\b(?:actually|i mean|i meant|i was wrong|my mistake|make that|to correct|that was wrong|eigentlich|ich meinte|sondern"
    r"|korrigiere|en fait|je voulais dire|en realidad|quise decir|sino|in realtà|anzi|volevo dire|na verdade|quis dizer"
    r"|eigenlijk"
    r"|ik bedoel\w*|właściwie|miałem na myśli|на самом деле|вернее|точнее)\b"
    r"|\b(?:not|instead of|rather than|nicht|statt|pas|no|non|não|niet|nie|не) (?:on |at |in |the |am |den |der |die "
    r"|das |le |la |el |il"
    r" |o |a |de |het )*\S*\d|じゃなくて|ではなく|訂正|其实|说错|정정|아니라",
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


_FORMS = {
    "adds": _ADDS,
    "past": _PAST,
    "future": _FUTURE,
    "event": _EVENT,
    "no longer": _NO_LONGER,
    "corrects": _CORRECTS,
}


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
    if max(len(new), len(old)) > LONGEST:
        return False
    name = speaker.casefold()
    # The cheap tests come first: this runs for many pairs of texts while a person waits.
    if _has("no longer", new) and not _has("no longer", old):
        after, before = _read(new, name), _read(old, name)
        shared = (after.words & before.words) - after.numbers
        return _same_slot(after, before, no_value=True) or len(shared) >= max(1.0, NEGATED_SHARE * len(before.words))
    if _has("corrects", new) and _corrects(new, old, _read(new, name), _read(old, name), same_conversation):
        return True
    before = _read(old, name)
    if not before.slots and not before.numbers:
        return False
    after = _read(new, name)
    if _same_slot(after, before):
        return not (_has("adds", new) or _has("past", new) or _has("future", new))
    if not after.numbers or not before.numbers or after.numbers & before.numbers:
        return False
    own, other = after.words - after.numbers, before.words - before.numbers
    if len(own & other) < max(2.0, SAME_WORDS * len(own | other)):
        return False
    return not any(_has(form, new) for form in ("adds", "past", "future", "event")) and not _has("event", old)


@lru_cache(maxsize=16384)
def _has(form: str, text: str) -> bool:
    return _FORMS[form].search(text) is not None


def _corrects(new: str, old: str, after: _Read, before: _Read, same_conversation: bool) -> bool:
    """Whether ``new`` says that ``old`` was wrong: it denies a number of it, or something of it beside what both are about."""
    if len(new) > LONGEST_CORRECTION or _has("future", new):
        return False
    shared = (after.words & before.words) - after.numbers
    denied = {term for match in _NEGATES.finditer(_ORDINAL.sub("", new)) for term in terms(match["value"])} & before.words
    if denied and (denied & before.numbers or shared - denied):
        return True
    return same_conversation and len(shared) >= 2 and not after.words <= before.words and not _has("event", old)


def _same_slot(after: _Read, before: _Read, *, no_value: bool = False) -> bool:
    for name, subject, value in after.slots:
        for other, whose, former in before.slots:
            if name != other or name == "words":
                continue
            same = subject == whose if name.isdigit() else bool(subject & whose) and (subject <= whose or whose <= subject)
            if same and (no_value or not (value <= former or former <= value)):
                return True
    return False


@lru_cache(maxsize=8192)
def _read(text: str, speaker: str) -> _Read:
    own = frozenset(terms(speaker)) if speaker else frozenset()
    plain = _ORDINAL.sub("", text.replace("’", "'"))
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
        if found := _RESIDENCE_WITHOUT_SPACES.search(clause):
            yield "0", frozenset(), frozenset(terms(found["place"] or found["where"]))
        found = _MOVED.search(clause) or _COPULA.match(clause) or _COPULA_WITHOUT_SPACES.match(clause)
        if found:
            subject = _subject(found["subject"], speaker)
            if subject and not subject <= _VAGUE_SUBJECTS:
                yield _kind_of_value(clause, found["subject"], found["value"]), subject, frozenset(terms(found["value"]))


def _kind_of_value(clause: str, subject: str, value: str) -> str:
    """Values of one kind exclude each other: numbers, names, words for an attribute.  Other words ("sick", "brown") do not."""
    if _NAMED.search(clause):
        return "called"
    if _NUMBER.search(value):
        return "number"
    if _ATTRIBUTE.search(subject):
        return "attribute"
    return "name" if any(True for _ in name_spans(value)) else "words"


def _subject(text: str, speaker: frozenset[str]) -> frozenset[str]:
    """Terms of whom or what a statement is about; empty for the speaker."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return frozenset(terms(" ".join(word for word in words if word not in _SPEAKER_WORDS))) - speaker
