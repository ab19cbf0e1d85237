"""What people say around a statement without stating anything: "by the way", "not sure I mentioned it", "just so you know".

An aside is a clause at the beginning or at the end of a statement.  It only acknowledges, or all its words are words for
telling and reminding, function words, and words that go with them: "in case I have not said so already".  Some asides need no
comma.
"""

import re

from ..chatter import is_chatter
from ..small_talk import AS_SAID, THANKS
from ..tokenizer import is_function_word

LONGEST_ASIDE = 9  # words
LONGEST_SPACELESS_ASIDE = 14  # characters

_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[,:;?!.…–—、，：；。？！]+(?=\s|$)|(?<=\s)-+(?=\s)|[、，：；。？！—]+")
# Words for telling and reminding.
_TELLING = re.compile(
    r"(?:more|sicherheit|acaso|cas|wypadek|случай|nothing|memory|recall|refresh|jog|aware|heads|gedächtnis|auffrischung"
    r"|mémoire|memoria|memória|geheugen|pamięci|памят\w*"
    r"|mental|tête|mente|presente|nota|notiere|mind|forgotten|kopf|schirm|забуд\w*|dimentico|zapomnę|oublier\w*|olvid\w*"
    r"|remembered|said|say|saying|told|tell|mention(?:ed)?|remind(?:er|ing)?|remember|repeat(?:ing)?|reiterate|forget|forgot"
    r"|know|note[ds]?"
    r"|record|recap|fyi|btw|way|understood|info|information|reference|clear|clarify|context|stated"
    r"|gesagt|sag\w*|erwähn\w*|erzähl\w*|erinner\w*|vergess\w*|vergiss|wiederhol\w*|wei(?:ß|ss)t?|bescheid|info"
    r"|übrigens|hinweis|notier\w*|gemerkt"
    r"|nebenbei|klar\w*|wissen|vermerk\w*"
    r"|dit|dis\w*|dire|mentionn\w*|rappel\w*|rép[éè]t\w*|oubli\w*|sais|s[eé]|sache\w*|précis\w*|not[éeo]|parl[ée]\w*"
    r"|passage|info|souvien\w*|reti(?:ens|ent|endrai)\w*|sav(?:ez|ais)|denk|gemerkt|merk\w*|dran|tendré|tendrò|presente"
    r"|saben?|sabes|sabías"
    r"|lo sapevi|sapevi|sai|sabias|wiesz|pamięta\w*|zapamięta\w*|помню|помнишь|помните|запомни\w*|знаешь|знаете"
    r"|dicho|dije|digo|decía|decir\w*|contado|conté|mencion\w*|recuerd\w*|record\w*|repit\w*|olvid\w*|sepas|cierto|anotad\w*"
    r"|detto|dico|dicevo|dire|accennat\w*|menzionat\w*|ricord\w*|ripet\w*|dimentic\w*|sappia|proposito|annotat\w*"
    r"|disse|digo|dizer|falei|contei|mencionei|lembr\w*|relembr\w*|repet\w*|repito|esqueç\w*|saiba\w*|propósito|anotei"
    r"|gezegd|zei|zeg|zeggen|verteld|vertellen|vermeld|genoemd|herhaal|herhal\w*|herinner\w*|vergeet|vergeten|weet"
    r"|duidelijkheid"
    r"|trouwens|genoteerd|onthoud\w*"
    r"|mówił\w*|mówię|powiedział\w*|wspomin\w*|wspomnia\w*|przypomin\w*|przypomn\w*|powtarz\w*|powtórz\w*|zapomn\w*|wiedz\w*"
    r"|sposobie|zanotowa\w*|zapisa\w*"
    r"|говорил\w*|сказал\w*|говорю|упомин\w*|упомян\w*|напомн\w*|напомин\w*|повтор\w*|забыва\w*|забудь\w*|знай\w*"
    r"|знал\w*|кстати"
    r"|рассказывал\w*|запис\w*)",
    re.IGNORECASE,
)
# Words that go with them.
_BESIDE = re.compile(
    r"(?:made|make|ça|garde|prendo|queda|ist|keine|sorge|trop|habe|bear|keep|won|got|good|course|noch|well|perfect\w*"
    r"|perfekt|gut|bien|bene|bem|goed|wel|dobrze|хорошо|too|much|ter|voor|new|should|news|up|old|must|sure|case|already|yet"
    r"|ever|maybe|perhaps|once|again|earlier|before|quick|quickly|just|like|worth|one|time"
    r"|think|thought"
    r"|not|don|haven|didn|hadn|never|might|may|have|ok|okay|sorry|oh|well|still|let|please|thing|last|week|day|good"
    r"|record|records|file"
    r"|sicher|fall\w*|schon|bereits|nochmal\w*|einmal|mal|kurz|vielleicht|zur|vollständigkeit|erneut|bitte|neulich"
    r"|déjà|encore|fois|peut|être|petit|juste|cas|sûre?|bref|afin|besoin"
    r"|ya|vez|veces|caso|segur[oa]|antes|quizás?|sólo|solo|otra"
    r"|già|ancora|volta|caso|sicur[oa]|forse|prima|solo"
    r"|já|vez|caso|certeza|talvez|antes|só|outra"
    r"|al|nogmaals|keer|geval|zeker|misschien|eerder|even|weer"
    r"|już|jeszcze|raz|razie|wiem|czy|pewien|pewna|może|tylko|przypadku|wcześniej|gdybym|dla"
    r"|уже|ещё|еще|раз|случай|случае|помню|знаю|может|просто|всякий|если|что)",
    re.IGNORECASE,
)
_SPACELESS = re.compile(
    r"\W*(?:再说一[遍次]|再次(?:说明|提醒)?|顺便(?:说|提)(?:一下|一句)?|(?:就)?提醒(?:你|您)?(?:一下)?|(?:之前|我|以前"
    r"|好像|已经|也许|可能|不知道|不确定)*"
    r"(?:有没有|没)?(?:说过?|提过|讲过)(?:没有?|了)?|对了|如前所述|补充一下|供(?:你|您)?参考|记住|好的?|明白了?|知道了"
    r"|了解|是的|对|记下了"
    r"|念のため(?:に)?(?:もう一度)?|ちなみに|ところで|もう一度(?:言う(?:と|けど|が))?|繰り返(?:すと|しますが|すけど)"
    r"|(?:前|先|さっき|以前)?に?も?(?:言った|話した|お伝えした)"
    r"(?:かもしれない|かもしれません|と思う|っけ)?(?:けど|が|通り|ように)?|言い忘れて(?:い)?たけど|確認(?:ですが"
    r"|だけど)?|覚えておいて|はい|了解(?:です|しました)?|わかりました|承知しました|そうですね"
    r"|참고로(?: 말하면)?|다시 (?:한번 )?(?:말하지만|말하면|말하자면|말할게|말씀드리면)|(?:전에|아까"
    r"|이미)?\s?(?:말했듯이|말했지만|말한 ?것처럼|말씀드렸듯이|말한 대로|얘기했지만)"
    r"|(?:말|얘기|언급)했는지 모르겠(?:지만|는데)|혹시 몰라서|그런데|근데|기억해 ?(?:줘|둬)|네|예|알겠(?:습니다|어요)"
    r"|그렇군요)(?:\W+|(?=[^\W\d_])|$)"
)
# Clauses that consist of words and characters for telling and reminding.
_TELLS_SPACELESS = re.compile(
    r"(?=.*(?:[说提讲忘]|记得))[不会了的我你您之前以先好像已经也许可能不知道确定有没过了吗一下再次遍就忘记得是否跟和还刚才上回曾说提讲告诉醒重复]+"
    r"|(?=.*(?:言|話|伝|繰|念のため|覚え|忘れ))[ぁ-ん前先言話伝繰返念為確認度一二回何忘思知覚]+"
    r"|(?=.*(?:말|얘기|이야기|언급|알다시피|기억(?:하|해|나)|잊))(?:(?:(?:잊|않|기억(?:하|해|나)|있|둘|둬|줘|주|말|얘기"
    r"|이야기|언급|알|했|모르|드렸|싶)\S*+|혹시|안|못|전에|아까|이미|다시|한번|또|제가|내가"
    r"|저번에|지난번에|까|봐서?|걸|거|것|건데|데|적|몰라서)\s*+)+"
)
_CLOSING = re.compile(
    r"[\s,;–—-]+(?:btw|fyi|by the way|just so you know|as mentioned"
    r"|übrigens|wie gesagt|au fait|por cierto|a prop[oó]sito|trouwens|кстати)\W*$",
    re.IGNORECASE,
)
_SPACELESS_WORDS = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_THAT = re.compile(r"(?:\b(?:that|dass|daß|que|che|dat|że|что)|(?<=[\s'])qu')\s*", re.IGNORECASE)
_AS = re.compile(r"\b(?:as|like|wie|comme|como|come|zoals|jak|как)\b", re.IGNORECASE)
_BUT = re.compile(r"\W*(?:but|and|so|aber|und|also|mais|et|donc|pero|y|ma|e|mas|maar|en|dus|ale|i|więc|но|и|а)\s")
_LEFT_OPEN = re.compile(
    r"\W*(?:(?:just )?(?:once (?:more|again)|one more(?: time)?)|(?:just )?(?:a )?(?:quick |little )?reminder(?: that)?"
    r"|don't forget(?: that)?"
    r"|(?:please )?(?:remember|note)(?: that)?|(?:just )?to (?:repeat|remind you)(?: that)?|(?:as"
    r"|like) (?:i )?(?:already )?(?:said|mentioned"
    r"|told you)(?: (?:before|already|earlier))?|(?:i )?(?:already )?(?:said|mentioned|told you)(?: (?:before|already"
    r"|earlier))? that"
    r"|did i (?:ever |already )?(?:mention|say|tell you)(?: that)?|(?:oh|so) by the way|(?:noch einmal|nochmals?)"
    r"|zur erinnerung|nur zur erinnerung"
    r"|hab(?:e)? ich (?:schon |dir schon )?(?:gesagt|erwähnt|erzählt),? dass|je (?:te )?(?:rappelle|répète|redis) que"
    r"|pour rappel"
    r"|encore une fois|te (?:recuerdo|repito) que|recuerda que|otra vez|por cierto|ti ricordo che|ripeto che"
    r"|(?:ricorda(?:ti)?|tieni presente) che|a proposito"
    r"|(?:te )?(?:lembro|repito) que|(?:lembra|lembre|lembra-te|lembre-se de) que|a propósito|(?:onthoud|weet"
    r"|denk eraan) dat|nog een keer|nogmaals|ter herinnering|trouwens|jeszcze raz"
    r"|(?:przypominam|pamiętaj|zapamiętaj),? że|(?:запомни|помни|учти)(?:те)?,? что"
    r"|(?:merk dir|denk (?:bitte )?(?:daran|dran)),? dass|(?:denk (?:bitte )?(?:dran|daran)|merk dir)|(?:souviens-toi"
    r"|rappelle-toi|retiens|note|n'oublie pas) que"
    r"|a tak przy okazji|przy okazji|ещ[её] раз|напомню,? что|напоминаю,? что|кстати)(?!\w)[\s,:;–—-]*",
    re.IGNORECASE,
)


