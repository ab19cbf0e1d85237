"""The grammar of citation markers: their forms, and which text around them makes them citations.  Pure functions.

A marker counts only where nothing else can be meant: in range, at the end of a clause, and not after a word or a sign that
takes a bracket as its object (``in [0, 1]``, ``RFC [2]``, ``x = [1]``, ``names[0]``).  Everything else is the model's text.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final

MOST_INSIDE: Final = 80  # characters between two brackets
LEAST_WORDS: Final = 3  # of a clause that a conjunction continues
MOST_MARKERS: Final = 5  # markers in a row that are judged together
_LONGEST_CLOSING = 200  # characters of "Sources: [0], [2]"

_CLOSING = {"[": "]", "【": "】", "［": "］", "(": ")"}
OPENING: Final = "".join(_CLOSING)
LABELS = (
    *("memory", "memories", "mem", "erinnerung", "erinnerungen", "mémoire", "mémoires", "souvenir", "souvenirs", "memoria"),
    *("memorias", "memorie", "recuerdo", "recuerdos", "ricordo", "ricordi", "memória", "memórias", "herinnering"),
    *("herinneringen", "wspomnienie", "wspomnienia", "pamięć", "память", "воспоминание", "воспоминания", "记忆", "記憶"),
    *("기억", "メモリ", "メモリー"),
)
# They also number other things than memories, so they do not say by themselves what is cited.
_SOURCE_LABELS = (
    *("source", "sources", "src", "ref", "refs", "reference", "references", "cite", "cites", "citation", "citations", "m"),
    *("quelle", "quellen", "fuente", "fuentes", "fonte", "fonti", "fontes", "bron", "bronnen", "źródło", "źródła"),
    *("источник", "источники", "来源", "來源", "出典", "출처"),
)
_NO_CITE_WORDS = ("no", "cite", "cites", "citation", "citations", "nocite")
_AND = ("and", "und", "et", "y", "e", "en", "i", "и", "&", "と", "和", "및")
_ALL_LABELS = (*LABELS, *_SOURCE_LABELS)
_WORDS = (*_ALL_LABELS, *_NO_CITE_WORDS, *_AND)
_NUMBER = r"[0-9０-９]{1,2}"
_ANY_LABEL = "|".join(sorted(_ALL_LABELS, key=len, reverse=True))
_LABELLED = rf"(?:(?:{_ANY_LABEL})[\s:#.]*)?{_NUMBER}"
_ITEM = rf"{_LABELLED}(?:\s*[-–—~]\s*{_LABELLED})?"
_BETWEEN = rf"(?:\s*[,;、，；]\s*(?:(?:{'|'.join(_AND)})\s+)?|\s+(?:{'|'.join(_AND)})\s+|\s*[と和&]\s*)"
_NO_CITE = r"no[ _-]?cit(?:e|es|ation|ations)"
_INSIDE = re.compile(
    rf"\s*(?:(?P<label>{_ANY_LABEL})[\s:#.]*)?"
    rf"(?P<numbers>{_ITEM}(?:{_BETWEEN}{_ITEM})*)?(?:(?<=[0-9])†[^\]】]{{0,40}})?"
    rf"(?P<nocite>(?:(?<=[0-9０-９])\s*[,;]\s*|){_NO_CITE})?\s*[,;]?\s*",
    re.IGNORECASE,
)
_NO_CITE_FIRST = re.compile(rf"\s*{_NO_CITE}\s*[,;]\s*(?P<numbers>{_ITEM}(?:{_BETWEEN}{_ITEM})*)\s*", re.IGNORECASE)
_NEXT_ITEM = re.compile(rf"({_NUMBER})(?:\s*[-–—~]\s*(?:(?:{_ANY_LABEL})[\s:#.]*)?({_NUMBER}))?", re.IGNORECASE)
_SIGNS = r"\s0-9０-９,;、，；:#.&_~–—-"
_UNFINISHED = re.compile(rf"(?:[{_SIGNS}]|[^\W\d_]+(?=[{_SIGNS}]))*(?P<tail>[^\W\d_]*)(?:(?<=[0-9])†[^\]】]{{0,40}})?")
_LETTERS = re.compile(r"[^\W\d_]+")
_EMPHASIS = re.compile(r"(?<![*_])(?:(\*)\1{0,2}(?!\*)|(_)\2{0,2}(?!_))(?=[\[【［(]|\Z)")
_SOURCES = re.compile(rf"[(*_ \t]*(?:{_ANY_LABEL})[*_]*[ \t]*[:：][*_]*\s*", re.IGNORECASE)
_NEXT_SOURCE = re.compile(rf"[ \t]*(?:[,;、，；]|[,;]?[ \t]*(?:{'|'.join(_AND)}))?[ \t]*(?=[\[【［(*_])", re.IGNORECASE)
_AND_BEGUN = frozenset(word[:size] for word in _AND for size in range(len(word) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """``named``: it says what it is (``[Memory 0]``, ``[NO_CITE]``).  ``end``: position after its closing bracket.

    ``unit``: it may be a unit (``[m2]``).
    """

    numbers: tuple[int, ...]
    none: bool
    named: bool
    end: int
    unit: bool = False


def find_marker(text: str, start: int, *, ended: bool) -> Marker | bool:
    """The marker that begins at ``start``.  False: there is none.  True: the text that follows decides."""
    opening = text[start]
    if (found := _EMPHASIS.match(text, start)) is not None:  # **[0]**
        return _find_emphasised(text, found[0], found.end(), ended=ended)
    inside = start + 1
    if opening == "(" and text[inside : inside + 1] == "[":  # ([0])
        inner = find_marker(text, inside, ended=ended)
        if isinstance(inner, bool) or text[inner.end : inner.end + 1] == ")":
            return (
                inner
                if isinstance(inner, bool)
                else Marker(numbers=inner.numbers, none=inner.none, named=True, end=inner.end + 1)
            )
        return inner.end == len(text) and not ended
    limit = min(len(text), inside + MOST_INSIDE)
    end = text.find(_CLOSING[opening], inside, limit)
    if end < 0:
        waiting = not ended and len(text) < inside + MOST_INSIDE
        return waiting and could_become_marker(text[inside:], parenthesis=opening == "(")
    return _read(text[inside:end], end + 1, parenthesis=opening == "(")


def opens_marker(text: str, start: int) -> bool:
    """Whether a marker may begin at ``start``: a bracket, or a sign of emphasis before one or before the end of the text."""
    return text[start] in OPENING or _EMPHASIS.match(text, start) is not None


def _find_emphasised(text: str, signs: str, inside: int, *, ended: bool) -> Marker | bool:
    if inside == len(text):
        return not ended
    inner = find_marker(text, inside, ended=ended) if text[inside] in OPENING else False
    if isinstance(inner, bool):
        return inner
    end = inner.end + len(signs)
    if len(text) <= end and not ended and signs.startswith(text[inner.end :]):
        return True
    closed = text[inner.end : end] == signs and text[end : end + 1] != signs[0]
    return replace(inner, end=end) if closed else False


def closing_sources(text: str, *, ended: bool) -> tuple[Marker, ...] | bool:
    """The markers of an answer's last words "Sources: [0], [2]".  False: these are other words.  True: wait for more."""
    if len(text) > _LONGEST_CLOSING:
        return False
    found = _SOURCES.match(text)
    if found is None:
        return not ended and _may_name_sources(text)
    at, markers = found.end(), list[Marker]()
    while at < len(text) and opens_marker(text, at):
        marker = find_marker(text, at, ended=ended)
        if isinstance(marker, bool):
            return marker
        markers.append(marker)
        separator = _NEXT_SOURCE.match(text, marker.end)
        at = separator.end() if separator is not None else marker.end
    if text[at:].strip(" \t\r\n.。)*_"):
        return not ended and text[at:].strip(" \t,;、，；").casefold() in _AND_BEGUN
    return tuple(markers) if ended and markers else not ended


