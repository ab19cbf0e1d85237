"""Standing instructions in Japanese, Chinese and Korean, where words are not separated and verbs may close the sentence.

- ``request``: it asks for something.  ``standing``: it says that it holds from now on.  ``name``: what to call the person.
- ``once``: a single request.  ``other``: another person's habit or words.
"""

import re
from dataclasses import dataclass

from .openings import EAST_ASIAN_OPENING


@dataclass(frozen=True, slots=True, kw_only=True)
class EastAsianWording:
    """Alternatives of regular expressions, searched in one sentence without its end mark."""

    request: str
    standing: str
    name: str
    once: str
    other: str


_JAPANESE = EastAsianWording(
    request=(
        r"(?:て|で)(?:ください|下さい|くれ(?:ない|ますか|る)?|ほしい(?:です)?|欲しい(?:です)?|ちょうだい|もらえ(?:ますか|る"
        r"|ない(?:かな)?)"
        r"|いただけますか|頂けますか|もらいたい(?:です)?|ね|よ)?$|(?:ように|ことに)(?:して(?:ください|下さい|ほしい|ね)?"
        r"|お願い(?:します)?)$"
        r"|(?:お願い(?:します|いたします)?|頼む|頼みます)$|(?:ない|ぬ|する|言う|呼ぶ|使う|書く|聞く|送る)な(?:よ)?$|(?:こと"
        r"|禁止)$"
        r"|(?:しろ|せよ|なさい)$|(?:やめて|止めて)(?:ください|下さい|ね|ほしい)?$"
    ),
    standing=(
        r"(?:すべて|全て|全部|各)の(?:回答|返答|返事|答え|返信)|これから|今後|今から|以後|いつも|常に|必ず|毎回|絶対(?:に)?|二度と|決して|ずっと|今日から|次回から"
        r"|もう.{1,30}(?:ないで|やめて)|たびに|度に"
        r"|ときは(?:いつも|必ず)|時は(?:いつも|必ず)|(?:する|した|たら|れたら|聞いたら|るとき|る時|たとき|た時)(?:は|には)?、"
    ),
    name=(
        r"^(?:私|わたし|僕|ぼく|俺|おれ|自分)?(?:のこと)?(?:は|を)?[^、。\s]{1,12}(?:と|って)呼んで(?:ください|下さい|ね"
        r"|ほしい|くれ|いいよ|もらえますか)?$"
    ),
    once=(
        r"今回|今日(?!から)|今だけ|今は|明日|今夜|今晩|一度だけ|今度だけ|この(?:質問|文章|文|メール|返事|メッセージ|段落"
        r"|記事|件|一回)|次の(?:文|質問|文章|メール)"
        r"|以下の|とりあえず|しばらく|ちょっと待|翻訳して|訳して"
    ),
    other=(
        r"^(?:私|わたし|僕|ぼく|俺|彼|彼女|母|父|上司|妻|夫|友達|先生|みんな|うち)(?:は|が)(?!.{0,40}(?:て|で)(?:ほしい"
        r"|欲しい|もらいたい))"
        r"|ありがと|感謝|助かり|(?:と|って)(?:言|いう|いっ|話し|書い|書か|叫|教え|注意|頼まれ|よく言)|ということわざ|という意味|そうです$|らしい$"
    ),
)
_CHINESE = EastAsianWording(
    request=(
        r"请|請|要|别|別|不要|不准|不许|勿|给我|用|以|叫我|称呼我|称我|记得|务必|必须|麻烦你|希望你|我想让你|我要你"
        r"|你(?:可以|能)"
        r"|回答|回复|说话|写|提醒|推荐|避免|停止|保持"
    ),
    standing=(
        r"每(?:个|個|条|條)(?:回答|回复|回覆|答案)|所有(?:的)?(?:回答|回复|回覆)|以后|以後|今后|今後|从现在(?:开始|起)|從現在(?:開始|起)|从今(?:天|以后|往后)?(?:开始|起)?|往后"
        r"|每次|每当|每當"
        r"|总是|總是|始终|一直|永远|永遠|一律"
        r"|再也(?:不要|别)|(?:不要|别|別)再|绝对(?:不要|别)|千万(?:不要|别)|都(?:要|请|用|给|先)|只(?:用|能用|准用|说)|默认"
        r"|(?:时|时候)(?:，|,)?(?:都|总|请|一律)"
    ),
    name=(
        r"^(?:请|就|你?可以|以后|今后|从现在(?:开始|起)|直接)*(?:叫|称呼|喊)我(?!.{0,3}(?:起床|一声|吃|去|来|回|出|上|下|做"
        r"|不|别|明天|今天|怎么|什么))[^\s，,。]{1,10}(?:就(?:行|好|可以)(?:了)?|吧|好了)?$"
    ),
    once=(
        r"这次|這次|这一次|今天(?!起|开始)|现在(?!开始|起)|现在$|暂时|明天|今晚|这(?:个|篇|段|封|句|条|道)(?:问题|文章|话"
        r"|信|邮件|句子|消息|题)?"
        r"|(?:下面|以下|下列)的?|翻译|先(?:不要|别)|刚才|一次$|(?:给|跟|对|帮)(?:他|她|它|客户|老板|同事|妈妈|爸爸|朋友)"
        r"|^(?!.*(?:每[个個条條]|所有)).*一(?:首|篇|个|封|部)"
    ),
    other=(
        r"^(?:我(?!要你|想让你|希望|更?喜欢)|他|她|它|我们|他们|老板|妈妈|爸爸|朋友|老师|医生|同事|大家"
        r"|人)(?:的?.{0,8})?(?:总是|一直|从来|永远|每次|以后|都|说|不|要|用|会|在|常|就|住|现在)"
        r"|我(?:想(?!让你)|会|打算|得|住)|说(?:：|:|过|道|，)|告诉|俗话|谚语|名言|格言|^你(?:总是|一直|每次|为什么|怎么)"
        r"|为什么|什么意思"
    ),
)
_KOREAN = EastAsianWording(
    request=(
        r"(?:줘|줘요|주세요|주십시오|주면 (?:좋겠어|좋겠어요|돼|안 돼)|줄래|줄래요|줄 수 있어|줄 수 있나요|줬으면 (?:좋겠어"
        r"|좋겠어요|해|해요)|주길 바라|바랍니다"
        r"|하세요|세요|십시오|마|마요|말아|말아요|마라|말 것|할 것|해라|하자|부탁해|부탁해요|부탁드려요|부탁드립니다|써|해"
        r"|답해|대답해|말해|불러|알려|물어 ?봐|보내|그만해|금지)$"
    ),
    standing=(
        r"모든 (?:답변|대답|답장|답)"
        r"|앞으로|이제부터|이제는?|지금부터|오늘부터|항상|언제나|늘|절대로?|다시는|더 ?이상|매번|무조건|반드시|꼭|결코|(?:할"
        r"|한|물을|볼|물어볼|쓸|말할|답할) 때(?:마다|는)?|(?:하|물어보|쓰|말하)면"
    ),
    name=r"^(?:나를|날|저를|절|나는|저는)? ?(?:그냥 )?\S{1,12}(?:이?라고) (?:불러|부르).{0,8}$",
    once=(
        r"이번(?:에|만|엔|에는)|오늘(?!부터)|지금(?!부터)|내일|오늘 ?밤|한 번만|한번만|잠깐|이 (?:질문|글|문장|메일|문서"
        r"|단락|기사|메시지|편지|답)|다음 (?:문장|글|질문|메일)|아래"
        r"|번역해|당분간|일단"
    ),
    other=(
        r"^(?:나는|난|저는|전|내가|제가|그는|그녀는|엄마는|아빠는|상사는|사장님은|우리는|우린|친구는|선생님은|다들|(?:남편"
        r"|아내|동생|형|언니|누나|오빠|할머니|할아버지|아들|딸|동료|팀장님|부모님|사람들|그녀|걔)(?:은|는|이"
        r"|가))(?!.{0,60}(?:줬으면|주길|바라|원해))"
        r"|(?:라고|다고|고) (?:말|했|하|그|적|써|쓰여)|속담|뜻이|무슨 뜻"
    ),
)
_KANA, _HANGUL, _HAN = re.compile(r"[ぁ-ヿ]"), re.compile(r"[가-힣]"), re.compile(r"[一-鿿]")
_SPACES = re.compile(r"\s+")
_OPENING = re.compile(rf"^(?:{EAST_ASIAN_OPENING})+")


def is_east_asian(sentence: str) -> bool:
    """Whether the sentence is in one of these languages."""
    return east_asian_wording(sentence) is not None


def without_east_asian_opening(sentence: str) -> str:
    """The sentence without a greeting or "by the way" before it."""
    return _OPENING.sub("", _SPACES.sub(" ", sentence).strip())


def without_east_asian_lead(sentence: str) -> str:
    """The same without its end mark."""
    return without_east_asian_opening(sentence).strip(" .!?…。！？、，,～~")


def is_about_once(text: str) -> bool:
    """Whether the sentence is about a single request, or holds the words of another person."""
    wording = east_asian_wording(text)
    return wording is not None and bool(re.search(wording.once, text) or re.search(wording.other, text))


def is_name(text: str) -> bool:
    """Whether the instruction says what to call the person."""
    wording = east_asian_wording(text)
    return wording is not None and bool(re.search(wording.name, text))


def east_asian_wording(text: str) -> EastAsianWording | None:
    if _HANGUL.search(text):
        return _KOREAN
    if _KANA.search(text):
        return _JAPANESE
    return _CHINESE if _HAN.search(text) else None
