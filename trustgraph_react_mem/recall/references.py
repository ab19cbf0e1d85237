"""Words by which a question refers to what was said before it: conjunctions that continue, and pronouns.

They are looked up by language, because many are ordinary words elsewhere: Italian "il" is an article, Spanish "es" a verb.
"""

import re
from functools import lru_cache

from ..indexing.tokenizer import guess_language, is_spaceless, names, terms

SHORT_QUESTION_TERMS = 3  # a question with more content words names what it asks about
_CLAUSE = re.compile(r"[,.;:!?–—]\s")
# "And where is the passport?" names what it asks for; words of another subject would hide it.
_WHERE = re.compile(
    r"\b(?:where|wo|où|dónde|donde|dove|onde|waar|gdzie|где|hvor|nerede)(?!\w)|どこ|哪里|哪儿|在哪|어디", re.IGNORECASE
)
_NAMED_AFTER = re.compile(
    r",\s*(?:my|the|mein\w*|der|die|das|mon|ma|mes|le|la|les|l['’]|mis?|el|los|las|il|lo|mio|mia|o|a|meu|minha|mijn|de|het"
    r"|mój|moja|моя|мой|моё)\s?\w+\W*$",
    re.IGNORECASE,
)
#: By language: words with which a question goes on.
_CONTINUES = {
    "en": "and but so then what·about how·about why·not which·one the·other same",
    "de": "und aber was·ist·mit wie·ist·es·mit",
    "fr": "et mais",
    "es": "y pero qué·tal",
    "it": "e ed ma",
    "pt": "e mas",
    "nl": "en maar hoe·zit·het·met",
    "pl": "a i ale",
    "ru": "а и но",
    "sv": "och men",
    "da": "og men",
    "no": "og men",
    "tr": "peki ya",
    "ko": "그럼 그리고 그러면",
}
#: By language: pronouns and adverbs that point back.
_POINTS_BACK = {
    "en": "it its that this these those one ones he him his she her they them their there then former latter",
    "de": "er sie es dies diese dieser dieses ihn ihm ihr ihre ihrer dort davon damit dazu",
    "fr": "il elle ils elles lui leur ça cela celui celle là",
    "es": "eso esto ese esa él ella ellos ellas allí",
    "it": "lui lei loro questo questa quello quella ciò lì là",
    "pt": "isso isto esse essa ele ela eles elas aquilo lá",
    "nl": "hij hem zij hen daar ervan",
    "pl": "tego jego jej ich on ona oni tam",
    "ru": "это этот эта он она они его её ее их там",
    "sv": "han hon henne honom där",
    "da": "han hun hende ham der",
    "no": "han hun henne ham der",
    "tr": "bu şu o onu onun orada",
    "ko": "그건 그거 그것 그게 이건 이거 저건 그녀 거기",
}
#: By language: words that are articles as well, and point back only at the end of a question.
_POINTS_BACK_AT_THE_END = {"de": "das die", "nl": "het dat die", "pl": "to", "sv": "det den", "da": "det den", "no": "det den"}
_CONTINUES_UNSPACED = "それ|では|じゃあ|那|还有"
_POINTS_BACK_UNSPACED = "それ|これ|あれ|彼|彼女|它|他|她|那个|这个"
#: Question words that are neither names nor what a question is about.
_ASKS = re.compile(
    r"\b(?:combien|quand|hoeveel|wanneer|waarom|quanto|quanta|quanti|quante|quando|cuánto|cuánta|cuántos|cuántas|cuándo|wieviel"
    r"|wie viel|warum|сколько|когда|почему|зачем|ile|kiedy|dlaczego|hvornår|hvorfor|varför|hur|neden|얼마\w*|언제\w*|왜)(?!\w)"
    r"|いくら|いつ|なぜ|多少|什么时候|为什么",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:this|that|these|those)\s+(?:days?|week|month|year|morning|afternoon|evening|weekend|spring|summer|autumn|winter|time)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|my|me|mine|we|our|us|ich|mein\w*|mir|mich|wir|unser\w*|je|mon|ma|mes|moi|nous|notre|nos|yo|mi|mis|io|mio|mia|miei"
    r"|mie|noi|eu|meus?|minhas?|nós|ik|mijn|wij|ons|onze|jag|min|mitt|mina|jeg|vi|ja|mój|moja|moje)\b|\bj['’]"
    r"|\b(?:я|мне|меня|мой|моя|моё|мои|мы|наш\w*)\b|私|僕|わたし|我|나|내|저|제",
    re.IGNORECASE,
)
# "And what is my rent at the moment?" names all that it asks for.
_ASKS_OWN = re.compile(
    r"\b(?:what|who|when|how \w+)(?:'s|’s| is| are) (?:my|our) \w+"
    r"|\b(?:was|wer|wann|wie \w+) (?:ist|sind) (?:mein|unser)\w* \w+"
    r"|\b(?:quel\w*|qui|quand|c'est quoi|c’est quoi)(?: est| sont)? (?:mon|ma|mes|notre|nos) \w+"
    r"|\b(?:cuál|quién|cuándo|cuánto) (?:es|son) (?:mi|mis|nuestr[oa]s?) \w+"
    r"|\b(?:qual è|qual'è|chi è|quando è) (?:il|la) (?:mi[oa]"
    r"|nostr[oa]) \w+|\b(?:qual|quem|quando|quanto) é (?:[oa] )?(?:meu|minha|noss[oa]) \w+"
    r"|\b(?:wat|wie|wanneer|hoe \w+) is (?:mijn|onze?|ons) \w+"
    r"|\b(?:jaki|jaka|jakie|kto|kiedy) jest (?:mój|moja|moje|nasz[ae]?) \w+"
    r"|\b(?:как(?:ой|ая|ое)|кто|когда) (?:сейчас )?(?:мой|моя|моё|наш[ае]?) \w+",
    re.IGNORECASE,
)
_FIRST_PERSON_VERB = re.compile(r"\b[^\W\d_]{3,}o\b", re.IGNORECASE)  # "vivo", "lavoro", "moro"
_PRO_DROP = ("es", "it", "pt")


