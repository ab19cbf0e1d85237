"""Forms of messages that state nothing: greetings, acknowledgements, and answers that say that nothing is known.

Each pattern matches a whole sentence, or with ``*_START`` its beginning, in the languages of ``tokenizer.LANGUAGES``.
"""

import re

_GREETING_WORDS = """
    hi hello hey howdy hiya yo greetings thanks thank thx ty cheers bye goodbye ciao ok okay sure yes no yep nope cool great
    nice perfect awesome welcome please sorry lol haha
    hallo moin servus jo jup jupp yup danke dankeschön tschüss tschüs ja nein gut prima super klasse okey bitte
    salut bonjour bonsoir merci oui non coucou parfait
    hola gracias adiós adios sí vale buenas perfecto genial
    grazie buongiorno buonasera arrivederci sì perfetto prego
    olá oi obrigado obrigada tchau sim não perfeito
    oké hoi bedankt dankjewel doei nee prima
    cześć hej dziękuję dzięki tak nie dobrze
    привет здравствуйте спасибо пока да нет хорошо
    こんにちは こんばんは おはよう おはようございます ありがとう ありがとうございます ありがとうございました
    さようなら はい いいえ どうも
    你好 您好 谢谢 再见 早上好 晚上好 好的 是的 嗨
    안녕 안녕하세요 감사합니다 고마워 네 아니요
"""
_GREETING_PHRASES = """
    merci à (?:toi|vous) | gracias a (?:ti|usted) |
    good morning | good afternoon | good evening | good night | thank you | thanks a lot | many thanks | see
    you | see you later | take care | have a (?:nice|good|great) (?:day|one|weekend|evening) | how
    are you(?: doing)?(?: today)? | how is it going | how's it going | what's up | nice to meet you | you're
    welcome | never mind | got it | sounds good | all good |
    (?:i )?(?:gotta|got to|have to) (?:run|go) | there | so much | very much | a lot | again |
    everyone | all | then | later | my friend | guten (?:morgen|tag|abend) | gute nacht | vielen dank |
    danke (?:schön|dir|ihnen|euch) | auf wiedersehen | bis (?:bald|später|dann|denne|gleich|morgen) | wie geht(?:'s| es dir| es
    ihnen)? | alles klar | schönen tag noch | sehr | merci beaucoup | au revoir | à bientôt | à plus(?: tard)?
    | bonne (?:journée|soirée|nuit) | ça va | comment (?:ça va|vas-tu|allez-vous) | d'accord | buenos
    días | buenas (?:tardes|noches) | muchas gracias | hasta (?:luego|pronto|mañana) | qué tal | cómo
    estás | de acuerdo | de nada | お元気ですか | またね | 元気 | 你好吗 | 非常感谢 | 晚安 | 回头见
    | grazie mille | a presto | come stai | va bene | bom dia | boa (?:tarde|noite) | muito obrigad[oa] |
    tudo bem | até (?:logo|amanhã) | goede(?:morgen|middag|navond) | dank je(?: wel)? | tot ziens |
    dzień dobry | do widzenia |
    nie ma za co | co słychać | tutto bene | si figuri | todo bien | alles gut |
    добрый (?:день|вечер) | доброе утро | до свидания | большое спасибо
"""
_ACKNOWLEDGEMENT_WORDS = """
    ok okay alright right noted understood sure yes yeah yep no nope cool great nice perfect awesome amazing wow wonderful
    fantastic interesting totally exactly indeed agreed absolutely definitely certainly congratulations congrats thanks
    sorry haha lol hm hmm oh ah aha well so and but then too really very
    verstanden notiert gemerkt klar genau stimmt natürlich gerne toll
    noté compris entendu bien sûr exactement
    entendido anotado claro exacto
    capito annotato certo esatto anotado entendi claro begrepen genoteerd zapisane rozumiem jasne понятно записал записала ясно
    了解 了解です 了解しました わかりました 承知しました なるほど
    明白了 知道了 好 记住了 收到
    알겠습니다 알겠어요 다행이다 다행이네 다행이에요 다행이네요 그렇구나 그렇군요 그래요 좋아요 좋네요 진짜 대박
    よかった よかったです それはよかった へえ そうなんだ そうですか いいね いいですね 太好了 那就好 真的 原来如此 真好
"""
_ACKNOWLEDGEMENT_PHRASES = """
    i see | got it | will do | of course | no problem | no worries | good to know | makes sense | that makes sense |
    (?:that|it)(?:'s| is| was| sounds)(?: (?:really|so|very|pretty|a))? (?:good|great|nice|cool|awesome|amazing|wonderful|lovely
    |fantastic|interesting|fun|right|true|fine|okay|ok|perfect)(?: (?:news|idea|point|one))? | sounds (?:good|great|fun|nice) |
    (?:i'm|i am) (?:so |very |really )?(?:glad|happy|sorry|pleased) (?:to hear (?:that|it)|for you) |
    (?:i'm|i am) (?:here|happy|glad) to help | you(?:'re| are)(?: very)? welcome | my pleasure | good
    (?:question|point|idea|luck)
    | (?:you're|you are) (?:the best|great|awesome|amazing|a star|a lifesaver)
    | i(?:'m| am) (?:fine|good|well|doing (?:well|good|great))
    | (?:let me|i'll|i will|i need to) (?:think|sleep)(?: (?:about|on|over))?(?: (?:it|that))?(?: (?:over|first))?
    | let me (?:see|check) | hold on | give me a (?:second|sec|moment|minute) | lass mich (?:kurz )?(?:nachdenken|überlegen)
    | laisse-moi réfléchir | déjame pensar(?:lo)? | fammi pensare | deixa-me pensar | laat me (?:even )?nadenken
    | niech pomyślę | дай(?:те)? подумать | 考えさせて(?:ください)? | 让我想想 | 생각해 볼게요?
    | i (?:understand|agree|know|think so|hope so) | me too | same here | not yet | maybe | go ahead | one moment | well done
    | (?:ja|ha|he|hi|je|ах|ха|хе){2,}h? | ㅋ{2,} | ㅎ{2,} | 哈{2,} | 呵呵 | 笑
    | das (?:ist|klingt) (?:gut|toll|schön|super|interessant) | alles klar | kein problem | gern geschehen | ich verstehe |
    in ordnung | gute idee | je (?:vois|comprends) | pas de problème | c'est (?:bien|super|noté|parfait) | bien sûr |
    très bien | muy bien | molto bene | muito bem | sehr gut | heel goed | bardzo dobrze | очень хорошо |
    de rien | avec plaisir | de acuerdo | está bien | no hay problema | ya veo | va bene | ho capito | nessun problema |
    tudo bem | sem problemas | geen probleem | ik begrijp het | w porządku | nie ma problemu | всё понятно | без проблем
"""

