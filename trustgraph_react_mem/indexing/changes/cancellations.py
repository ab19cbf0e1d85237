"""Recognises that a plan is dropped: "the move to Leeds is off", "der Umzug ist abgesagt".

All that the cancellation names must occur in the plan, as a term, or as another word of the same kind of plan: "the move" for
"we're moving".  Days and months may be left out of either.  In doubt nothing is cancelled, as in ``decision``.
Sources: common wordings of twelve languages.
"""

import re
from collections.abc import Iterator

from ..text.slots import exclusive_words
from ..tokenizer import is_spaceless, terms
from . import forms

_END = r"(?=$|[.,;!…]| (?:now|again|after all|for now|for good|altogether|because|since|as|due|thanks|sadly|unfortunately)\b)"
_PLAN = (
    r"(?:move|relocation|trip|journey|holiday|vacation|flight|wedding|engagement|party|meeting|meetup|dinner|lunch|brunch|date"
    r"|picnic|visit|tour|concert|gig|game|match|deal|sale|barbecue|bbq|plan|appointment|interview|race|conference|class|lesson"
    r"|reunion|excursion|hike|outing|cruise|camping|weekend|event|festival|rehearsal|show|performance|purchase)s?"
)
_CANCELS = forms.anywhere(
    r"cancel(?:l?ed|l?ing)?|call(?:ed|ing) off|call(?:ed|ing|s)? (?P<thing>(?:the|our|my) .{2,30}) off|calls? off|f[ae]ll(?:en"
    r"|s)? through"
    r"|scrapped|scrubbed|shelved|aborted|rained off"
    r"|(?:(?:is|are|was)(?:n't| not)|not) (?:happening|taking place|going ahead)|won't (?:happen|take place|go ahead)"
    r"|will not (?:happen|take place|go ahead)|(?:come|came|comes) to nothing"
    rf"|(?<=\b)(?:{_PLAN}(?: \w+){{0,5}}? (?P<off>(?:is|are|was|were|'s|has been) (?:now |all )?off){_END})"
    r"|there(?:'s| is| will be|'ll be) no(?= \w+)"
    r"|abgesagt|absagen|abgeblasen|storniert|stornieren|gecancelt|geplatzt|(?:fällt|fallen|fiel) (?:\w+ ){0,4}?(?:aus|flach)"
    r"|ausgefallen|(?:fällt|fallen|fiel) (?:\w+ ){0,3}?ins wasser|ins wasser gefallen|gestrichen"
    r"|wird (?:\w+ ){0,3}?ni(?:chts|x)"
    r"|findet (?:\w+ ){0,4}?nicht statt|nicht zustande|hat sich zerschlagen|nichts geworden"
    r"|annul(?:ée?s?|er|e|ons)|décommand\w+|tomb(?:e|ent|ée?s?) à l'eau"
    r"|n'(?:a|aura|ont|auront) (?:\w+ )?(?:pas|plus) lieu|ne se (?:fait|fera|font) (?:\w+ )?(?:pas|plus)"
    r"|(?:se )?(?:ha |han )?(?:cancel|anul)(?:ad[oa]s?|ó|ar|amos|é|aron|o)"
    r"|se (?:ha |han )?suspend(?:ido|ida|ió|e|erá)|suspendid[oa]s?"
    r"|(?:ya )?no se (?:hace|hará|celebra|celebrará)|se cayó|(?:ya )?no va a haber"
    r"|annull(?:at[oaie]|are|iamo|o)|salta(?:t[oaie])?(?! \w)|disdett[oaie]|disdire|sfumat[oaie]|andat[oaie] a monte"
    r"|non si (?:fa|farà|tiene)(?: più)?|cancellat[oaie]|cancellare"
    r"|cancel(?:ámos|ei|ou|aram)(?:-se)?|desmarcad[oa]s?|desmarcar|anulad[oa]s?|"
    r"(?:já )?não (?:se realiza|vai acontecer|vai haver)|por água abaixo"
    r"|geannuleerd|annuleren|afgezegd|afzeggen|afgeblazen|afgelast|(?:gaat|gaan) (?:\w+ ){0,4}?niet (?:meer )?door"
    r"|niet doorgegaan|van de baan|in het water gevallen"
    r"|odwołan[aeyio]|odwołać|odwołujemy|odwołał\w*|anulowan[aeyo]|nie odbędzie się|nie dojdzie do skutku|nie wypalił\w*"
    r"|отмен(?:ил[аи]?(?:сь)?|ился|ен[аоы]?|[её]н|яется|яются|ить)|сорвал[аио]?(?:сь|ся)|не состо(?:ится|ятся|ялась|ялся)",
    "中止|取りやめ|取り止め|キャンセル|お流れ|なくな(?:った|りました)|取消|泡汤|作罢|告吹|不办了|去不成|搬不成"
    "|취소|무산|없던 일",
)
# Where the words beside it begin to say why.
_WHY = re.compile(
    r"\b(?:because|due to|since|as|thanks to|after|so|and|but|wegen|weil|nachdem|und|aber|parce|à cause|et|mais|porque"
    r"|por(?! l[ao] (?:tarde|noche|mañana))|pero"
    r"|perché|a causa|omdat|wegens|vanwege|maar|ponieważ|przez|ale|потому|из-за|но)\b.*|(?:因为|由于|所以|ので|から).*",
    re.IGNORECASE,
)
_NOISE = forms.words("""
    unfortunately sadly just all whole plan plans finally now had has have must need needed got been after sorry news big us
    leider doch nun jetzt wurde worden mussten musste müssen haben habe schon plan plane pläne aus
    malheureusement finalement fallu faut dû devons a été donc projet projets
    desgraciadamente tuvimos tuve tenido hemos que ha sido lamentablemente finalmente plan planes
    purtroppo abbiamo dovuto è stato stata progetto infelizmente tivemos tive foi que plano
    helaas moesten moest hebben is werd wordt plannen plan niestety musieliśmy musiałem musiałam został została zostały jest
    plany к сожалению увы пришлось план планы
""")
_PARTICLES = re.compile(
    r"[ぁ-ゖ]+|[的了去我们已经被要得都很会可惜事]"
    r"|(?:은|는|이|가|을|를|의|에|로|으로|도)(?=\s|$)|됐어요?|되었\w*|했\w*|돼\w*"
)
# Of each kind of plan its nouns and what people do; what "the trip" is for "we are going to Rome" needs a name of both.
_KINDS = (
    (
        forms.anywhere(
            r"mov(?:e|es|ing)|relocat(?:e|ing|ion)|umz(?:ug|iehen)|zieh(?:e|en|t)|(?:dé|em)ménag(?:e|eons|er|ement)|emménageons"
            r"|mud(?:o|amos|anza|ança|arme|arnos|ar-me|ar-nos)|trasloc(?:o|hiamo)|trasferi(?:amo|sco|rci|rmi|mento)"
            r"|verhui[sz]\w*"
            r"|przeprowadz(?:k\w|am\w*|imy|ić)|переез(?:д\w?|жа\w+)",
            "引っ?越|搬|이사",
        ),
        None,
    ),
    (
        forms.anywhere(
            r"trips?|journeys?|holidays?|vacations?|flights?|travels?|tour|cruise|reisen?|urlaub|flug|fahrt|voyages?|vacances"
            r"|séjour|vol|viajes?|vacaciones|vuelo|viaggi\w?|vacanz[ae]|volo|viagem|viagens|férias|voo|reis|vakantie|vlucht"
            r"|wyjazd\w*|podróż\w*|wycieczk\w|wakacje|lot|поездк\w|путешестви\w|отпуск\w?|рейс",
            "旅行|旅游|여행",
        ),
        forms.anywhere(
            r"go|going|fly|flying|travel(?:l?ing)?|visit(?:ing)?|fahren?|fliegen?|reisen?|verreisen|allons|vais|partons|pars"
            r"|vamos|voy|volamos|viajamos|andiamo|vado|partiamo|voliamo|vou|viajo|gaan|ga|vliegen|vlieg|reizen"
            r"|jedziemy|jadę|lecimy|lecę|едем|еду|летим|лечу",
            "行きます|行く|去|飞|가요|갑니다|가기로",
        ),
    ),
    (
        forms.anywhere(
            r"wedding|marry|marrying|getting married|hochzeit|heirat\w*|mariage|marions|boda|casamos|casarnos|matrimonio|nozze"
            r"|sposiamo|sposarci|casamento|casar|bruiloft|trouwen|ślub|wesele|pobieramy|свадьб\w|женимся",
            "結婚|结婚|婚礼|결혼",
        ),
        None,
    ),
)
_PLANNED = forms.anywhere(
    r"today|tonight|tomorrow|this \w+|next \w+|booked|heute|morgen|(?:habe|haben|bin|sind)(?= .{2,60} (?:gebucht|geplant|vor)$)"
    r"|aujourd'hui|demain|(?:j'ai|nous avons) (?:prévu|réservé)|prévu|hoy|mañana|oggi|domani|hoje|amanhã|vandaag|dzisiaj|jutro"
    r"|(?:heb|hebben)(?= .{2,60} geboekt$)|сегодня|завтра",
    "今日|明日|今天|明天|오늘|내일",
)
_HABIT = forms.anywhere(
    r"to (?:work|school|the office)"
    r"|every|each|always|usually|often"
    r"|jed\w+|immer|oft|chaque|tou(?:s|tes) les|souvent|cada|siempre|tod[oa]s l[oa]s|ogni|sempre"
    r"|elke?|altijd|każd\w*|zawsze|кажд\w+|всегда",
    "毎|每|매[일주년]",
)
_OURS = forms.words("""
    my our mein meine meinen unser unsere unseren mon ma mes notre nos mi mis nuestro nuestra mio mia nostro nostra meu minha
    nosso nossa mijn onze ons mój moja nasz nasza nasze мой моя наш наша нашу мою
""")
_BARE = 10  # characters before a cancellation that name nothing: "c'est", "das ist", "it's been"
_WORD = re.compile(r"[^\W_]+")