def _may_name_sources(text: str) -> bool:
    begun = text.lstrip("(*_ \t")
    label = _LETTERS.match(begun)
    if label is None or label.end() == len(begun):
        word = begun.casefold()
        return any(each.startswith(word) for each in _ALL_LABELS)
    return label[0].casefold() in _ALL_LABELS and not begun[label.end() :].strip("*_ \t")


def _read(inside: str, end: int, *, parenthesis: bool) -> Marker | bool:
    found = _INSIDE.fullmatch(inside)
    none = found is not None and found["nocite"] is not None
    if found is None:
        found = _NO_CITE_FIRST.fullmatch(inside)
        none = True
    if found is None or (not none and not found["numbers"]):
        return False
    label = (found.groupdict().get("label") or "").casefold()
    if parenthesis and (not label or label in ("m", "ref", "refs")):
        return False
    numbers: list[int] = []
    for item in _NEXT_ITEM.finditer(found["numbers"] or ""):
        first, last = int(item[1]), int(item[2] or item[1])
        if last < first:
            return False  # a result such as 2-1
        numbers += range(first, last + 1)
    return Marker(
        numbers=tuple(numbers), none=none, named=label in LABELS or none, unit=label == "m" and numbers in ([2], [3]), end=end
    )


def could_become_marker(inside: str, *, parenthesis: bool = False) -> bool:
    """Whether the text after an opening bracket may still grow into a marker."""
    found = _UNFINISHED.fullmatch(inside)
    if found is None:
        return False
    inside = inside.partition("†")[0]  # "[0†source]"
    words = [word.lower() for word in _LETTERS.findall(inside)]
    tail = found["tail"].lower()
    done = words[:-1] if tail else words
    if any(word not in _WORDS for word in done) or not any(word.startswith(tail) for word in _WORDS):
        return False
    return (
        not parenthesis or not inside.strip() or (words[:1] != [] and any(label.startswith(words[0]) for label in _ALL_LABELS))
    )