_DRAWN_OUT = re.compile(r"(\w)\1{2,}")
_CHAT = re.compile(r"\b(?:u r|ur|r u|u|r|thx|cya|dunno|tbh)\b(?! ?\d)", re.IGNORECASE)
# Thanks, with what people add to them: "Grazie mille, gentilissimo", "Большое спасибо за помощь".
THANKS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|great|ah|oh|super|много|большое|огромное|muchas|muito|mille|many|wielkie|viele[nr]?|herzlichen|hartelijk)\W+)?"
    r"(?:thanks?(?! to (?!you\b))|thx|tysm|cheers|danke\w*|merci|gracias"
    r"|grazie|obrigad[oa]|valeu|bedankt|dankjewel|dziękuję|dziękujemy|dzięki"
    r"|спасибо|благодар\w+|takk|kiitos|teşekkür\w*|mulțumesc|děkuji|köszönöm|شكرا)(?!\w)"
    r"|^\W*(?:ありがと|どうも|サンキュー|谢谢|謝謝|多谢|多謝|感谢|감사|고마)",
    re.IGNORECASE,
)
MOST_OF_THANKS, MOST_OF_SPACELESS_THANKS = 6, 14  # words, and characters of scripts without spaces

_CHAT_WORDS = {
    "u": "you",
    "r": "are",
    "u r": "you are",
    "r u": "are you",
    "ur": "you are",
    "thx": "thanks",
    "cya": "see you",
    "dunno": "I don't know",
    "tbh": "honestly",
}