def cancels(text: str) -> bool:
    """Whether a text may say that a plan is dropped."""
    return _CANCELS.search(text) is not None


def cancels_plan(new: str, old: str, language: str) -> bool:
    """Whether ``new``, said later by the same person about the same people, drops the plan that ``old`` states.

    ``language``: of both, ISO 639-1.

    >>> cancels_plan("The move to Leeds is off.", "We're moving to Leeds in June.", "en")
    True
    >>> cancels_plan("The move to Leeds is off to a good start.", "We're moving to Leeds in June.", "en")
    False
    """
    if new.rstrip().endswith(("?", "？")) or not _is_planned(old):
        return False
    held = frozenset(terms(old, language))
    days, days_held = exclusive_words(new, language), exclusive_words(old, language)
    if any(not days[group] & days_held[group] for group in days.keys() & days_held.keys()):
        return False
    dates = frozenset(terms(" ".join(word for group in days for word in days[group]), language))
    return any(_names(rest, old, held, dates - held, language) for rest in _find_cancelled(new))


def _is_planned(text: str) -> bool:
    """Whether a text may state a plan: neither what was, nor what always is, nor that nothing comes of it."""
    if text.rstrip().endswith(("?", "？")) or forms.PAST.search(text) or _HABIT.search(text):
        return False
    if forms.NEGATED.search(text) or _CANCELS.search(text):
        return False
    return forms.EVENT.search(_PLANNED.sub(" ", text)) is None