def without_question_words(question: str) -> str:
    return _ASKS.sub(" ", question)


def continues(question: str, language: str | None) -> bool:
    """Whether the question begins as one that goes on ("and then?").  ``language`` None: unknown."""
    return _patterns(language)[0].match(question) is not None


def find_reference(question: str, language: str | None) -> int | None:
    """The place of the first pronoun or adverb for something said before.  ``language`` None: unknown."""
    found = _patterns(language)[1].search(_PERIOD.sub(lambda match: " " * len(match.group()), question))
    return found.start() if found else None


def is_about_asker(question: str, language: str | None) -> bool:
    """Whether a question is about the person who asks, and so needs no context: "Where do I live?", "¿Dónde vivo?"."""
    if find_reference(question, language) is not None:
        return False
    return bool(_FIRST_PERSON.search(question)) or (language in _PRO_DROP and bool(_FIRST_PERSON_VERB.search(question)))


def is_vague(question: str) -> bool:
    """Whether the question can only be understood with the previous exchanges.

    >>> is_vague("How much?"), is_vague("What did Ann say about the budget for Hawaii?")
    (True, False)
    >>> is_vague("Where is it?"), is_vague("I need my passport, where is it?"), is_vague("Where do I live?")
    (True, False, False)
    """
    asked_about = without_question_words(question)
    language = guess_language(question)
    content = len(terms(asked_about, language or "auto"))
    if is_spaceless(question):
        content = (content + 1) // 2  # terms are overlapping pairs of characters in these scripts
    named = bool(names(asked_about))
    if content > SHORT_QUESTION_TERMS:
        return False
    back = find_reference(question, language)
    if content and _WHERE.search(question) and (back is None or _NAMED_AFTER.search(question)):
        return False
    if content <= 1 and not named:
        return content == 0 or not is_about_asker(asked_about, language)
    if continues(question, language):
        return back is not None or not _ASKS_OWN.search(question)
    return back is not None and not named and not _is_named_before(question, back)


def _is_named_before(question: str, at: int) -> bool:
    """Whether an earlier clause of the question names what a word at ``at`` stands for."""
    ends = [match.start() for match in _CLAUSE.finditer(question, 0, at)]
    return bool(ends) and bool(terms(question[: ends[-1]]))


@lru_cache(maxsize=64)
def _patterns(language: str | None) -> tuple[re.Pattern[str], re.Pattern[str]]:
    start = _words(_CONTINUES, language)
    back, at_end = _words(_POINTS_BACK, language), _words(_POINTS_BACK_AT_THE_END, language)
    return (
        re.compile(rf"\W*(?:(?:{start})\b|{_CONTINUES_UNSPACED})", re.IGNORECASE),
        re.compile(rf"\b(?:{back})\b|\b(?:{at_end})\W*$|{_POINTS_BACK_UNSPACED}", re.IGNORECASE),
    )


def _words(table: dict[str, str], language: str | None) -> str:
    """Alternatives of one language; of all if it is unknown; a pattern that matches nothing if it has none."""
    texts = [table.get(language, "")] if language else list(table.values())
    return "|".join(word.replace("·", r"\s+") for text in texts for word in text.split()) or "(?!)"
