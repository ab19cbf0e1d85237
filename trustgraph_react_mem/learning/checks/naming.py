"""What somebody or something is called: "my dog Biscuit" says that the dog's name is Biscuit, in twelve languages."""

import re
from collections.abc import Iterable

from ...indexing.text.relatives import RELATIVE, first_relative, is_relative
from ...indexing.text.speakers import names_speaker
from ...indexing.text.statements import MAX_CHARS, MAX_STATEMENT_CHARS, sentences

_NAME = r"(?P<{}>[^\W\d_]+(?:[-'’][^\W\d_]+)?)"
_CALLED = (
    r"(?:is |was |are )?(?:called|named)|names? (?:is|was)|goes by|hei(?:ß|ss)t|name (?:ist|lautet)|s['’]appelle|se nomme"
    r"|prénom est|nom est"
    r"|se llama|nombre es|si chiama|nome è|se chama|chama-se|chama|nome é|heet|naam is|ma na imię|nazywa się|imię to|wabi się"
)
_IS_CALLED = re.compile(
    rf"(?i)\b(?:{_CALLED}) {_NAME.format('latin')}|зовут {_NAME.format('after')}|(?<!\w){_NAME.format('before')} (?=зовут\b)"
    rf"|(?:имя|кличка) ?[—–-]? ?{_NAME.format('noun')}"
    r"|名前?は「?(?P<ja>[぀-ヿ㐀-鿿]{1,8}?)」?(?:だ|です|と|。|$)|名字?[叫是](?P<named>[㐀-鿿]{2,4})|叫(?:做|作)?(?P<zh>[㐀-鿿]{2,4})"
    r"|이름[은이] (?P<ko>[가-힣]{2,4}?)(?:이다|다|이에요|예요|입니다|이라|라|$)"
)
_NAMES = re.compile(
    rf"(?i)\b(?:{_CALLED}|зовут|имя|кличка|call(?:s|ed)?|nam(?:e|ed)|nenn\w*|taufte?n?|appel\w+|llam\w+|chiam\w+|cham\w+"
    rf"|noem\w*|noemt|nazwa\w*|назвал\w*)\b"
    r"|という|って(?:言|い)う|名前|叫|名字|이름|라고|라는"
)
_OF_ANOTHER = re.compile(
    r"(?i)(?:['’]s|['’])$|^(?:his|her|their|your|sein\w*|ihr\w*|dein\w*|son|sa|ses|leurs?|ton|ta|tes|votre|sus?|tus?"
    r"|su[oaei]|suoi|loro|tu[oa]|seus?|suas?"
    r"|teu|tua|zijn|haar|hun|jouw|jej|jego|twój|twoj\w|её|ее|его|их|твой|твоя)$"
)
_OF_SPEAKER = re.compile(
    r"(?i)^(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr\w+|mi[aoe]|miei|nostr\w|meus?|minhas?|noss\w{1,2}|mijn|onze|ons"
    r"|mój|moj\w+|nasz\w*|мо[йяиеёю]\w*|наш\w*)$"
)
_SPACELESS_OTHER = re.compile(r"(?:[他她你]们?的?|(?<!我)(?<!们)的|(?<![私僕俺])(?<!うち)の|(?<![나저])의\s?|(?:그|네)\s)$")
_SPACELESS_END = re.compile(r"[぀-ヿ㐀-鿿가-힣]$")
_BETWEEN = re.compile(r"(?i)(?:[,:の、「\s–-]|(?:\s(?:is|ist|est|es|è|é|to)\s)|叫)+$")
_GOES_ON = re.compile(r"(?i)\s*[,(–-]|\s+(?:is|ist|est|es|è|é|to|jest)\s")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_REACH = 60  # characters beside a name
_MOST_BETWEEN = 3  # words between a name and what it names: "Hilde, my dear old gran"


def name_given(claim: str) -> str:
    """The name that a claim says somebody or something has, as written; "" if it says none."""
    found = (name for match in _IS_CALLED.finditer(claim[:MAX_STATEMENT_CHARS]) for name in match.groups() if name)
    # "Called their mother", "was named manager": a name has a capital where the script has some.
    return next((name for name in found if not names_speaker(name) and (not name.islower() or claim.islower())), "")


def speaks_of_names(texts: Iterable[str]) -> bool:
    """Whether the texts say of somebody or something what it is called."""
    return any(_NAMES.search(text[:MAX_CHARS]) for text in texts)


def is_named_beside(claim: str, name: str, texts: Iterable[str]) -> bool:
    """Whether a text has a name beside the word for whom or what the claim says it names, and of the same person's.

    >>> is_named_beside("The user's dog is called Biscuit", "Biscuit", ["my dog Biscuit needs a bath"])
    True
    """
    meant = first_relative(claim)
    plain = claim.replace(name, " ").casefold()
    named = {word for word in _WORD.findall(plain) if len(word) > 2}
    return any(
        _is_beside(
            sentence[max(0, match.start() - _REACH) : match.start()], sentence[match.end() : match.end() + _REACH], meant, named
        )
        for text in texts
        for sentence in sentences(text)
        for match in re.finditer(rf"(?i)(?<![a-zà-ž]){re.escape(name)}", sentence[:MAX_STATEMENT_CHARS])
    )


def without_name_of(claim: str) -> str:
    """A claim without the words that say that something is a name, and whose: its other words and the name."""
    claim = claim[:MAX_STATEMENT_CHARS]
    return RELATIVE.sub(" ", _IS_CALLED.sub(lambda match: f" {next(name for name in match.groups() if name)} ", claim))


def _is_beside(before: str, after: str, meant: frozenset[str], named: set[str]) -> bool:
    """Whether the last word before a name, or one of the first after it, is what it names."""
    before = _BETWEEN.sub("", before)
    if _SPACELESS_END.search(before):
        return _is_meant_at_end(before, meant, named)
    words = list(_WORD.finditer(before))
    if words and words[-1].end() == len(before) and _is_meant(words[-1].group().casefold(), meant, named):
        owners = [
            word.group()
            for word in words[-2 - _MOST_BETWEEN : -1]
            if _OF_ANOTHER.search(word[0]) or _OF_SPEAKER.search(word[0])
        ]
        return not owners or _OF_SPEAKER.search(owners[-1]) is not None
    if _GOES_ON.match(after) is None:
        return False
    following = [match.group().casefold() for match in _WORD.finditer(after)][: _MOST_BETWEEN + 2]
    place = next((number for number, word in enumerate(following) if _is_meant(word, meant, named)), 0)
    return place > 0 and not any(_OF_ANOTHER.search(word) for word in following[:place])


def _is_meant_at_end(before: str, meant: frozenset[str], named: set[str]) -> bool:
    """``_is_beside`` for what comes before a name in a script without spaces between words, or in Korean."""
    heads = [match for match in RELATIVE.finditer(before) if match.end() == len(before)]
    if not heads:
        return not meant and any(before[-1] in word for word in named)
    return bool(first_relative(heads[-1].group()) & meant) and not _SPACELESS_OTHER.search(before[: heads[-1].start()])


def _is_meant(word: str, meant: frozenset[str], named: set[str]) -> bool:
    return bool(first_relative(word) & meant) if is_relative(word) else not meant and word in named