# -- what stands before --------------------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these a bracket is an object: prepositions, articles, copulas, conjunctions, verbs, and nouns for things with numbers.
_TAKES_OBJECT = _words(
    """
    a an the this that these those in on of at by to from into onto within between among than as is are was were be been equals
    equal contains contain include includes have has had with without and or nor but not no see use using let if when where
    return returns gives give yields prints print outputs output produces choose chose pick enter type select
    press click hit tap push dial mark tick check open read over under via per
    der die das den dem des ein eine einen einem einer in im am an auf aus bei bis für mit nach seit von vom vor zu zum zur und
    oder aber ist sind war waren als wie siehe zwischen über unter durch gegen ohne um enthält hat haben le la les un une des du
    de au aux en dans sur sous par pour avec sans entre vers et ou est sont était comme voir contient el los las unos unas del
    al con sin sobre entre hacia desde hasta por para y o u es son era como ver véase contiene il lo gli i uno una di da con su
    per tra fra nel nella e è sono come vedi contiene o os as um uma do da dos das no na nos nas em com sem por para e ou é são
    ver contém het een van op aan bij met voor naar uit tot en of is zijn zie tussen bevat w we na z ze do od po za o u przy dla
    i lub oraz jest są jak zobacz między zawiera в во на с со к ко от до из за о об у по для и или это есть как см смотри между
    содержит section sections chapter chapters step steps option options item items figure figures fig table tables eq equation
    equations ref refs reference references source note notes footnote page pages pp line lines question questions number
    numbers no nr row rows column columns element elements index indices range ranges interval intervals list lists vector
    vectors array arrays set sets tuple tuples matrix value values id ids pair pairs point points coordinate coordinates
    position key keys slot rule rfc iso ieee pep issue ticket bug cve bibliography paper article et al cf vgl ibid version scale
    score domain abschnitt kapitel schritt option punkt abbildung abb tabelle gleichung quelle seite zeile frage nummer
    intervall liste bereich vektor menge matrix wert werte wertebereich chapitre étape figure tableau page ligne question numéro
    intervalle liste ensemble vecteur plage source sección capítulo paso opción figura tabla página línea pregunta número
    intervalo lista conjunto vector rango fuente sezione capitolo passo opzione figura tabella pagina riga domanda numero
    intervallo insieme vettore fonte seção etapa opção linha pergunta lista conjunto vetor faixa fonte hoofdstuk stap optie
    figuur tabel pagina regel vraag nummer lijst reeks bron rozdział krok opcja rysunek strona pytanie numer przedział zbiór
    lista źródło раздел глава шаг вариант рисунок таблица страница вопрос номер интервал отрезок список множество вектор
    источник memory memories yield wähle wählen wählt drücke drücken tippe tippen nimm nehmen choisis choisissez choisir
    appuie appuyez prends prenez elige elija elegir pulsa pulse escoge selecciona scegli scegliere premi premere seleziona
    escolha escolher selecione pressione kies kiezen druk selecteer wybierz naciśnij выбери выберите нажми нажмите välj välja
    tryck vælg tryk velg trykk valitse paina seç seçin basın chọn nhấn vyber stiskni είναι στο är er og och på av til till
    på med från fra on ja sekä olan ile ve là và của trong هو هي في بين من إلى على و है हैं में से और
    参见 參見 参照 请参见 请参阅 见
    """
)
_IDENTIFIERS = _words(
    """
    arr array arrays args argv list lists lst data items item values vals value val vec vector matrix mat row rows col cols
    column columns buf buffer str string strings tuple dict map stack queue nums numbers tmp res result results node nodes index
    idx input inputs output outputs foo bar baz obj object objects self this users names lines words keys tokens elements
    entries grid cell cells board int float double char bool byte short uint
    """
)
_ABOUT_CODE = re.compile(
    r"\b(?:array|element|index|indices|indexing|variable|tuple|slice|python|javascript|code|expression)\b", re.I
)
_LAST_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?\.?\Z")
_CODE_NAME = re.compile(r"[^\W\d]\d+\Z|\d_\Z")
_ADDRESS = re.compile(r"(?:[\w.+-]{1,64}@|https?://)[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\Z")
_LIST_ITEM = re.compile(r"[\s>|]*(?:[-*+•#]+|\d{1,3}[.)])?[\s>*_]*\Z")
_PARTICLES = "はがをにのとでもへや第是在从到和与的"  # of languages without spaces: a bracket after one is an object
_THAI_PARTICLES = ("คือ", "เป็น", "ระหว่าง", "เลือก")
_ENDS_SENTENCE = ".!?…。！？"
_AFTER_WORD = "\"”“»›」』)*_`%°€$£¥’'" + _ENDS_SENTENCE