def spell_out(text: str) -> str:
    """A text as it is written outside of chats: "heyyy how r u" becomes "hey how are you"."""
    return _CHAT.sub(lambda found: _CHAT_WORDS[found.group().casefold()], _DRAWN_OUT.sub(r"\1", text))


def _parts(words: str, phrases: str) -> list[str]:
    return [*map(re.escape, words.split()), *" ".join(phrases.split()).split(" | ")]


def _sequence(parts: list[str]) -> re.Pattern[str]:
    """Whole sentences made of these parts.  Possessive groups, longest part first: matching is linear."""
    part = f"(?>(?:{'|'.join(sorted(set(parts), key=len, reverse=True))})(?!\\w))"
    return re.compile(rf"\W*+{part}(?>\W++{part})*+\W*+", re.IGNORECASE)


_GREETINGS = _parts(_GREETING_WORDS, _GREETING_PHRASES)
GREETING = _sequence(_GREETINGS)
ACKNOWLEDGEMENT = _sequence([*_GREETINGS, *_parts(_ACKNOWLEDGEMENT_WORDS, _ACKNOWLEDGEMENT_PHRASES)])

# What an assistant says about its own memory: it repeats, it does not state.
ECHO_START = re.compile(
    r"\W*(?:(?:ok|okay|sure|alright|great|thanks|thank you|got it|noted)\W+)?(?:"
    r"i(?:'ll| will| shall| am going to|'m going to)? (?:remember|note|keep (?:that |this |it )?in mind|make a note"
    r"|write (?:that|this|it)"
    r" down|take note)|(?:i(?:'ve| have)) (?:noted|saved|stored|remembered|recorded|made a note)|noted|duly noted"
    r"|thank(?:s| you) for (?:telling|letting|sharing|the (?:info|information|update|correction)|correcting|reminding)"
    r"|(?:according to|based on|from) (?:my|our|your|the) (?:memor\w+|records?|notes?)|(?:my|our|your|the) (?:memor\w+|records?"
    r"|notes?) (?:show|say|tell|indicate|mention|state)s?|(?:laut|gemäß|nach) (?:meinen|deinen|unseren|den) (?:notizen"
    r"|erinnerungen|aufzeichnungen)|d'après (?:mes|tes|vos|nos) (?:notes|souvenirs)|según (?:mis|tus|sus) (?:notas|recuerdos)"
    r"|you (?:told|said|mentioned)|as you (?:said|told|mentioned)|i recall|(?:so )?you(?:'d| would) like me to remember"
    r"|(?:ich|das) (?:werde|merke|habe)\b.{0,24}\b(?:merken|mir|notiert|gemerkt|gespeichert)|notiert|danke für (?:die|den) "
    r"|je (?:m'en souviendrai|me souviendrai|retiens|note|m'en rappellerai)|j'ai (?:noté|retenu)|c'est noté|merci de "
    r"|(?:lo )?recordaré|lo tendré en cuenta|(?:he|lo he) (?:anotado|tomado nota)|tomo nota|gracias por "
    r"|(?:me lo )?(?:ricorderò|segno)|ne terrò conto|ho (?:annotato|preso nota)|grazie per "
    r"|(?:vou|irei) (?:me )?lembrar|(?:eu )?anotei|obrigad[oa] por|ik zal (?:dat |het |dit )?onthouden|ik onthoud|bedankt voor"
    r"|zapamiętam|zanotował[ae]?m|dziękuję za|я (?:это )?запомню|запомню|записал|спасибо, что"
    r"|(?:.{0,12})?(?:覚えておきます|メモしました|記録しました)|(?:我(?:会)?)?记住|我会记|已记录|기억하겠|기억해 ?둘"
    r")",
    re.IGNORECASE,
)

# What an assistant says of itself and the person: "I will keep in mind that you ...", "Good to know that your ...".
REPORTS_BACK = re.compile(
    r"\b(?:i(?:'ll| will|'ve| have|'m| am)?\b.{0,40}|(?:good|nice|great) to (?:know|hear) )\bthat you(?:r|'\w+)?\b"
    r"|\bich\b.{0,40}, dass (?:du|sie|ihr|dein\w*|ihre?)\b|\bje\b.{0,40}\bque (?:tu|vous|ton|ta|tes|votre|vos)\b",
    re.IGNORECASE,
)

