"""Where a person lives: in so many words, or by the home that they rent."""

import re
from dataclasses import dataclass

from ..tokenizer import name_spans, terms
from . import forms

_PLACE = re.compile(
    r"\s*(?:(?:in|to|at|à|en|au|a|nach|bei|na|no|em|w|do|в|на|te|naar)\s+)?"
    r"(?!(?:alone|here|there|together|again|now|with)\b)(?P<place>[^\W\d_]{3,})",
    re.IGNORECASE,
)
RESIDENCE = forms.anywhere(
    r"live|lives|living|reside|resides|(?:(?:am |is |are |'m |'re )|^)based|(?:have |has |'ve |'s )?(?:re)?settled (?:down )?in"
    r"|(?:have |has |'ve |just |recently )*(?:(?:moved|relocated) (?:back |away |over )?to"
    r"|moved in with .{2,20}? in)|(?:i|we)(?:'ve| have)? (?:just "
    r"|now )?shifted to"
    r"|^shifted to"
    r"|new (?:address|home|flat|apartment) is(?: in)?|(?:wohnen|leben|ziehen) wir|wohnen?|wohnt|leben?|lebt"
    r"|(?:bin|ist|sind)(?= .{0,40}gezogen)|ziehen?|habit(?:e|ons)|vi[st] (?:maintenant |désormais |à présent )?à|vivons à"
    r"|(?:on )?(?:ai|a|avons|suis) (?:emménagé|déménagé)|v(?:iens|ient|enons) (?:d'em|de dé)ménager|on (?:habite"
    r"|vit à)|(?:suis|est|sommes) installée?s? à|viv(?:o|e"
    r"|imos) en"
    r"|(?:me (?:mudé|he mudado)|nos mudamos|nos hemos mudado|se mudó|se ha mudado)(?: a)?"
    r"|(?:(?:me|nos) (?:vine|vinimos|he venido|hemos venido|fui|fuimos|he ido|hemos ido)) a vivir a"
    r"|abit(?:o|a|iamo)|viv(?:o|iamo) a|(?:mi sono|ci siamo) (?:appena |ormai )?trasferit[oaie]|moro em|mora em|moramos em"
    r"|(?:me mudei|mudei-me|mudámo-nos|se mudou)(?: para)?"
    r"|(?:mudei|mudamos) (?:para|pra|pro)(?! (?:android|iphone|windows|linux|mac)\b)|woon ik|wonen (?:we|wij)|woon|woont|wonen"
    r"|(?:ben|zijn)(?= .{0,30}verhuisd)|mieszka(?:m|my)?|przeprowadzi(?:ł[ae]?m|liśmy|łyśmy) się|живу|живём|живёт|переехал[аи]?"
)
RESIDENCE_WITHOUT_SPACES = re.compile(
    r"(?P<place>[^\s はがもを、，]{1,12})(?:に住んで|に引っ越し|へ引っ越し|에 살|(?:으)?로 이사)"
    r"|(?:住在|搬到|搬去|搬家到)(?:了)?(?P<where>[^\s，。]{1,12})"
)
# The home of the speaker is somewhere: it may be one of several, so it changes another only if it is new.
_ROOMS = r"(?:flat|apartment|apt|condo|house|home|place|studio|room|bedsit|flatshare|houseshare)"
_WOHNUNG = r"(?:wohnung|\w*zimmer(?:wohnung)?|haus|häuschen|wg|apartment|bude)"
_LOGEMENT = r"(?:appart(?:ement)?|maison|studio|chambre|logement|coloc(?:ation)?)"
_CASA = r"(?:piso|casa|apartamento|habitación|departamento|estudio|ático|appartamento|stanza|monolocale|quarto|andar|estúdio)"
_HUIS = r"(?:flat|huis|appartement|kamer|studio|woning)"
_DOM = r"(?:mieszkani[ea]|dom|pokój|kawalerk\w|pokoju|квартир\w|дом|комнат\w|студи\w)"
_DWELLING = forms.anywhere(
    rf"(?:my|our) (?:\w+ ){{0,2}}{_ROOMS}(?:'s| is) (?:now )?(?:in|at|on)"
    rf"|(?:i|we)(?:'ve got| have(?: got)?) (?:an?|(?:my|our) own) (?:\w+ ){{0,2}}{_ROOMS} (?:in|at|on)"
    rf"|(?:i|we)(?:'m| am|'re| are|'ve| have)? (?:\w+ )?(?:rent|renting|rented|share|sharing) (?:an?|the|our|this)"
    rf" (?:\w+ ){{0,3}}{_ROOMS} (?:\w+ ){{0,3}}?(?:in|at|on)"
    r"|home (?:for (?:me|us) )?is(?: now)?(?: in)?|(?:i|we) (?:now )?call(?= .{2,30} (?:my |our )?home$)"
    r"|(?:i'm|i am|we're|we are) (?:a )?residents? of"
    rf"|(?:meine|unsere?|mein) (?:\w+ ){{0,2}}{_WOHNUNG} (?:ist|steht|liegt|befindet sich) (?:jetzt )?(?:in|am|an|bei)"
    rf"|(?:miete|mieten|bewohne|bewohnen) (?:\w+ ){{0,2}}(?:eine?n?|unsere?) (?:\w+ ){{0,2}}{_WOHNUNG}"
    r" (?:\w+ ){0,2}?(?:in|am|an|bei)"
    rf"|(?:habe|haben) (?:\w+ ){{0,2}}eine?n? (?:\w+ ){{0,2}}{_WOHNUNG} (?:in|am|an|bei)(?= .{{2,40}} gemietet)"
    rf"|(?:mon|ma|notre) (?:\w+ ){{0,2}}{_LOGEMENT} (?:est|se trouve) (?:maintenant )?(?:situé\w* )?(?:à|au|en)"
    rf"|(?:je|nous|on) (?:loue|louons) (?:\w+ ){{0,2}}une? (?:\w+ ){{0,2}}{_LOGEMENT} (?:\w+ ){{0,2}}?(?:à|au|en)"
    rf"|(?:mi|nuestr[oa]|la nostra|la mia|il nostro|il mio|a minha|a nossa|o meu|o nosso|minha|nossa) (?:\w+ ){{0,2}}{_CASA}"
    r" (?:está|es|queda|si trova|è|fica|é) (?:ahora |ora |agora )?(?:en|a|em|no|na)"
    rf"|(?:alquil(?:o|amos)|alugo|alugamos|arrend(?:o|amos)|affitt(?:o|iamo)) (?:\w+ ){{0,2}}u(?:na|no|n|ma"
    rf"|m) (?:\w+ ){{0,2}}{_CASA}"
    rf" (?:\w+ ){{0,2}}?(?:en|a|em|no|na)"
    r"|sono in affitto a|siamo in affitto a|estoy de alquiler en|estamos de alquiler en"
    rf"|(?:mijn|onze?|ons) (?:\w+ ){{0,2}}{_HUIS} (?:is|staat|ligt) (?:nu )?(?:in|te|op)"
    rf"|(?:ik|we|wij) (?:\w+ )?(?:huur|huren) (?:\w+ ){{0,2}}een (?:\w+ ){{0,2}}{_HUIS} (?:\w+ ){{0,2}}?(?:in|te|op)"
    rf"|(?:moje|nasze|mój|nasz) (?:\w+ ){{0,2}}{_DOM} (?:jest|znajduje się) (?:teraz )?(?:w|we|na)"
    rf"|(?:wynajmuję|wynajmujemy) (?:\w+ ){{0,2}}{_DOM} (?:\w+ ){{0,2}}?(?:w|we|na)"
    rf"|(?:моя|наша|мой|наш) (?:\w+ ){{0,2}}{_DOM} (?:находится )?(?:в|на)"
    rf"|снима(?:ю|ем) (?:\w+ ){{0,2}}{_DOM} (?:\w+ ){{0,2}}?(?:в|на)"
)
_DWELLING_WITHOUT_SPACES = re.compile(
    r"(?P<place>[^\s はがもを、，。]{1,12})(?:で|に)(?:アパート|マンション|部屋|家|一軒家)を借り(?!ました)"
    r"|(?:家|うち|アパート|マンション)は(?P<at>[^\s、，。]{1,12}?)に(?:あり|ある)"
    r"|在(?P<where>[^\s，。在]{1,12}?)(?:租了?|租着)(?:一?[个套间])?(?:公寓|房子?|套房|单间)"
    r"|我们?的?(?:家|公寓|房子|住处)在(?P<here>[^\s，。]{1,12})"
    r"|(?P<korean>[^\s,.]{1,12})에서? (?:아파트|집|방|원룸|오피스텔)(?:를|을)? (?:빌려|빌리고|임대|세)"
    r"|(?:우리|내|저희|제) ?(?:집|아파트)(?:은|는|이)? (?P<hanok>[^\s,.]{1,12})에 있"
)
# "We moved again, we're in Hull now": where someone is counts as a home only beside a move.
_IS_NOW_IN = forms.anywhere(
    r"(?:i|we)(?:'m| am|'re| are) (?:now )?in|(?:bin|sind) (?:wir |ich )?(?:jetzt|nun) in|(?:suis|sommes|est) (?:maintenant )?à"
    r"|(?:estoy|estamos) (?:ahora )?en|(?:sono|siamo) (?:ora |adesso )?a|(?:estou|estamos) (?:agora )?em"
    r"|(?:ben|zijn|zit|zitten) (?:we |ik )?(?:nu )?in|(?:jestem|jesteśmy) (?:teraz )?w|(?:я|мы) (?:теперь|сейчас) в"
)
# A stay, a second home, or a home that others rent.
_TEMPORARY = forms.anywhere(
    r"for (?:the |a |an |our )?(?:\w+ )?(?:nights?|days?|weekends?|weeks?|holidays?|vacation|summer|winter|conference|wedding)"
    r"|until \w+|holiday|vacation|weekends?|second|summer|beach|airbnb|to (?:students|tourists|guests|people|an?|my|our|some)"
    r"|für (?:\w+ ){0,2}(?:tage|nächte|wochen?|wochenenden?|urlaub|sommer|winter)|ferien\w*|urlaub\w*|zweit\w+|wochenend\w+"
    r"|pour (?:\w+ ){0,2}(?:jours|nuits|semaines?|vacances|week-end|été)|de vacances|secondaire|aux? (?:étudiant|touriste)\w*"
    r"|(?:por|para|per|durante) (?:\w+ ){0,2}(?:días|noches|semanas?|vacaciones|verano|giorni|notti|settiman[ae]|vacanze|estate"
    r"|agosto|luglio|julio|dias|noites|férias|verão)|de playa|al mare|de praia|a (?:estudiantes|turistas|estudantes)"
    r"|voor (?:\w+ ){0,2}(?:dagen|nachten|weken|week|weekend|vakantie|zomer)|vakantie\w*|aan (?:studenten|toeristen)"
    r"|na (?:\w+ ){0,1}(?:dni|noce|tydzień|tygodnie|weekend|wakacje)|на (?:\w+ )?(?:дн\w+|ноч\w+|недел\w+|выходные|лето)|дачу",
    "週間|泊|別荘|周末|度假|주말|별장",
)
# A country beside a city is no move.
COUNTRIES = forms.words("""
    germany france spain italy portugal netherlands belgium austria switzerland poland russia ukraine england scotland
    wales ireland
    britain uk usa america canada mexico brazil japan china korea india australia norway sweden denmark finland europe asia
    africa
    greece turkey iceland deutschland frankreich spanien italien österreich schweiz polen belgien niederlande allemagne espagne
    italie suisse belgique españa italia alemania francia suiza portogallo svizzera alemanha frança itália suíça brasil
    nederland
    belgië duitsland polska niemcy россия польша 日本 中国 韩国 한국 台湾
""")