def begins_line(before: str) -> bool:
    """Whether only the decoration of a list, a quotation or a heading is before the marker in its line."""
    return _LIST_ITEM.fullmatch(before) is not None


def ends_sentence(before: str) -> bool:
    """Whether a sentence ended before the marker."""
    return before.rstrip().rstrip("\"”“»」』)*_'’")[-1:] in tuple(_ENDS_SENTENCE) and bool(before.strip())


def can_be_cited(before: str, marker: Marker, *, call: bool) -> bool:
    """Whether a citation can follow ``before``, the text of its line.  ``call``: it ends with the brackets of a call."""
    said = before.rstrip()
    attached = said == before
    last = said[-1:]
    if last == "^" or _in_formula(said) or (marker.unit and last.isdigit()):
        return False
    signed = not attached and last in "+#" and (said[-2:-1].isalnum() or said[-2:-1] == last)  # C++, C#, 50+
    if not (last.isalnum() or last in _AFTER_WORD or signed or unicodedata.category(last) in ("So", "Mn", "Mc", "Sk")):
        return False
    if (attached and (last in "_'’" or call or last in _PARTICLES)) or (last in "*_" and said.rstrip("*_")[-1:].isspace()):
        return False
    if attached and (last == "`" or _CODE_NAME.search(said)):
        return False
    # In some scripts a word has marks that are no letters.
    if said.endswith(_THAI_PARTICLES) or (not last.isascii() and said.rpartition(" ")[2].casefold() in _TAKES_OBJECT):
        return False
    found = _LAST_WORD.search(said)
    if found is None:
        return not attached or last.isdigit() or not last.isalnum()
    word = found.group().rstrip(".").casefold()
    word = re.split("['’]", word)[-1] or word  # l'intervalle
    if found.group().endswith("."):
        return word not in ("al", "fig", "eq", "p", "pp", "no", "nr", "cf", "vgl", "abb", "ref", "рис", "стр", "см")
    previous = said[: found.start()][-1:]
    if attached and not marker.named and _ADDRESS.search(said) is None and previous != "°":
        return _is_word_of_prose(found.group(), previous) and not _ABOUT_CODE.search(before)
    if (
        len(word) == 1
        and word.isascii()
        and not previous.isdigit()
        and (len(marker.numbers) > 1 or found.group().islower())
        and word != "i"
    ):
        return False
    return word not in _TAKES_OBJECT


def _is_word_of_prose(word: str, previous: str) -> bool:
    """Whether a bracket directly after this word is a citation and not an index."""
    if not word.isascii():
        return True
    capitals = word[1:] != word[1:].lower()
    return len(word) > 2 and not capitals and word.casefold() not in _IDENTIFIERS and previous not in tuple("._$@#/\\=[<>&")


def _in_formula(before: str) -> bool:
    """Whether a formula between ``$`` is open.  ``$5`` is an amount."""
    if "$" not in before:
        return False
    return len(re.findall(r"(?<!\\)\$(?!\d)", before)) % 2 == 1


