"""Words beside an attribute that say that nothing is so, that another thing is meant, or that something has changed."""

from ..changes import forms

# Nothing is so: wishes, plans, conditions, and what was.
UNREAL = forms.anywhere(
    r"trying|aim(?:ing)? to|wish|imagine|suppose|pretend|dream(?:ed|t)? (?:of|about|that)|interview\w*|appl(?:y"
    r"|ied|ying)|considering|thinking"
    r"|if|unless|whether|would|could|should|might|want(?:s|ed)? to|hop(?:e|ing) to|used to|as an? (?:student"
    r"|child|kid|teenager|boy"
    r"|girl)|when i was|back then|before that|at my (?:last|old|previous)|(?:i|we) once|nearly|almost"
    r"|beworben|bewerbe|früher|damals|wünschte|wäre|würde|hätte|falls|wenn|vielleicht|möchte|will|wollte|überlege|als kind"
    r"|postulé|aimerais|voudrais|avant|autrefois|quand j'étais|peut-être|envisage"
    r"|gustaría|quisiera|quiero|antes|solía|quizás?|ojalá|me presenté|postulé"
    r"|vorrei|mi piacerebbe|prima|forse|magari|una volta|da (?:bambin[oa]|studente)"
    r"|queria|quero|gostaria|talvez|quando eu era"
    r"|wil|zou|vroeger|misschien|overweeg|solliciteer\w*|gesolliciteerd|toen ik"
    r"|chcę|chciał\w*|chciałbym|może|dawniej|kiedyś|wcześniej|gdyby\w*|aplikuj\w*|zastanawiam"
    r"|хочу|хотел\w*|бы|раньше|возможно|может|если|когда-то|собираюсь|планирую",
    "つもり|たい|かもしれ|以前|昔|かつて|もし|予定|ていた|ていました|でした|だった|打算|想|曾经|如果|可能|要是"
    "|싶|예정|전에|예전|만약|할 거|려고|일했|다녔",
)
REPORTED = forms.anywhere(
    r"(?:he|she|they|who|which|it|[\w]+) (?:says?|said|sings?|sang|wrote|writes|thinks?|claims?|told|asked|asks"
    r"|believes?|mentioned"
    r"|heard|reads?)|according to|sagt(?:e)?|meint(?:e)?|erzählt(?:e)?|dit|dice|dijo|ha detto|disse|zegt|zei|mówi|powiedział\w*"
    r"|говорит|сказал\w*",
    "と言|说|라고",
)
TEMPORARY = forms.anywhere(
    r"today|tonight|this (?:morning|afternoon|evening|weekend)|for (?:a|an|the) (?:\w+ )?(?:meeting|day|week|weekend|visit|hour"
    r"|while|night|month|conference|trip)|on holiday|on vacation|rent(?:ed|al)|borrow\w*|last (?:summer|winter"
    r"|weekend|night)|for now"
    r"|heute|im urlaub|aujourd'hui|en vacances|hoy|en vacaciones|oggi|in vacanza|hoje|de férias|vandaag|op vakantie"
    r"|dzisiaj|dziś|na wakacjach|сегодня|в отпуске",
    "今日|今天|오늘",
)
OTHER = forms.words("""
    old former previous first last next future second other another ex dream ideal late fake temporary
    alte alter altes alten ehemalige ehemaliger frühere früherer vorherige zweite zweiter zweites andere nächste nächster
    ancien ancienne deuxième prochain prochaine autre antiguo antigua anterior segundo segunda próximo próxima otro otra vecchio
    vecchia secondo seconda prossimo prossima altro altra velho velha
    antigo antiga outro outra próximo oude vorige tweede volgende
    stary stara poprzedni poprzednia drugi druga następny następna старый старая прежний прежняя бывший бывшая второй вторая
""")
NEUTRAL = forms.words("""
    new current direct main own primary actual usual regular present brand latest
    neue neuer neues neuen jetzige jetziger aktuelle direkte direkter nouveau nouvelle nouvel actuel actuelle directe
    nuevo nueva actual directo directa nuovo nuova attuale diretto
    diretta novo nova atual direto direta nieuwe nieuw huidige directe
    nowy nowa nowe obecny obecna новый новая новое новую нового нынешний нынешняя
    is are am now the a an our my also just moja moje moj moim moją мой моя мою моим
""")
FILLERS = forms.words("""
    now just recently currently have has had ve also still am
    m be been is are got usually always mostly normally already finally
    actually really only well so and but then since retrained switched happily officially basically as of do does did ve'
    bin habe hab jetzt nun inzwischen mittlerweile seit schon gerade neuerdings immer meistens und aber
    ai suis maintenant désormais depuis déjà et mais viens ahora ya he
    y pero desde actualmente adesso ora ormai ho sono già e ma
    agora já estou tenho mas nu tegenwoordig inmiddels sinds ben heb al en maar teraz obecnie już i ale a теперь сейчас уже и но
    mij me mich mir
""")
STATES = forms.words("""
    sick ill tired away off busy nice great good bad kind lovely
    sweet angry mad happy sad late early here there fine ok okay well
    better worse awful terrible horrible amazing awesome funny strict cool
    hot cold broken dead gone empty full dirty clean big small
    new old young slow fast expensive cheap boring difficult hard
    easy ready done annoying pregnant asleep home alone wrong right
    krank müde weg nett toll super gut schlecht streng kaputt neu alt groß klein teuer billig da hier leer voll sauer
    malade fatigué fatiguée sympa gentil gentille bien mal cassé cassée grand petit enfermo enferma cansado simpático bueno malo
    roto malato stanco simpatico bravo rotto doente cansado legal bom boa quebrado ziek moe aardig goed slecht kapot
    chory chora zmęczony miły miła dobry dobra zły zepsuty болен больна устал добрый добрая хороший сломан сломана
""")
ADJECTIVES = forms.words("""
    little handy trusty beloved dear cute favourite red blue green black white grey silver yellow electric used own best
    rote roter rotes blaue blauer blaues kleine kleiner kleines
    liebe lieber petit petite pequeño pequeña piccolo piccola klein kleine
""")
TITLES = forms.words("""
    dr doctor mr mrs ms miss prof professor herr frau herrn m
    mme mlle monsieur madame sr sra señor señora sig signor signora dott
    dottor dottoressa dra dr. pan pani dhr mevrouw called named guy man woman girl
    lady is are the a an new my our it its it's he she
    his her name now who private small big local little firm company start-up startup clinic gmbh ltd inc from until
    called heißt jetzt eine ein einen einer einem der die das dem den bei beim in im an am zu zur zum
    un une le la les chez à au aux en de du des d l el los las
    un una lo il gli della del dell' o os as um uma no na em bij het een
    op w we z u в на у с
""")
CHANGED = forms.anywhere(
    r"upgraded|gone|went|turned|became|become|back|again|quit|stopped|got|no longer|not any ?more|anymore|gave up"
    r"|given up|down to|up to"
    r"|replaced|traded|joined|promoted|retrained|transferred|put me|put (?:up|down)|raise|divorced|separated"
    r"|married|broke up|split up"
    r"|dropped|finished|swapped|correction|wrong|mistyped|closed|left|sold|died|moved out"
    r"|geworden|wieder|nicht mehr|statt|verkauft|umgestiegen|viens de|plus|à nouveau|acabo de|ya no|de nuevo|non più|di nuovo"
    r"|não mais|de novo|niet meer|weer|już nie|znowu|больше не|снова",
    "もう|再|다시|不再",
)
# Who is at a place without working there, and whom one sees for help.
NO_EMPLOYEES = forms.words(
    "student students member members patient patients customer customers guest resident regular pupil volunteer client"
)


def is_unreal(text: str) -> bool:
    """Whether a text speaks of a plan, a wish or a condition, or of what was."""
    return UNREAL.search(text) is not None or forms.FUTURE.search(text) is not None
