"""Which text around a marker makes it a citation.  Pure functions.

A marker counts only where nothing else can be meant: at the end of a clause, and not after a word or a sign that takes a
bracket as its object (``in [0, 1]``, ``RFC [2]``, ``x = [1]``, ``names[0]``).  Everything else is the model's text.
"""

import re
import unicodedata
from typing import Final

from .citation_grammar import Marker

LEAST_WORDS: Final = 3  # of a clause that a conjunction continues


# -- what stands before --------------------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these a bracket is an object: prepositions, articles, copulas, conjunctions, verbs, and nouns for things with numbers.
TAKES_OBJECT: Final = _words(
    """
    a an the this that these those in on of at by to from into onto within between among than as is are was were be been equals
    equal contains contain include includes have has had with without and or nor but not no see use using let if when where
    return returns gives give makes make yields prints print outputs output produces choose chose pick enter type select
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
    på med från fra on ja sekä olan ile ve là và của trong هو هي في بين من إلى على و में से और
    selon d'après après según secondo segundo volgens według согласно laut gemäß nota notas appendix annex exhibit exercise
    theorem lemma anlage anhang beilage anexo annexe allegato bijlage załącznik приложение
    参见 參見 参照 请参见 请参阅 见
    """
)
# After these a list is an object, but they may end a sentence.
_TAKES_LIST = _words(
    """
    है हैं shape shapes size sizes dimension dimensions kernel bounds limits segment größe form grenzen forme taille bornes tamaño
    forma límites dimensione limiti tamanho limites afmeting vorm rozmiar kształt размер форма границы
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
_TOKEN = re.compile(r"(?P<number>[0-9][ \u00a0\u202f])?(?P<sign>[^\w\s])?(?<!\w)(?P<word>\w+)\Z")
_LONGEST_WORD = 64
_OF_CODE = ("$", "@", "#", "/", "\\", "=", "[", "<", ">", "&", ".")
_TIE_BREAK = re.compile(r"(?<!\d)(?:7[-–]6|6[-–]7)\Z")  # 7–6 [4] is the score of a set
_ABBREVIATIONS = ("al", "fig", "eq", "p", "pp", "no", "nr", "cf", "vgl", "abb", "ref", "рис", "стр", "см")
_SHORT_ANSWERS = ("ja", "no", "no.", "si", "da", "ne", "oh", "ok")
_ADDRESS = re.compile(r"(?:[\w.+-]{1,64}@|https?://)[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\Z")
_LIST_ITEM = re.compile(r"[\s>|]*(?:[-*+•#]+|\d{1,3}[.)])?[\s>*_]*\Z")
_PARTICLES = "はがをにのとでもへや第是在从到和与"  # of languages without spaces: a bracket after one is an object
_THAI_PARTICLES = ("คือ", "เป็น", "ระหว่าง", "เลือก")
_ENDS_SENTENCE = ".!?…。！？؟।"
_AFTER_WORD = "\"”“»›」』)*_`~%°€$£¥’'" + _ENDS_SENTENCE


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
    if last == "^" or _in_formula(said) or (marker.unit and last.isdigit()) or _TIE_BREAK.search(said):
        return False
    signed = not attached and last in "+#" and (said[-2:-1].isalnum() or said[-2:-1] == last)  # C++, C#, 50+
    if not (last.isalnum() or last in _AFTER_WORD or signed or unicodedata.category(last) in ("So", "Mn", "Mc", "Sk")):
        return False
    if last in "*_" and said.rstrip("*_")[-1:].isspace():
        return False
    # In some scripts a word has marks that are no letters.
    word = said.rpartition(" ")[2].casefold()
    if said.endswith(_THAI_PARTICLES) or (not last.isascii() and word in TAKES_OBJECT):
        return False
    if word in _TAKES_LIST and len(marker.numbers) > 1:
        return False
    if attached and (call or not (marker.named or _may_be_attached(before))):
        return False
    found = _LAST_WORD.search(said)
    if found is None or (attached and not marker.named) or said[: found.start()][-1:].isdigit():
        return True
    word = found.group().rstrip(".").casefold()
    word = re.split("['’]", word)[-1] or word  # l'intervalle
    if found.group().endswith("."):
        return word not in _ABBREVIATIONS or said.strip("*_ ").casefold() in _SHORT_ANSWERS
    if len(word) == 1 and word.isascii() and word != "i":
        return len(marker.numbers) == 1 and found.group().isupper()
    return word not in TAKES_OBJECT


def _may_be_attached(before: str) -> bool:
    """Whether a bracket directly after this text is a citation and not an index."""
    last = before[-1:]
    if last == "`" or not (last.isalnum() or last in "_'’"):
        return True
    word = _TOKEN.search(before[-_LONGEST_WORD:])
    if word is None or last in "'’" or "_" in word["word"] or last in _PARTICLES:
        return False
    if not last.isascii() or word["word"][0].isdigit() or word["sign"] == "°":  # 12b, 500mg
        return True
    if _ADDRESS.search(before[-2 * _LONGEST_WORD :]):
        return True
    if word["sign"] in _OF_CODE or _ABOUT_CODE.search(before):
        return False
    letters = word["word"].strip("0123456789")
    if last.isdigit():  # B12, LH123
        return letters.isupper()
    if len(letters) < 3:  # a unit after a number, or a short answer
        return word["number"] is not None or letters.casefold() in _SHORT_ANSWERS
    return letters[1:] == letters[1:].lower() and letters.casefold() not in _IDENTIFIERS


def _in_formula(before: str) -> bool:
    """Whether a formula between ``$`` is open.  ``$5`` is an amount."""
    if "$" not in before:
        return False
    return len(re.findall(r"(?<!\\)\$(?!\d)", before)) % 2 == 1


# -- what stands after ---------------------------------------------------------------------------------------------------

_CLAUSE_ENDS = re.compile(r"[ \t\u00a0\u202f]*(?:[。，；：！？、…」』؟،؛।]|—|–(?=[ \t])|\|[ \t]*(?:\n|\Z)|\n)|\r?\n")
_PUNCTUATION = re.compile(r"[ \t\u00a0\u202f]*[.,;:!?]+(?=[\s\"”“»)\]}*_'’」]|\Z)|(?:\*{1,3}|_{1,3})(?=[\s.,;:!?]|\Z)")
_UNDECIDED = re.compile(r"[ \t\u00a0\u202f]*(?:[.,;:!?–]*|\|[ \t]*)\Z|[*_]{1,3}\Z|\r\Z")
_LINE_END = re.compile(r"[ \t\u00a0\u202f]*[.,;:!?…。！？，；：]*[ \t\u00a0\u202f]*(?:(?P<end>[\r\n])|\Z)")
# The next clause begins: a conjunction and a pronoun.
_CONJUNCTIONS = _words(
    """
    and but while because since so although whereas und aber während weil denn et mais car tandis y pero mientras porque e ma
    mentre perché mas enquanto en maar terwijl omdat i ale bo a и а но
    """
)
PRONOUNS: Final = _words(
    """
    you your he she they it we i his her their its our my du sie er es wir ich dein deine deinen ihr ihre sein seine mein meine
    tu vous il elle ils elles on je nous votre ton ta tes son sa ses leur tú usted él ella ellos su sus tus te lui lei loro voi
    io noi suo sua tuo tua você ele ela eles seu sua teu eu nós je jij u hij zij ze wij ik jouw zijn haar ty pan pani on ona
    oni twój twoja ты вы он она они я мы твой твоя ваш
    """
)
_NEXT_CLAUSE = re.compile(r"[ \t]+([^\W\d_]+)[ \t]+([^\W\d_]+)(?![\w[])")
_NEXT_ITEM = re.compile(r"[ \t]+([^\W\d_]+)[ \t]+(?=[^\W\d_])")
_BEGINS_CLAUSE = re.compile(r"[ \t]+([^\W\d_]+)(?:[ \t]+[^\W\d_]*['’]?)?\Z")


def is_undecided(after: str) -> bool:
    """Whether more text is needed to know if a clause ends."""
    if (found := _BEGINS_CLAUSE.match(after)) is not None:
        word = found[1].casefold()
        begins = any(each.startswith(word) for each in _CONJUNCTIONS) if after.endswith(found[1]) else word in _CONJUNCTIONS
        return begins
    return _UNDECIDED.match(after) is not None


def joins_clauses(before: str, after: str, *, listed: bool) -> bool:
    """Whether a clause ends between the two texts: "You live in Oslo", "and you work in Bergen".

    ``listed``: a marker was removed from this line, so this one may end an item: "Tom [0], Rex [1] and Kit [2]".
    """
    if listed and (found := _NEXT_ITEM.match(after)) is not None:
        return found[1].casefold() in _CONJUNCTIONS
    found = _NEXT_CLAUSE.match(after)
    if found is None or len(before.split()) < LEAST_WORDS:
        return False
    return found[1].casefold() in _CONJUNCTIONS and found[2].casefold() in PRONOUNS


def ends_clause(after: str, *, parenthesis: bool) -> bool:
    """Whether a clause ends before ``after``.  ``parenthesis``: one is open in the line."""
    if not after.strip(" \t\u00a0\u202f") or _CLAUSE_ENDS.match(after) or _PUNCTUATION.match(after):
        return True
    first = after.lstrip(" \t")[:1]
    return (parenthesis and after[:1] == ")") or unicodedata.category(first) == "So"


def ends_cell(before: str, after: str) -> bool:
    """Whether a cell of a table ends between the two texts."""
    return before.lstrip().startswith("|") and after.lstrip(" \t").startswith("|")


def ends_line(after: str, *, ended: bool) -> bool | None:
    """Whether the line ends.  None: the text that follows ``after`` decides."""
    found = _LINE_END.match(after)
    if found is None:
        return False
    return True if found["end"] is not None or ended else None
