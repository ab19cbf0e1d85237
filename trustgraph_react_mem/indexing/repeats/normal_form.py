"""The normal form of a statement: equal for a fact that is said again in slightly other words.

It holds the words without their endings, accents and asides, and without the words that add nothing: articles, "is", and those
for the speaker.  All other function words stay, because they tell statements apart: "not", "before", "her", "was".  The form
does not depend on a language, because that of a short text is often guessed wrong.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..changes.forms import EVENT
from ..small_talk import AS_TOLD
from ..text.asides import without_asides
from ..text.speakers import without_speakers
from ..text.statements import is_event
from ..tokenizer import is_function_word, without_accents
from .paraphrases import in_one_wording, root_of, shorten

KEPT = 8192  # texts, each read once
LONGEST = 600  # characters of a text that is compared

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_POSSESSED = re.compile(r"([^\W\d_]+?)(?:'s|(?<=s)'|(?<=[^\Ws])s)\s+([^\W\d_]+)")
_NAME = re.compile(r"(?<=[\s(])[^\W\d_a-zà-ÿ][^\W\d_]+")
_OF = re.compile(
    r"([^\W\d_]+)\s+(?:of|von|vom|de|du|del|di|della|do|da|van|de la|de los)\s+"
    r"(?:(?:my|our|the|mein\w*|der|dem|la|le|mon|ma|mi|il|mio|mia|o|a|meu|minha|mijn|het)\s+)?([^\W\d_]+)"
)
_SPACELESS = re.compile(r"[぀-ヿ㐀-鿿]")
_HANGUL = re.compile(r"[가-힯]")
_CANNOT = re.compile(r"(?i)\bcan(?:'|no)t\b")
_NOT = re.compile(r"n't\b")
_CLITIC = re.compile(r"'(?:s|m|re|ve)?(?!\w)")
_NEUTRAL_WORDS = """
    a an the i my mine our we us is am are be s m re ve have has got do does it its that this there to of for at also
    too still really
    very just actually so and called named
    der die das den dem des ein eine einen einem einer eines ich mein meine meinen meinem meiner meines wir unser unsere
    unserem
    unserer unseren ist bin sind habe hab haben es zu von vom auch noch immer ja sehr wirklich und dass heißt heiße fur
    le la les l un une des du de d je j mon ma mes nous notre nos est suis sont ai avons c ce qu que et aussi toujours
    très vraiment
    au aux
    el los las lo una uno yo mi mis nuestro nuestra soy es estoy esta tengo tiene tenemos del al y que tambien muy se
    il gli lo io mio mia miei mie nostro nostra sono e ed ho abbiamo ha di del della dello dei delle anche molto che per mi
    o os as um uma eu meu minha meus minhas nosso nossa sou estou tenho temos do da dos das e tambem muito para
    de het een ik mijn ons onze is ben zijn heb hebben van dat er ook nog steeds heel voor en te
    ja moj moja moje moi mnie mam mamy jest jestem sa to ze tez bardzo i dla
    я мой моя мое мои меня мне наш наша наше наши мы у есть это что и очень для
    """


_NEUTRAL = frozenset(map(without_accents, _NEUTRAL_WORDS.split()))
# Words of an assistant for the person, and the verbs that go with them.
ADDRESS = frozenset(
    """
    you your yours yourself u ur
    du dein deine deinen deinem deiner deines dich dir ihr euer eure euch bist hast habt seid heißt
    tu toi ton ta tes te t vous votre vos es as avez êtes etes
    tú tu tus usted ustedes su sus eres estás estas tienes tiene
    tuo tua tuoi tue ti sei hai suo sua
    você voce teu tua teus tuas seu sua és tens tem está
    jij je jou jouw jullie u uw bent hebt heeft
    ty twój twoj twoja twoje twoi ciebie tobie jesteś jestes masz pan pani pana
    ты твой твоя твоё твое твои тебя тебе вы ваш ваша ваше ваши вас вам
    """.split()  # noqa: SIM905
)
_ADDRESS_SPACELESS = re.compile(
    r"(?:あなた|貴方|君|お客様)(?:の|は|が|には|に)?|[你您](?:们)?的?|(?:당신|너|네|고객님)(?:은|는|의|이|가)?(?=\s)"
    r"|(?<!\S)있\S*|(?<=です|ます|んだ)[よね]+(?=\W*$)"
)
_NEUTRAL_SPACELESS = re.compile(
    r"(?:私|僕|俺|わたし|うち)(?:の|は|が|には|に)?|我(?:们)?的?|です(?:よ|ね)?|ます(?:よ|ね)?|(?:な)?(?:ん)?(?:だ"
    r"|です)(?:よ|ね)?$|よ$|ね$"
    r"|[是的了哦呢啊吧呀]|有点?|は|が|を|\W"
)
_HANGUL_ENDING = re.compile(
    r"(?:이?(?:에요|예요|야|다|입니다|래요)|습니다|ㅂ니다|어요|아요|해요|어|아|군요|네요|시군요|으시군요|으시네요"
    r"|거든요?|은|는|이|가|을|를|의|도|에)$"
)
_HANGUL_NEUTRAL = re.compile(r"저는?|나는?|제가?|내가?|우리|있\S*|입니다|이에요|예요")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_RELATIVE_TIME = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|heute|gestern|(?<!jeden )(?<!am )morgen|aujourd'hui|hier|demain|hoy|ayer"
    r"|(?<!la )mañana"
    r"|oggi|ieri|domani|hoje|ontem|amanhã|vandaag|gisteren|dzisiaj|dziś|wczoraj|jutro|сегодня|вчера|завтра"
    r"|next|coming|this|last|ago|in (?:\d+|an?|two|three|a few) (?:days?|weeks?|months?|hours?)|on (?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day"
    r"|nächste\w*|kommende\w*|diese[nrs]?|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|prochaine?"
    r"|(?:ce|cette) (?:semaine|mois|soir)|próxim[oa]|prossim[oa]|volgende|następn\w+|następny|следующ\w+|через)\b|昨日"
    r"|今日|明日|昨天|今天|明天|어제|오늘|내일|来週|来月|再来|今週|下周|下个|这周|다음|이번",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class NormalForm:
    """``sequence``: the words in order.  ``text``: the statement without asides.  What is rarely needed is read when it is."""

    sequence: tuple[str, ...]
    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.sequence)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(shorten(without_accents(match.casefold())) for match in _NAME.findall(f" {self.text}"))

    @cached_property
    def owners(self) -> frozenset[tuple[str, str]]:
        """What belongs to whom: (the word before, the thing)."""
        folded = without_accents(self.text.casefold())
        marked = (found for found in _POSSESSED.finditer(folded) if not is_function_word(found.group().split()[0]))
        owned = {(shorten(found[1]), shorten(found[2])) for found in marked}
        return frozenset(owned | {(shorten(owner), shorten(thing)) for thing, owner in _OF.findall(folded)})

    @cached_property
    def is_relative(self) -> bool:
        """Whether it has a time that depends on the day on which it is said."""
        return _RELATIVE_TIME.search(self.text) is not None

    @cached_property
    def tells_event(self) -> bool:
        """Whether it tells what happened once, at a time that the words do not tell apart."""
        return _YEAR.search(self.text) is None and EVENT.search(self.text) is not None and is_event(self.text)


@lru_cache(maxsize=KEPT)
def read_normal_form(text: str) -> NormalForm | None:
    """The normal form of what a person says; None if nothing is left of it, or the text is long."""
    if len(text) > LONGEST:
        return None
    plain = in_one_wording(without_asides(without_speakers(text.replace("’", "'"))))
    words = tuple(_words(plain))
    return NormalForm(words, plain) if words else None


def say_the_same(one: NormalForm, other: NormalForm) -> bool:
    """Whether two statements with equal words are the same: what belongs to whom, and who acts on whom, is the same."""
    if one.words != other.words:
        return False
    if any((thing, owner) in other.owners for owner, thing in one.owners):
        return False  # "my neighbour's son", "my son's neighbour"
    things = {thing for _, thing in one.owners} & {thing for _, thing in other.owners}
    for thing in things:
        if {owner for owner, each in one.owners if each == thing}.isdisjoint(
            owner for owner, each in other.owners if each == thing
        ):
            return False
    named = one.names | other.names
    first, second = ([word for word in each.sequence if word in named] for each in (one, other))
    return (
        first == second
        or _is_rotation(one.sequence, other.sequence)
        or (bool(things) and _OF.search(one.text + other.text) is not None)
    )


def without_address(text: str) -> str:
    """What an assistant says, without asides and without its words for the person.

    >>> without_address("Yes, your shop opens at nine, noted.")
    'shop opens at nine'
    """
    plain = _ADDRESS_SPACELESS.sub(" ", without_asides(AS_TOLD.sub(" ", text.replace("’", "'"))))
    return " ".join(word for word in plain.split() if word.casefold().split("'")[0] not in ADDRESS)


def is_form(word: str, other: str) -> bool:
    """Whether two words differ in an ending at most: "wohnst" and "wohn\"."""
    short, long = sorted((word, other), key=len)
    return long.startswith(short) and (short == long or (len(short) >= 3 and len(long) - len(short) <= 2 and short.isalpha()))


def _words(text: str) -> Iterator[str]:
    if _SPACELESS.search(text):
        yield _NEUTRAL_SPACELESS.sub("", text.casefold())
        return
    plain = without_accents(_CLITIC.sub(" ", _NOT.sub(" not", _CANNOT.sub("can not", text))))
    for place, match in enumerate(_TOKEN.finditer(plain)):
        word = match.group()
        if place and len(word) == 1 and word.isupper() and word != "I":
            yield word  # "vitamin D", "blood type A"
            continue
        if _HANGUL.search(word):
            if not _HANGUL_NEUTRAL.fullmatch(word):
                yield _HANGUL_ENDING.sub("", word) or word
            continue
        for part in word.casefold().split("'"):
            if part not in _NEUTRAL:
                yield from root_of(part)


def _is_rotation(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both sides of an "is" are exchanged: "Dr. Roth is my dentist", "My dentist is Dr. Roth"."""
    return len(one) == len(other) and any(one[at:] + one[:at] == other for at in range(len(one)))