def without_asides(text: str) -> str:
    """A statement without the asides around it.

    >>> without_asides("Not sure I mentioned it: I play the cello, just so you know.")
    'I play the cello'
    """
    pieces = _pieces(text.replace("’", "'"))
    stated = len(pieces)
    while len(pieces) > 1 and is_aside(pieces[0]):
        del pieces[0]
    while len(pieces) > 1 and is_aside(pieces[-1]):
        del pieces[-1]
    rest = " ".join(pieces)
    if len(pieces) < stated and (joined := _BUT.match(rest)):
        rest = rest[joined.end() :]
    if (that := _THAT.search(rest)) and is_aside(rest[: that.start()]):
        rest = rest[that.end() :]
    if (told := list(_AS.finditer(rest))) and told[-1].start() and is_aside(rest[told[-1].start() :]):
        rest = rest[: told[-1].start()]
    if (closing := _CLOSING.search(rest)) and closing.start():
        rest = rest[: closing.start()]
    for opening in (AS_SAID, _LEFT_OPEN, _SPACELESS):
        begun = opening.match(rest)
        if begun and _WORD.search(rest, begun.end()):
            rest = rest[begun.end() :]
    return rest.strip()


def _pieces(text: str) -> list[str]:
    """The clauses of a text, each with the punctuation in it: "Dr. Roth" is one."""
    found = [piece.strip() for piece in _BREAK.split(text)]
    return [piece for piece in found if piece]


def is_aside(clause: str) -> bool:
    """Whether a clause only acknowledges, tells that something is told, or reminds of it."""
    if is_chatter(clause):
        return True
    if _SPACELESS_WORDS.search(clause):
        return len(clause) <= LONGEST_SPACELESS_ASIDE and any(
            pattern.fullmatch(clause) for pattern in (_SPACELESS, _TELLS_SPACELESS)
        )
    words = _WORD.findall(clause)
    if not words or len(words) > LONGEST_ASIDE:
        return False
    if not any(_TELLING.fullmatch(word) for word in words) and not THANKS.match(clause):
        return False
    return all(_TELLING.fullmatch(word) or _BESIDE.fullmatch(word) or is_function_word(word) for word in words)