# -- what stands after ---------------------------------------------------------------------------------------------------

_CLAUSE_ENDS = re.compile(r"[ \t\u00a0\u202f]*(?:[。，；：！？、…」』]|—|\|[ \t]*(?:\n|\Z)|\n)|\r?\n")
_PUNCTUATION = re.compile(r"[ \t\u00a0\u202f]*[.,;:!?]+(?=[\s\"”“»)\]}*_'’」]|\Z)|(?:\*{1,3}|_{1,3})(?=[\s.,;:!?]|\Z)")
_UNDECIDED = re.compile(r"[ \t\u00a0\u202f]*[.,;:!?|]*\Z|[*_]{1,3}\Z|\r\Z")
# The next clause begins: a conjunction and a pronoun.
_CONJUNCTIONS = _words(
    """
    and but while because since so although whereas und aber während weil denn et mais car tandis y pero mientras porque e ma
    mentre perché mas enquanto en maar terwijl omdat i ale bo a и а но
    """
)
_PRONOUNS = _words(
    """
    you your he she they it we i his her their its our my du sie er es wir ich dein deine deinen ihr ihre sein seine mein meine
    tu vous il elle ils elles on je nous votre ton ta tes son sa ses leur tú usted él ella ellos su sus tus te lui lei loro voi
    io noi suo sua tuo tua você ele ela eles seu sua teu eu nós je jij u hij zij ze wij ik jouw zijn haar ty pan pani on ona
    oni twój twoja ты вы он она они я мы твой твоя ваш
    """
)
_NEXT_CLAUSE = re.compile(r"[ \t]+([^\W\d_]+)[ \t]+([^\W\d_]+)(?![\w[])")
_BEGINS_CLAUSE = re.compile(r"[ \t]+([^\W\d_]+)(?:[ \t]+[^\W\d_]*['’]?)?\Z")


def is_undecided(after: str) -> bool:
    """Whether more text is needed to know if a clause ends."""
    if (found := _BEGINS_CLAUSE.match(after)) is not None:
        word = found[1].casefold()
        begins = any(each.startswith(word) for each in _CONJUNCTIONS) if after.endswith(found[1]) else word in _CONJUNCTIONS
        return begins
    return _UNDECIDED.match(after) is not None


def joins_clauses(before: str, after: str) -> bool:
    """Whether a clause ends between the two texts: "You live in Oslo", "and you work in Bergen"."""
    found = _NEXT_CLAUSE.match(after)
    if found is None or len(before.split()) < LEAST_WORDS:
        return False
    return found[1].casefold() in _CONJUNCTIONS and found[2].casefold() in _PRONOUNS


def ends_clause(after: str, *, parenthesis: bool) -> bool:
    """Whether a clause ends before ``after``.  ``parenthesis``: one is open in the line."""
    if not after.strip(" \t\u00a0\u202f") or _CLAUSE_ENDS.match(after) or _PUNCTUATION.match(after):
        return True
    first = after.lstrip(" \t")[:1]
    return (parenthesis and after[:1] == ")") or unicodedata.category(first) == "So"


# -- protection against memories that manipulate citations ---------------------------------------------------------------

# Possessive: a run of spaces after the number is read once, however long it is.
_MARKER_LIKE = re.compile(
    rf"[\[［【](\s*+(?:(?:{_NUMBER}|[0-9]{{3}})(?:\s*+[,;、，；–—-]\s*+[0-9０-９]{{1,3}})*+\s*+[,;]?+|{_NO_CITE})\s*+)[\]］】]",
    re.I,
)
#: A marker that the end of the text cuts off.
_UNCLOSED = re.compile(r"[\[［【](\s*+(?:[0-9０-９][0-9０-９\s,;、，；–—-]*+|no[ _-]?c[a-z]*+))\Z", re.I)
_NAMED_LIKE = re.compile(rf"[\[［【(]([^\[\]［］【】()]{{0,{MOST_INSIDE}}})[\]］】)]")


def neutralise(text: str) -> str:
    """A memory's text for the prompt, without the brackets of anything that looks like a marker."""

    def unbracket(found: re.Match[str]) -> str:
        marker = _read(found[1], 0, parenthesis=found[0][0] == "(")
        return f"‹{found[1]}›" if isinstance(marker, Marker) else found[0]

    return _UNCLOSED.sub(r"(\1", _NAMED_LIKE.sub(unbracket, _MARKER_LIKE.sub(r"(\1)", text)))