def _find_cancelled(text: str) -> Iterator[str]:
    """What the clauses of a text name beside the words of a cancellation."""
    before = ""
    for clause in forms.clauses(text):
        before, last = clause, before
        if (found := _CANCELS.search(clause)) is None:
            continue
        if found.start() < _BARE and last:  # "Le resto de vendredi, c'est annulé"
            clause = f"{last} {clause}"
            found = _CANCELS.search(clause)
            if found is None:
                continue
        start, end = found.span("off") if found["off"] else found.span()
        rest = f"{clause[:start]} {found['thing'] or ''} {_WHY.sub('', clause[end:])}"
        words = set(_WORD.findall(rest.casefold()))
        others = forms.THIRD_PERSON & words and not _OURS & words
        if not (others or _HABIT.search(clause) or forms.NEGATED.search(rest) or forms.FUTURE.search(rest)):
            yield rest


def _names(rest: str, old: str, held: frozenset[str], dates: frozenset[str], language: str) -> bool:
    """Whether all that ``rest`` names occurs in a plan."""
    plain = _PARTICLES.sub(" ", rest) if is_spaceless(rest) or language == "ko" else rest
    plain = " ".join(word for word in _WORD.findall(plain.casefold()) if word not in _NOISE)
    named = frozenset(terms(plain, language)) - dates
    missing = named - held
    for nouns, verbs in _KINDS:
        said = {term for found in nouns.finditer(plain) for term in terms(found.group(), language)}
        if missing & said and (nouns.search(old) or (verbs is not None and verbs.search(old) and named & held)):
            missing -= said
    return bool(named) and not missing
