"""Openings of instructions that every language has: what annoys a person, when something recurs, and what follows a request."""

#: "I hate it when you ...": what follows is unwanted from now on.
COMPLAINT = (
    r"i (?:really |just )?(?:hate|dislike|can't stand|cannot stand|don't like|do not like)(?: it)? (?:when|that) you"
    r"|(?:it|that) drives me (?:mad|crazy|nuts|up the wall) (?:when|that) you|i'm (?:sick|tired) of you(?= \w+ing)"
    r"|it (?:annoys|bugs|bothers|irritates) me (?:when|that) you|it's annoying (?:when|that) you"
    r"|(?:mich (?:nervt|stört|ärgert)(?: es)?|es (?:nervt|stört|ärgert)(?: mich)?|ich (?:hasse"
    r"|mag) es(?: nicht)?),? (?:wenn|dass) du"
    r"|je (?:déteste|n'aime pas|ne supporte pas)(?: ça)?(?: quand| que) (?:tu|vous)|(?:ça|cela) m'(?:énerve|agace) (?:quand"
    r"|que) (?:tu|vous)"
    r"|(?:odio|no me gusta|no soporto|me molesta) (?:cuando|que)(?= (?:me |te )?\w+s\b)|(?:odio|non mi piace|mi dà fastidio"
    r"|mi infastidisce) (?:quando|che)"
    r"(?= (?:mi |ti )?\w+i\b)|(?:odeio|não gosto|detesto|me incomoda) (?:quando|que)(?= (?:me |você |tu )?\w+)"
    r"|ik (?:haat|vind) het (?:vervelend |irritant |stom )?(?:als|wanneer) (?:je|u)|ik hou er niet van (?:als|wanneer"
    r"|dat) (?:je|u)"
    r"|(?:nie (?:lubię|znoszę|cierpię)|denerwuje mnie),? (?:gdy|kiedy|jak)(?= (?:\w+ ){0,2}\w+sz\b)"
    r"|(?:ненавижу|не люблю|не нравится|меня (?:раздражает|бесит)|мне не нравится),? (?:когда|что) (?:ты|вы)"
)

#: When something recurs, before an imperative: "on weekends don't remind me of work".
RECURRING = (
    r"(?:on|at) (?:weekends|weekdays|workdays|holidays|night|(?:mon|tues|wednes|thurs|fri|satur|sun)days)"
    r"|in the (?:mornings?|evenings?|afternoons?)|(?:for|with|in|on) (?:all|any|each|every)(?: one)?(?: of)?(?: my"
    r"| our)? [\w-]+"
    r"|(?:am|an) (?:wochenenden?|werktagen|feiertagen)|(?:mon|diens|mitt|donners|frei|sams|sonn)(?:tag|woch)s(?: abends"
    r"| morgens)?"
    r"|werktags|abends|morgens|nachts|mittags|(?:bei|für|in|mit) all(?:e|en)(?: meine[nr]?)? \w+"
    r"|le (?:week-end|weekend|soir|matin|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)|la nuit"
    r"|(?:pour|dans) tou(?:s|tes) (?:mes|les|nos) \w+"
    r"|los (?:fines de semana|lunes|martes|miércoles|jueves|viernes|sábados|domingos)|por (?:las? )?(?:noches?|mañanas?"
    r"|tardes?)"
    r"|(?:para|en|con) tod[oa]s (?:mis|las|los) \w+|nei (?:fine settimana|weekend)|nel (?:fine settimana|weekend)"
    r"|(?:il|la|di) (?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|sera|mattina|notte|pomeriggio)"
    r"|(?:per|in) tutt[ei] (?:le|i|gli)(?: mi\w+)? \w+|(?:aos|nos) fins de semana|aos (?:sábados|domingos)"
    r"|às (?:segundas|terças|quartas|quintas|sextas)(?:-feiras)?|[àa] noite|de (?:manhã|noite)|(?:para|em) tod[oa]s (?:as"
    r"|os)(?: m\w+)? \w+"
    r"|in het weekend|op (?:zon|maan|dins|woens|donder|vrij|zater)dag(?:en)?|['’]s (?:avonds|ochtends|morgens|nachts|middags)"
    r"|(?:voor|bij|in) al(?:le)?(?: mijn)? \w+|w (?:weekendy|soboty|niedziele|poniedziałki|piątki)|wieczorami|rano|nocą"
    r"|(?:we|dla|przy) wszystkich(?: moich)? \w+|по (?:выходным|вечерам|утрам|ночам|воскресеньям|субботам|будням)"
    r"|(?:для|во?|при) всех(?: моих)? \w+"
)

#: Times within which something is forbidden each day.
TIME_LIMIT = (
    r"(?:(?:before|after|past)|(?:vor|nach)|(?:avant|après)|(?:antes de|después de|pasadas)(?: las?)?|(?:prima"
    r"|dopo) (?:delle|le|l')"
    r"|(?:antes|depois) d[aeo]s?|(?:voor|na)|(?:przed|po)|(?:до|после)) (?:\d\S*|noon|midnight|bedtime|dinner|lunch|nine"
    r"|ten|eleven|eight|seven"
    r"|six|neun|zehn|elf|acht|sieben|sechs|mittag|mitternacht|midi|minuit|neuf|dix|huit|sept|nueve|diez|once|ocho|siete"
    r"|nove|dieci|otto"
    r"|undici|oito|dez|negen|tien|acht|zeven|dziewiąt\w+|dziesiąt\w+|ósm\w+|девяти|десяти|восьми)"
)

#: What is asked to be left out is forbidden, without a word such as "never".
AVOIDS = (
    r"(?:\S+,? ){0,3}?(?:avoid|skip|leave out|omit|vermeide\w*|verzichte\w*|évit\w+|evit\w+|vermijd\w*|unikaj\w*|pomijaj"
    r"|избега\w+)(?![\w'])|.*(?:别|不要|避免|停止|不准|ないで|やめて|止めて|禁止|控えて|避けて|지 ?마|지 ?말|금지|그만)"
)

#: Politeness after an instruction.
COURTESY = (
    r"(?:stp|svp|s'il te pla[iî]t|s'il vous pla[iî]t|please|pls|plz|thx|thanks|thank you|ok|okay|bitte|danke|por favor|gracias"
    r"|per favore|grazie|obrigad[oa]|alsjeblieft|aub|graag|proszę|dzięki|пожалуйста|спасибо)"
)