# How an assistant marks that it repeats what it was told.
AS_TOLD = re.compile(
    r"\b(?:(?:as|like|because|since) )?you(?:'ve| have)? (?:already |once )?(?:told|said|mentioned|wrote)(?: to)?(?: me)?\b"
    r"|\b(?:wie|das hast|hast) du (?:mir )?(?:schon )?(?:gesagt|erzählt|erwähnt)(?: hast)?\b|\bcomme tu (?:me )?l'as dit\b"
    r"|\bcomo (?:me )?(?:dijiste|has dicho|contaste)\b|\bcome (?:mi )?hai detto\b|\bcomo (?:você )?(?:me )?(?:disse|contou)\b"
    r"|\bzoals je (?:me )?(?:zei|vertelde|hebt verteld)\b|\bjak (?:mi )?(?:mówił|powiedział)[ae]ś\b"
    r"|\bкак (?:ты|вы) (?:мне )?(?:говорил|сказал)\w*|(?:你|您)(?:之前|以前|曾经?)?(?:说|告诉|提到)过?(?:我|的)?"
    r"|と(?:言|おっしゃ)って(?:い)?ました|말씀하셨\w*",
    re.IGNORECASE,
)

# How a person begins to say something again.
AS_SAID = re.compile(
    r"\W*(?:as i (?:said|told you|mentioned)(?: before)?|like i said|just so you know|fyi|again|btw|by the way|remember"
    r"|i (?:already )?told you"
    r"(?: that)?|wie (?:schon )?gesagt|übrigens|comme je (?:te )?l'ai dit|au fait|como (?:te |ya )*(?:he dicho|dije)"
    r"|come (?:ti )?ho detto"
    r"|como (?:eu |já )?disse|zoals (?:ik )?(?:al )?(?:zei|gezegd)|jak (?:już )?mówił[ae]m|как я (?:уже )?говорила?"
    r"|さっきも?言った(?:けど|通り)"
    r"|前にも言った(?:けど|通り)|我说过|말했듯이)\b[\s,:;–—、，-]*",
    re.IGNORECASE,
)

# Offers and closings of an assistant.
OFFER_START = re.compile(
    r"\W*(?:let me know|feel free|is there anything|how (?:can|may) i help|what (?:else )?can i do|i(?:'m| am) here (?:to"
    r"|if|for)"
    r"|if you (?:have|need|want|would like|'d like)\b.{0,60}\b(?:question|help|know|ask|assist|tell)|please (?:tell|let"
    r"|provide|share)"
    r"|(?:could|can|would) you (?:please )?(?:tell|provide|share|clarify|give)|wenn du|lass(?:en sie)? (?:es )?mich wissen"
    r"|(?![^.!?]*\d)(?:(?:wenn|falls) (?:sie|du|ihr)\b.{0,60}\b(?:frage\w*|hilfe|brauch\w*|benötig\w*|wissen)"
    r"|si (?:tu|vous) \w+.{0,60}\b(?:questions?|aide|besoin|savoir)"
    r"|si (?:tienes|tiene|tenéis|tienen|necesitas?|quieres?|deseas?)\b.{0,60}\b(?:preguntas?|dudas?|ayuda|saber|algo)"
    r"|se (?:hai|ha|avete|vuoi|vuole|ti serve|le serve)\b.{0,60}\b(?:domand\w+|dubbi\w*|aiuto|bisogno|sapere|altro)"
    r"|se (?:você |tu |o senhor |a senhora )?(?:tiver\w*|precisa\w*|quiser\w*)\b.{0,60}"
    r"\b(?:perguntas?|dúvidas?|ajuda|saber|algo|coisa)"
    r"|als (?:je|u|jullie)\b.{0,60}\b(?:vra(?:ag|gen)|hulp|nodig|weten)"
    r"|(?:jeśli|jeżeli|gdyby\w*)\b.{0,60}\b(?:pyta\w+|pomoc\w*|potrzeb\w+)|если\b.{0,60}\b(?:вопрос\w*|помощ\w+|нужн\w+|понадоб\w+)"
    r"|(?:もし|何か|なにか|他に|ほかに|また).{0,30}(?:質問|お手伝い|知りたい|必要|不明|お困り).{0,30}(?:ください|下さい|ますか|ね|よ)"
    r"|(?:如果|如|若|要是|还有|有什么).{0,20}(?:问题|疑问|需要|帮忙|帮助)"
    r"|.{0,20}(?:궁금|질문|도움|필요).{0,20}(?:주세요|하세요|까요|물어보세요))"
    r"|sag(?:en sie)? mir bitte|n'hésite|dis(?:-| )moi|avísame|dime si|fammi sapere|me avise|laat (?:het )?me weten|daj mi znać"
    r"|дайте мне знать)",
    re.IGNORECASE,
)

