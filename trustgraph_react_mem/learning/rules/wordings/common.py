"""What every language has: what annoys a person, and what is forbidden."""

#: "I hate it when you ...": what follows is unwanted from now on.
COMPLAINT = (
    r"i (?:really |just )?(?:hate|dislike|can't stand|cannot stand|don't like|do not like)(?: it)? (?:when|that) you"
    r"|(?:it|that) drives me (?:mad|crazy|nuts|up the wall) (?:when|that) you|i'm (?:sick|tired) of you(?= \w+ing)"
    r"|(?:it|that) (?:annoys|bugs|bothers|irritates|winds) me (?:up )?(?:when|that|how) you"
    r"|it's (?:\w+ )?annoying (?:when|that) you"
    r"|it gets on my nerves (?:when|that|how) you|i (?:get|am|feel) (?:annoyed|irritated|fed up) when you"
    r"|i find it \w+ when you"
    r"|(?:it's|it is) (?:a bit|rather|quite|so) (?:much|\w+ing) (?:when|that|how) you"
    r"|(?:mich (?:nervt|stört|ärgert)(?: es)?|es (?:nervt|stört|ärgert)(?: mich)?|es geht mir auf die nerven|ich (?:hasse"
    r"|mag) es(?: nicht)?),? (?:wenn|dass) du"
    r"|je (?:déteste|n'aime pas|ne supporte pas)(?: ça)?(?: quand| que) (?:tu|vous)|(?:ça|cela) (?:m'(?:énerve|agace"
    r"|ennuie)|me (?:fatigue|gêne|dérange|lasse)) (?:quand"
    r"|que) (?:tu|vous)"
    r"|(?:odio|no me gusta|no soporto|me (?:molesta|cansa|irrita|fastidia)) (?:cuando|que)(?= (?:me |te )?\w+s\b)"
    r"|(?:odio|non mi piace|mi dà fastidio"
    r"|mi infastidisce) (?:quando|che)"
    r"(?= (?:mi |ti )?\w+i\b)|(?:odeio|não gosto|detesto|(?:me|não me) (?:incomoda|irrita)|irrita-me) (?:quando"
    r"|que)(?= (?:me |você |tu )?\w+)"
    r"|ik (?:haat|vind) het (?:\w+ )?(?:als|wanneer) (?:je|u)|ik hou er niet van (?:als|wanneer"
    r"|dat) (?:je|u)"
    r"|(?:nie (?:lubię|znoszę|cierpię)|(?:denerwuje|drażni|irytuje|męczy) mnie),? (?:gdy|kiedy|jak)(?= (?:\w+ ){0,2}\w+sz\b)"
    r"|(?:ненавижу|не люблю|не нравится|меня (?:раздражает|бесит|напрягает)|мне не нравится),? (?:когда|что) (?:ты|вы)"
    r"|jag (?:hatar|ogillar|gillar inte|tycker inte om|blir \w+)(?: det)? när du|det (?:stör|irriterar) mig (?:när|att) du"
    r"|jeg (?:hader|hater|liker ikke|kan ikke (?:lide|fordra)|bliver \w+|blir \w+)(?: det)?,? (?:når|at) du"
    r"|det (?:irriterer|plager|generer) m[ei]g,? (?:når|at) du"
)

#: What is asked to be left out is forbidden, without a word such as "never".
AVOIDS = (
    r"i (?:really )?(?:can't stand|cannot stand|can't bear|hate|dislike|don't like) |(?:\S+,? ){0,3}?(?:avoid|skip"
    r"|leave out|omit|vermeide\w*|verzichte\w*|évit\w+|evit\w+|vermijd\w*|unikaj\w*|pomijaj"
    r"|избега\w+)(?![\w'])|.*(?:别|不要|避免|停止|不准|ないで|やめて|止めて|禁止|控えて|避けて|지 ?마|지 ?말|금지|그만)"
)