_WITH = re.compile(
    r"\s*(?:\w+\s)?(?:with|mit|avec|con|com|met|z|ze|с|со)\s.*?(?=$|\s(?:in|at|near|à|en|a|em|te|w|we|в)\s)", re.IGNORECASE
)
_STREETS = forms.words(
    "street lane road avenue way close drive square st ave rd straße strasse weg gasse platz rue avenue calle via rua"
)


@dataclass(frozen=True, slots=True)
class Home:
    """``verb``: its subject is who lives there; None: the speaker.  ``rented``: it may be one home of several."""

    place: frozenset[str]
    verb: re.Match[str] | None = None
    rented: bool = False


def find_home(clause: str, text: str, language: str) -> Home | None:
    """Where a clause of a text says that someone lives."""
    if (found := RESIDENCE.search(clause)) and (place := _names(_beside_people(clause[found.end() :]), text)):
        return Home(place, verb=found)
    if forms.PEOPLE.search(clause) is not None:
        return None
    if found := RESIDENCE_WITHOUT_SPACES.search(clause):
        return Home(frozenset(terms(found["place"] or found["where"], language)))
    if _TEMPORARY.search(clause) is not None:
        return None
    if (found := _IS_NOW_IN.search(clause)) and forms.MOVED_HOME.search(text):
        return Home(_names(clause[found.end() :], text))
    if found := _DWELLING.search(clause):
        return Home(_names(clause[found.end() :], text), rented=True)
    if found := _DWELLING_WITHOUT_SPACES.search(clause):
        return Home(frozenset(terms(next(filter(None, found.groups())), language)), rented=True)
    return None


def _beside_people(text: str) -> str:
    """The words after "live" without those with whom: "with Zoe in Bath"."""
    found = _WITH.match(text)
    return text if found is None else text[found.end() :]


def _names(text: str, whole: str) -> frozenset[str]:
    """The names of a place and its numbers.  Lower-case names count in a text without capitals."""
    found = {name for name, _, _ in name_spans(text)}
    if found:
        found |= set(forms.NUMBER.findall(text))
    elif whole.replace("I", "").islower() and (place := _PLACE.match(text)):
        word = place["place"].casefold()
        found = set() if terms(word, "en") == [] or word in forms.SUBJECT_NOISE else {word}
    return frozenset(found - _STREETS or found)
