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
    r"|scusa|scusami|aspetta|un attimo|momento|não|desculp[ae]|espere|peraí|nee|wacht(?: even)?|oeps|foutje|nie|czekaj"
    r"|poczekaj|chwila|przepraszam|нет|извини\w*|погоди\w*|подожди\w*|стой|いや|いえ|待って|违|不对|不是|等一?下|等等|아니"
    r"|잠깐(?:만)?)\s*[,.:;!–—，、。]"
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
# Words that a correction has beside the value.
CORRECTION_NOISE = words("""
    nah after all
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
""")
# What a person said before was wrong, also in another conversation.
RETRACTS = anywhere(
    r"(?:told you|said|gave you) (?:something|it|that|the) (?:wrong|incorrect)\w*|(?:i was|that was|it was) (?:wrong|mistaken)"
    r"|i (?:made a mistake|misspoke|mixed (?:it|that|them) up|got (?:it|that|this) wrong)|my (?:mistake|bad|fault)"
    r"|i misread|(?:scratch|forget|ignore|disregard|strike|never mind) (?:that|what i (?:said|wrote|told you))"
    r"|(?:looking at|looked at|read|had|opened) the wrong \w+|(?:had|got) (?:[\w']+ ){1,4}wrong"
    r"|(?:habe|hab) (?:mich |dir )?(?:\w+ ){0,3}(?:geirrt|vertan|versprochen|falsch \w+)|das war falsch|verwechselt"
    r"|verlesen|falsch gelesen|(?:vergiss|streich) (?:das|was ich)|stimmt (?:doch )?(?:gar )?nicht"
    r"|(?:auf den|auf das|auf die|in den|in das) falschen? \w+|mein fehler"
    r"|je me suis trompée?|j'ai dit une bêtise|j'ai (?:mal lu|confondu|regardé (?:le|la) mauvaise?)|(?:oublie"
    r"|laisse tomber) ce que j'ai dit|au temps pour moi"
    r"|(?:me )?equivoqué|me he equivocado|leí mal|me confundí|olvida lo (?:que dije|de)|mi error|(?:la|el) \w+ equivocad[oa]"
    r"|mi sono sbagliat[oa]|ho sbagliato|ho letto male|errore mio|lascia stare quello che|dimentica quello che|enganei-me"
    r"|li mal|erro meu"
    r"|esqueça? o que|[oa] \w+ errad[oa]"
    r"|me enganei|ik heb (?:me|mij) vergist|(?:ik|ik heb) (?:\w+ ){0,2}verkeerd (?:gezegd|gelezen|gekeken)|mijn fout"
    r"|vergeet wat ik|źle (?:przeczytał|spojrzał)\w*|mój błąd|zapomnij o|неправильно прочита\w+"
    r"|моя ошибка|забудь,? (?:что|про)|не туда посмотре\w+|pomylił[ae]m się|się pomylił[ae]m"
    r"|(?:я )?ошиб(?:ся|лась)|перепутала?",
    "間違え(?:ました|てい|た)|見間違|読み間違|看错|看錯|잘못 (?:봤|읽)|言い間違|说错了?|弄错了?|记错了?"
    "|잘못 (?:말|알려)|착각했",
)
NEGATES = re.compile(
    r"\b(?:not|instead of|rather than|nicht|statt|pas|au lieu d[eu]|no|en vez de|non|invece d\w*|não|em vez de|niet"
    r"|nie|zamiast"
    r"|не|вместо)\s+(?:on |at |in |the |am |den |der |die |das |le |la |el |il |o |a |de |het )*(?P<value>[\w.:/-]+)",
    re.IGNORECASE,
)
