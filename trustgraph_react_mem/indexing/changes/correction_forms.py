"""The forms of messages that correct what was said, in twelve languages."""

import re

from .forms import anywhere, words

CORRECTS = re.compile(
    r"^\W*(?:(?:oh|oops|ah|ach|äh|euh|eh|uh|um|hm+|ops|ups|ой|あ|啊|아|sorry|no)\W+)?(?:no|nope|wait(?: a (?:sec|second"
    r"|minute|moment))?"
    r"|hang on(?: a (?:sec|second|minute|moment))?|hold on|one (?:sec|moment)|oops|whoops|sorry|apologies"
    r"|correction|scratch that"
    r"|strike that|(?:let me|i should) (?:rephrase|correct)(?: that| myself)?|nein|doch|entschuldigung|entschuldige"
    r"|moment(?: mal)?|halt"
    r"|stopp|quatsch|stimmt (?:doch )?(?:gar )?nicht|non|pardon|attends|attendez|oups|perdón|perdona|espera|un momento"
    r"|me equivoqué"
    r"|désolée?|uy|scusa|scusami|aspetta|un attimo|momento|não|desculp[ae]|espere|peraí|nee|wacht(?: even)?|oeps|foutje"
    r"|nie|czekaj"
    r"|poczekaj|chwila|przepraszam|нет|извини\w*|погоди\w*|подожди\w*|стой|özür dilerim|yok|hayır|dur|いや|いえ|待って"
    r"|ごめん(?:なさい)?|すみません|違(?:う|います|った|いました)?|抱歉|对不起|不对|不是|等一?下|等等|아니"
    r"|미안(?:해요?)?|죄송(?:해요|합니다)|잠깐(?:만)?)\s*[,.:;!–—，、。]"
    r"|\b(?:actually|i mean|i meant|i was wrong|my mistake|make that|to correct|that was wrong|eigentlich|ich meinte|sondern"
    r"|korrigiere|en fait|je voulais dire|en realidad|quise decir|sino|in realtà|anzi|volevo dire|na verdade|quis dizer"
    r"|eigenlijk"
    r"|ik bedoel\w*|aliás|mejor dicho|ou plutôt|besser gesagt|właściwie|miałem na myśli|на самом деле|вернее|точнее)\b"
    r"|\b(?:not|instead of|rather than|nicht|statt|pas|no|non|não|niet|nie|не) (?:on |at |in |the |am |den |der |die "
    r"|das |le |la "
    r"|el |il |o |a |de |het )*\S*\d"
    r"|^\W*(?:[\w:.]+ ){0,3}[\w:.]+, (?:and )?(?:not|nicht|pas|no|non|não|niet|nie|не) (?:\w+ ){0,3}[\w:.]+\W*$"
    r"|じゃなくて|ではなく|訂正|其实|说错|정정|아니라",
    re.IGNORECASE,
)
# The person speaks of what was said before, so that "I" makes no other statement.
MEANT = anywhere(
    r"(?:i|we) (?:\w+ )?(?:mean|meant|said|say|told|wrote|typed|misread|confused|mixed|thought|should have said)"
    r"|i'm (?:wrong|sorry)|i was (?:looking|reading|thinking)|i (?:just )?(?:looked|checked|read)"
    r"|verlesen|vertan|verwechselt|geschaut|gelesen|geguckt|j'ai (?:mal|regardé|lu|confondu)|(?:leí|miré|vi|confundí)"
    r"|ho (?:letto|guardato|visto|confuso)|(?:li|olhei|vi|confundi)|(?:verkeerd|gekeken|gelezen)|(?:przeczyta|spojrza"
    r"|popatrzy|pomyli)\w+"
    r"|(?:прочита|посмотре|перепута)\w+"
    r"|meinte|ich meine|wollte sagen|je (?:voulais|veux) dire|me suis trompée?|quise decir|quería decir"
    r"|volevo dire|intende?vo|quis dizer|queria dizer|bedoel\w*|miał[ae]m na myśli|имел\w* в виду|ошиб\w*|хотел\w* сказать"
)
# A clause that says what time it is, or what a number is like, and gives no other value.
REMARKS = anywhere(
    r"already|almost|much|many|lot|enough|schon|fast|viel|wenig|genug|déjà|beaucoup|peu|assez|ya|mucho|poco|bastante|già"
    r"|molto|abbastanza|já|muito|pouco|veel|weinig|genoeg|już|dużo|mało|уже|много|мало|olmuş|çok",
    "もう|已经|都|벌써|이미",
)
# The value that is taken back: "scratch the 23", "vergiss die 24".
TAKES_BACK = re.compile(
    r"\b(?:scratch|forget|ignore|disregard|strike|never ?mind|vergiss|streich|ignorier|oublie[zr]?|raye|olvida|ignora|borra"
    r"|tacha|dimentica|cancella|lascia (?:stare|perdere)|esque[cç]e|esqueça|ignore|risca|vergeet|negeer|schrap|zapomnij o"
    r"|skreśl"
    r"|забудь(?:те)?(?: про)?|зачеркни|unut)\s+(?:about |that |the |my |die |das |den |les? |la |l'|los |las |el |il |gli |i "
    r"|o |os |as |de |het |про )*(?P<value>[\w.:/-]+)"
    r"|\b(?:(?:i|we) (?:told you|said|wrote)|(?:ich )?(?:hatte|habe|hab) (?:\w+ )?gesagt|j'ai dit|(?:te |he )?dij?[eo]"
    r"|ho detto)\b"
    r".{0,40}?(?P<told>\d[\w.:/-]*)",
    re.IGNORECASE,
)
# Words that a correction has beside the value.
CORRECTION_NOISE = words("""
    nah after all hm hmm hum uh um er äh ähm öh euh eh ehm ээ
    no nope oops sorry wait correction actually mean meant misread said say saying wrote typed typo wrong right correct
    mistake make made must should rather instead of confused mixed up told it its it's that that's thats is was at on in by
    the start starts begin begins leave leaves arrive arrives open opens close closes take takes place cost costs called
    named name number day date time not nein doch entschuldigung meinte meine eigentlich sondern stimmt falsch richtig
    lieber verwechselt geirrt vertan versprochen verlesen habe hab mich besser gesagt es ist war am um im nicht beginnt
    beginnen fängt an findet statt heißt kostet fährt kommt non pardon trompé trompée suis me plutôt voulais dire faux juste
    en fait c'est c'était est pas s'appelle commence coûte part perdón equivoqué equivocado he quise quería decir realidad
    mejor dicho sino era llama empieza cuesta sale llega scusa volevo intendo intendevo anzi meglio realtà è si chiama
    inizia comincia costa parte arriva não desculpe enganei quis queria dizer aliás verdade melhor dito é chama começa custa
    nee vergist vergis bedoel bedoelde eigenlijk juist fout het niet begint heet kost vertrekt nie we w na o przepraszam
    właściwie miałem miałam myśli pomyliłem pomyliłam się chciałem chciałam powiedzieć chodziło mi jest był była zaczyna
    nazywa нет во в на извини извините точнее вернее имел имела виду ошибся ошиблась хотел хотела сказать это был была не
    начинается зовут
    natürlich hold hang misremembered désolée desolé désolé attends oups ups espera perdona uy digo dia
    dici espere wacht oeps verkeerd nummer numer numero número czekaj ojej zły pomyłka погоди ой номер pardon özür dilerim
    yanlış yok hayır olacak günü gün saat saati
""")
# What may have been said wrong, in the languages where the word stands beside one for "wrong".
_SAID = (
    r"(?:one|number|day|date|time|year|month|name|address|price|amount|code|nummer|tag|datum|uhrzeit|zeit|jahr|zahl|adresse"
    r"|numéro|jour|heure|nom|número|fecha|día|hora|nombre|dirección|numero|giorno|data|ora|nome|indirizzo|dia|dag|tijd|naam"
    r"|jaar|numer|dzień|godzina|imię|номер|день|дата|время|имя|numara|gün|tarih|saat|isim)"
)
# What a person said before was wrong, also in another conversation.
RETRACTS = anywhere(
    r"(?:told you|said|gave you) (?:something|it|that|the) (?:wrong|incorrect)\w*|(?:i was|that was|it was) (?:wrong|mistaken)"
    r"|i (?:made a mistake|misspoke|mixed (?:it|that|them) up|got (?:it|that|this) wrong)|my (?:mistake|bad|fault)"
    rf"|wrong {_SAID}|i misread|misremembered|(?:scratch|forget|ignore|disregard|strike|never mind) (?:that"
    rf"|what i (?:said|wrote|told you))"
    r"|(?:looking at|looked at|read|had|opened) the wrong \w+|(?:had|got) (?:[\w']+ ){1,4}wrong"
    r"|(?:habe|hab) (?:mich |dir )?(?:\w+ ){0,3}(?:geirrt|vertan|versprochen|falsch \w+)|das war falsch|verwechselt"
    rf"|falsche[nrs]? {_SAID}|vertippt|verschrieben|verlesen|falsch gelesen|(?:vergiss|streich) (?:das|was ich)"
    rf"|stimmt (?:doch )?(?:gar )?nicht"
    r"|(?:auf den|auf das|auf die|in den|in das) falschen? \w+|mein fehler"
    rf"|mauvaise? {_SAID}|je me suis trompée?|j'ai dit une bêtise|j'ai (?:mal lu|confondu|regardé (?:le|la) mauvaise?)"
    rf"|(?:oublie"
    r"|laisse tomber) ce que j'ai dit|au temps pour moi"
    rf"|{_SAID} (?:equivocad|sbagliat|errad)[oa]|(?:dije|escribí) mal|(?:me )?equivoqué|me he equivocado|leí mal"
    rf"|me confundí|olvida lo (?:que dije|de)|mi error|(?:la|el) \w+ equivocad[oa]"
    r"|mi sono sbagliat[oa]|ho sbagliato|ho letto male|errore mio|lascia stare quello che|dimentica quello che|enganei-me"
    r"|li mal|erro meu"
    r"|esqueça? o que|[oa] \w+ errad[oa]"
    rf"|verkeerde? {_SAID}|(?:de|het) verkeerde \w+|vertypt|(?:zły|zła|złe) {_SAID}|pomyłka|не т(?:от|а|о) {_SAID}"
    rf"|опечатка|опечатал\w+"
    rf"|yanlış (?:{_SAID}|yaz\w+|söyle\w+|hatırla\w+|oldu)"
    r"|me enganei|ik heb (?:me|mij) vergist|(?:ik|ik heb) (?:\w+ ){0,2}verkeerd (?:gezegd|gelezen|gekeken)|mijn fout"
    r"|vergeet wat ik|źle (?:przeczytał|spojrzał)\w*|mój błąd|zapomnij o|неправильно прочита\w+"
    r"|моя ошибка|забудь,? (?:что|про)|не туда посмотре\w+|pomylił[ae]m się|się pomylił[ae]m"
    r"|(?:я )?ошиб(?:ся|лась)|перепутала?",
    "間違え(?:ました|てい|た)|(?:番号|日付|時間|名前|日)違い|(?:書き|打ち)間違|見間違|読み間違|看错|看錯|잘못 (?:봤|읽)"
    "|言い間違|[说弄记打写搞]错了?|(?:号码|日期|时间|名字|地址|日子)(?:错|不对)"
    "|잘못 (?:말|알려|썼|적)|(?:번호|날짜|시간|이름)[가이]? ?(?:틀렸|잘못)|착각했",
)
NEGATES = re.compile(
    r"\b(?:not|instead of|rather than|nicht|statt|pas|au lieu d[eu]|no|en vez de|non|invece d\w*|não|em vez de|niet"
    r"|nie|zamiast"
    r"|не|вместо)\s+(?:on |at |in |the |am |den |der |die |das |le |la |el |il |o |a |de |het )*(?P<value>[\w.:/-]+)",
    re.IGNORECASE,
)
