"""What every language has: what annoys a person, and what is forbidden."""

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

#: What is asked to be left out is forbidden, without a word such as "never".
AVOIDS = (
    r"(?:\S+,? ){0,3}?(?:avoid|skip|leave out|omit|vermeide\w*|verzichte\w*|évit\w+|evit\w+|vermijd\w*|unikaj\w*|pomijaj"
    r"|избега\w+)(?![\w'])|.*(?:别|不要|避免|停止|不准|ないで|やめて|止めて|禁止|控えて|避けて|지 ?마|지 ?말|금지|그만)"
)