_UNKNOWN = (
    r"(?:(?:no|nein|non|não|nee|nie|нет|いいえ|不|아니요)\s*+[,.、，]\s*+)?"
    r"(?:(?:i'm|i am) (?:sorry|afraid)\W+(?:but )?(?:that )?|sorry\W+(?:but )?|unfortunately\W+|niestety\W+"
    r"|helaas\W+|purtroppo\W+|infelizmente\W+|lamentablemente\W+|desafortunadamente\W+|malheureusement\W+|残念ながら\W*"
    r"|很遗憾\W*|안타깝게도\W*"
    r"|es tut mir leid\W+(?:aber )?"
    r"|tut mir leid\W+(?:aber )?|leider |entschuldigung\W+|désolée?\W+(?:mais )?|je suis désolée?\W+(?:mais )?"
    r"|lo siento\W+(?:pero )?"
    r"|mi dispiace\W+(?:ma )?|desculpe\W+(?:mas )?|het spijt me\W+(?:maar )?|przykro mi\W+(?:ale )?|извините\W+(?:но )?"
    r"|к сожалению\W+"
    r"|申し訳ありませんが|すみませんが|抱歉\W*|对不起\W*|죄송하지만 ?)?"
    r"(?:i (?:do not|don't|did not|didn't|cannot|can't|could not|couldn't) (?:really |currently |actually )?(?:know|have|recall"
    r"|remember|find|see|tell|say|answer|determine)\b|(?:i have )?no (?:clue|idea)"
    r"|i have no (?:information|memory|record|knowledge|way)"
    r"|i(?:'m| am) (?:not (?:sure|aware|certain|able)|unsure|unable)|there(?:'s| is| are) (?:no (?:information|record|memory"
    r"|memories"
    r"|mention)|nothing (?:about|on|in|regarding))|(?:no|none of the) memor(?:y|ies)"
    r"|nothing (?:(?:is |was )?(?:known|stored|mentioned|recorded)|(?:in|about) (?:our|my|your|the|what|it|this|that))"
    r"|(?:your|our|my|the|these) (?:memor\w+|records?|notes?|conversations?) (?:do(?:es)?n't|do(?:es)? not|ha(?:ve|s) no|lacks?"
    r"|contains? (?:no|nothing))|(?:i )?(?:could not|couldn't|did not|didn't) find (?:it|that|this|any)"
    r"|you (?:have not|haven't|did not|didn't|never) (?:told|mentioned|said|shared)"
    r"|tu ne (?:me |m')(?:l')?as (?:jamais |pas )|no me (?:lo |la )?(?:has|habías) (?:dicho|contado)"
    r"|non me (?:lo |l')(?:hai|avevi) (?:detto|raccontato)|(?:você |tu )?não me (?:disse|contou|disseste)"
    r"|(?:dat |je )?(?:heb|hebt) (?:je )?(?:me|mij) (?:dat |het |nog |nooit )*niet (?:verteld|gezegd)"
    r"|nie (?:powiedział|mówił|wspominał)[ae]ś|(?:ты|вы) (?:мне |этого |об этом )*не (?:говорил|сказал|рассказ)\w*"
    r"|.{0,20}(?:教えてもらって|聞いて|伺って|聞かされて)(?:いません|いない)|(?:你|您)(?:还|从|之前|以前|都)*(?:没有?|未曾?|不曾)(?:有|跟我|和我|向我|对我)*"
    r"(?:告诉|说|提|讲)"
    r"|.{0,20}(?:말씀|말|얘기|알려)\s?(?:해 ?주지 않|하지 않|주지 않|(?:하신|한|해 ?주신|해 ?준|주신|준) 적이? 없)\w*"
    r"|(?:das )?weiß ich(?: leider)? nicht|ich weiß (?:es |das |leider )*nicht|ich habe (?:leider |dazu "
    r"|darüber )*keine (?:information"
    r"|ahnung|angabe|erinnerung)\w*|(?:du hast|sie haben) (?:mir )?(?:das |es )?(?:noch )?nicht (?:gesagt|erzählt|erwähnt)"
    r"|keine ahnung"
    r"|je ne (?:sais|connais|me souviens|dispose)|je n'ai (?:pas|aucune)|no (?:lo )?sé|no tengo (?:información|idea|ningun)"
    r"|no recuerdo"
    r"|non (?:lo )?so\b|non ho (?:informazioni|idea)|não (?:sei|tenho informa)|ik weet (?:het|dat) niet"
    r"|ik heb geen (?:informatie|idee)"
    r"|nie (?:wiem|mam informacji|pamiętam)|(?:я )?не знаю|у меня нет (?:информации|сведений)"
    r"|(?:that's|that is|this is) (?:unknown to me|not something i (?:know|remember)|not known to me)|no idea"
    r"|(?:das|dies) (?:ist mir (?:leider )?nicht bekannt|weiß ich (?:leider )?nicht)|mir liegen (?:dazu |darüber )?keine"
    r"|(?:dazu|darüber|davon|daran) (?:weiß ich|habe ich|erinnere ich mich|liegen mir) (?:leider )?(?:nichts|nicht|keine)"
    r"|ich (?:kann mich|erinnere mich) (?:leider |daran )*nicht|je (?:l'ignore|n'en sais rien|ne m'en souviens)"
    r"|(?:cela|ça) ne me dit rien|no (?:lo |la )?(?:recuerdo|dispongo)|no tengo (?:esa |esta )?(?:información|constancia|datos)"
    r"|(?:lo )?desconozco|ni idea|non (?:lo |la |ne )*(?:ricordo|dispongo|saprei|ho idea)|non ho (?:questa |quest')informazion"
    r"|lo ignoro|não (?:me lembro|faço ideia|tenho (?:essa|esta) informação|me recordo)|desconheço"
    r"|(?:dat|dit) (?:weet ik|is mij|herinner ik me) (?:helaas )?niet|geen idee|ik kan me (?:dat |dit )?niet herinneren"
    r"|(?:tego )?nie (?:wiem|pamiętam|jest mi to znane)|nie mam (?:takich |tych |żadnych )(?:informacji|danych)"
    r"|(?:я )?(?:этого |об этом |такого )?не (?:помню|знаю|располагаю)|мне (?:это |об этом )?(?:неизвестно|не известно)"
    r"|у меня нет (?:\w+ ){0,2}(?:информации|сведений|данных)"
    r"|(?:.{0,20})?(?:覚えていません|覚えておりません|記憶にありません|わかりかねます)|我?(?:不记得|不了解|不太清楚)|我没有(?:这个|这些|该|相关)?的?信息"
    r"|(?:.{0,20})?(?:기억나지 않|기억이 없|정보가 없|알지 못)"
    r"|(?:.{0,20})?(?:わかりません|分かりません|知りません|存じません|情報がありません)|(?:.{0,12})?(?:不知道|不清楚|没有?印象|没有相关信息)了?"
    r"|(?:.{0,20})?(?:모르겠\w*|모릅니다|몰라\w*))"
)
UNKNOWN_START = re.compile(rf"\W*{_UNKNOWN}", re.IGNORECASE)
UNKNOWN = re.compile(
    rf"\W*{_UNKNOWN}(?:,? (?:yet|it|that|either|sorry|exactly|honestly|no clue|no idea"
    r"|noch|das|es|pas|encore|aún|todavía))*\W*",
    re.IGNORECASE,
)
