"""Words and patterns of several languages that show what kind of statement a text is, see ``statements``."""

import re

from .quantity_patterns import MONTH


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: A point within a word or number, after the day of a date, or after a title ends no sentence.
_INNER_POINT = rf"\.(?=\S)|(?<=\d)\.(?=\s(?i:{MONTH})\b)|(?:(?<=\bDr)|(?<=\bMr)|(?<=\bMrs)|(?<=\bMs)|(?<=\bProf))\.(?=\s)"
SENTENCE = re.compile(rf"[^.!?;\n。！？؟]+(?:(?:{_INNER_POINT})[^.!?;\n。！？؟]*)*[.!?;\n。！？؟]*")
#: What begins another clause, by language: "i" is "and" in Polish and "the" in Italian, "ma" is "but" in Italian and "my" in
#: French.
CONJUNCTIONS = {
    "en": r"but|and|although|though|because|while|whilst|whereas|(?:so|yet)(?=\s(?:i|we|he|she|they|it|my|our)\b)",
    "de": r"aber|sondern|und|obwohl|weil|während|dafür",
    "fr": r"mais|et|parce que|tandis que|alors que|donc",
    "es": r"pero|y|sino|porque|mientras|así que",
    "it": r"ma|però|e|perché|mentre|quindi",
    "pt": r"mas|e|porque|enquanto|então",
    "nl": r"maar|en|omdat|terwijl|dus",
    "pl": r"ale|i|a|bo|więc|natomiast|za to",
    "ru": r"но|а|и|потому что|поэтому|зато",
    "sv": r"men|och",
    "da": r"men|og",
    "tr": r"ama|ve",
}
WITHOUT = r"(?=\b(?:without|ohne|sans|sin|senza|sem|zonder|без|utan|uten|uden|bez)\b)"
CLAUSE_MARK = r"[,:–—、，]|(?<=[るたいだす])(?:けれど|けど|のに)も?|(?<=[는은인운]데|지만)\s"
#: What stands for something said before.
ANAPHORA = re.compile(
    r"(?i)\b(?:it|that|this|them|any|either|both|there|one|none|es|das|dies|ihn|sie|davon|daran|dazu|le|la|les|l|en|y|cela"
    r"|ça|lo|los|las"
    r"|eso|ello|li|ne|ci|isso|isto|het|dat|er|ze|hem|to|tego|tym|go|ich|это|этого|его|её|их)\b|それ|これ|那|这|它|그거|그것|이거"
)
NEGATION = re.compile(
    r"(?i)\b(?:no longer|any ?more|no|not|never|nor|neither|none|without|cannot|\w+n['’]t|nobody|nothing"
    r"|nicht|nichts|kein\w*|nie|niemals|niemand|ohne|pas|jamais|sans|aucune?|rien|plus de"
    r"|nunca|jamás|ningun[oa]?|ningún|nada|nadie|tampoco|não|nenhuma?|non|senza|nessun[oa]?|niente"
    r"|niet|geen|nooit|niets|zonder|не|нет|никогда|без|ничего|inte|aldrig|ingen|inga|utan|ikke|aldri|uten|uden|nie ma"
    r"|bez|nigdy|değil|yok|en ole|eivät|soha|nincs|niciodată|fără)\b|[不没無无非未]|ない|ません|안 |않|못|없"
)
# Words that deny in one language and mean something else in others: "Mai" is a month in German.
NEGATION_IN = {
    code: re.compile(rf"(?i)\b(?:{pattern})\b")
    for code, pattern in (
        ("it", "mai"),
        ("es", "sin|ni"),
        ("pt", "nem|sem"),
        ("fr", "ni"),
        ("hu", "nem|sem"),
        ("ro", "nu"),
        ("fi", "ei"),
        ("tr", "hiç"),
    )
}
NO_IN_PORTUGUESE = re.compile(r"(?i)\bno\b(?!\s*[,.!])")  # "in the"
# Phrases with a negation word that deny nothing.
NOT_NEGATED = re.compile(
    r"(?i)^\W*(?:no|nope|nein|non|nee|nej|нет|não|nie)\s*[,.!:;]|\bnot only\b|\bnot just\b|\bcan['’]?t wait\b"
    r"|\bwhy not\b|\bno problem\b"
    r"|\bno doubt\b|\bnicht nur\b|\bnicht wahr\b|\bnon seulement\b|\bno sólo\b|\bno solo\b|\bnon solo\b|\bnão só\b"
    r"|\bniet alleen\b"
    # "Can't believe it", "not gonna lie": a remark on what is said.
    r"|\b(?:can(?:['’]?t|not)|couldn['’]?t|don['’]?t|hardly) (?:even |quite )?believe (?:it|this|that|how|my)\b"
    r"|\bnot (?:gonna|going to) lie\b"
    r"|\b(?:don['’]?t worry|don['’]?t ask|no (?:kidding|joke|worries))\b|\b(?:kann?|konnte|könnte) (?:ich )?(?:es|['’]?s"
    r"|das)? ?(?:noch )?"
    r"(?:kaum|(?:gar |noch )?nicht)(?: richtig)? (?:glauben|fassen)|\bkein(?:e|en)? (?:sorge|problem|witz|scherz)\b"
    r"|\b(?:j['’]|je )?(?:n['’])?(?:y crois|arrive|en reviens) (?:toujours |même )?pas(?: à y croire)?\b|\bno (?:me lo "
    r"|puedo )(?:puedo )?cre[eo]r?(?:lo)?\b"
    r"|\bnon (?:ci|lo) (?:posso |riesco a )?cred(?:o|ere)\b|\bnon (?:posso|riesco a) crederci\b|\b(?:nem|não) (?:dá pra "
    r"|posso |consigo )?acredit(?:o|ar)\b"
    r"|\b(?:niet|nauwelijks) te geloven\b|\b(?:kan|geloof) het (?:nog )?(?:niet|nauwelijks)(?: geloven)?\b"
    r"|\bnie (?:mogę|moge) (?:w to )?uwierzyć\b|\bnie do wiary\b|\b(?:не могу (?:в это )?поверить|поверить не могу"
    r"|не верится)\b"
    r"|信じられない|不敢相信|믿기지 않|믿을 수가? 없"
    r"|[,]\s*(?:isn|aren|don|doesn|didn|wasn|won)['’]t\s+\w+\s*\?|\bn['’]est-ce pas\b"
)
# Words that deny without a negation, or turn one around: a clause with one of them fits both a denial and an assertion.
SOFT = re.compile(
    r"(?i)\b(?:stop\w*|quit\w*|g[ia]ve up|given up|hat(?:e|es|ed)|dislik\w*|avoid\w*|refus\w*|lack\w*"
    r"|fail\w*"
    r"|can['’]?t stand|unable|aufgehört|aufgegeben|hass\w*|vermeid\w*|meid\w*"
    r"|verzichte\w*|arrêt\w*"
    r"|déteste\w*|évit\w*|refuse\w*|n['’]\w+ plus|ne \w+ plus|dej[óéao]\w*|odi\w*|evit\w*|smett\w*|smess\w*|detest\w*"
    r"|parou|deixou"
    r"|gestopt|hekel|vermijd\w*|бросил\w*|ненавид\w*|slutat|sluttet|holdt op)\b"
)
CHANGE = re.compile(
    r"(?i)\b(?:moved|moving|relocated|now|no longer|not anymore|anymore|any more|instead|changed|switched|new|quit"
    r"|stopped|gave up|left"
    r"|became|started|retired|divorced|sold|cancelled|canceled|postponed|rescheduled|since|replaced"
    r"|umgezogen|gezogen|zieh\w*|jetzt|nunmehr|nicht mehr|kein\w* \w+ mehr|statt\w*|geändert|gewechselt|neu\w*"
    r"|gekündigt|aufgehört"
    r"|inzwischen|verschoben|abgesagt|déménag\w*|maintenant|désormais|ne \w+ plus|n['’]\w+ plus|changé|nouve\w*"
    r"|quitté|arrêté|reporté"
    r"|mud[óéa]\w*|ahora|ya no|cambi\w*|nuev[oa]|dejó|dejé|renunci\w*|trasferit\w*|adesso|ora|non \w+ più|cambiat\w*"
    r"|nuov[oa]"
    r"|smesso|mudou|mudei|agora|já não|não \w+ mais|mudança|nov[oa]|parou|deixou|verhuisd|nu|niet meer|geen \w+ meer"
    r"|nieuwe?"
    r"|gestopt|переехал\w*|теперь|больше не|flyttat|flyttet|lopett\w*|muutt\w*)\b|引っ越|今は|もう|搬|现在|不再|지금|이제|이사"
)
CEASED = re.compile(
    r"(?i)\b(?:no longer|not anymore|any ?more|quit|quits|stopped|stops|gave up|given up|nicht mehr|kein\w* mehr|mehr"
    r"|aufgehört|aufgegeben"
    r"|ne \w+ plus|n['’]\w+ plus|arrêté|ya no|dejó|dejé|dejado|ha smesso|smesso|più|já não|parou|deixou|niet meer"
    r"|gestopt|больше не"
    r"|бросил\w*)\b|不再|やめ"
)
PAST_EN = "|".join(
    sorted(
        words(
            """
    paid bought sold went met quit gave got received ate saw told said came left lost found won broke built drove
    flew slept spent sent caught taught began chose fell forgot heard led lent wrote took made ran had did became
    sang swam wore stole shot hid rode woke threw drank dug fought held hurt sat stood swore tore brought thought
    sought understood ended
    """
        )
    )
)
STATE_ED = re.compile(
    r"(?i)\b(?:is|are|am|was|were|been|be|get|gets)\s+(?:\w+ly\s+)?\w+ed\b|\b(?:need|speed|bed|red|seed|feed|wed|shed"
    r"|breed|hundred"
    r"|indeed|exceed|succeed|interested|married|scheduled|named|called|used|based|located|allergic|naked|wicked|sacred)\b"
)
EVENT = re.compile(
    rf"(?i)\b(?:{PAST_EN}|\w{{2,}}ed)\b"
    r"|\b(?:hat|habe|haben|hatte|hatten|hast)\b.*\b(?:ge\w{2,}(?:t|en)|\w+iert|(?:be|ver|er|ent|zer)\w{2,}(?:t|en)"
    r"|\w+ge\w+(?:t|en))\b"
    r"|\b(?:ist|bin|sind|war)\b.*\b(?:ge(?:gangen|fahren|kommen|flogen|reist|zogen|laufen|storben|wandert)"
    r"|um\w*gezogen|\w+gefahren|\w+gekommen)\b"
    r"|\b(?:kaufte|zahlte|bezahlte|ging|kam|fuhr|flog|traf|gab|bekam|verlor|fand|studierte|heiratete|kündigte|zog"
    r"|gewann|schenkte)\b"
    r"|\b(?:ai|as|a|avons|avez|ont|j['’]ai)\s+(?:\w+\s+)?\w{2,}(?:é|ée|és|ées|i|is|it|u|us|ert)\b"
    r"|\b(?:suis|est|sont|s['’]est)\s+(?:allé|part|ven|arriv|mont|tomb|mort|né|sort|rentr|retourn|déménag|mari)\w*"
    r"|\b\w{2,}(?:ó|aron|ieron)\b|\b(?:ha|he|han|has)\s+\w+(?:ado|ido|to|cho)\b"
    r"|\b(?:pagué|compré|vendí|fui|fue|hice|di|tuve|vine|dije|conocí|estudié|perdí|encontré|viajé|recibí|gané|comí)\b"
    r"|\b(?:ha|ho|hanno|abbiamo)\s+(?:\w+\s+)?\w+(?:ato|uto|ito|sso|rso|tto|sto|nto)\b"
    r"|\b(?:è|sono)\s+(?:andat|partit|venut|arrivat|nat|mort|trasferit|uscit|tornat)[oaie]\b"
    r"|\b(?!meu|seu|teu|eu|deu\b)\w{2,}(?:ou|eu|iu)\b|\b(?:paguei|comprei|vendi|foi|fez|veio|disse|deu|estudei|viajei"
    r"|recebi)\b"
    r"|\b(?:heeft|heb|hebben|had)\b.*\b(?:ge\w{2,}(?:d|t|en)|(?:be|ver|ont)\w{2,}(?:d|t|en))\b|\b(?:is|ben"
    r"|zijn)\s+.*\b(?:gegaan|verhuisd|gekomen|gereisd)\b"
    r"|\b(?:har|havde|hade)\s+\w+t\b|\b\w{3,}(?:ил|ал|ел|ила|ала|ела|ился|алась|ила|ул|ула|лся|лась)\b|\b\w{2,}(?:ł"
    r"|ła|łem|łam)\b"
    r"|(?:た|ました|だった)[。\s]*$|了"
)
FRAMES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?i)\b(?:{pattern})\b{more}"))
    for name, pattern, more in (
        (
            "residence",
            r"liv(?:e|es|ing)|resid\w+|moved (?:\w+ )*(?:to|from|into|in)|relocated|home (?:is|town)|based in|wohn\w*"
            r"|leb(?:e|t|en)|umgezogen|gezogen"
            r"|zieh\w*|habite\w*|vi[ts]|déménag\w*|vive[ns]?|vivo|reside\w*|mud[óéa]\w*|mudou|mudei|mora[m]?|moro"
            r"|abit[aoi]\w*|trasferit\w*"
            r"|woon\w*|verhuisd|bor|flyttat|flyttet|asu\w*|mieszka\w*|живёт|живет|живу|переехал\w*|yaşıyor\w*|lakik"
            r"|lakom|locuie\w*",
            r"|住んで|住む|引っ越|住在|搬到|살아|산다|살고",
        ),
        (
            "job",
            r"work(?:s|ing)? (?:as|at|for|in)|job|position|profession|employed|employer|occupation|arbeit\w* (?:als"
            r"|bei)|beruf\w*|stelle|travaill\w+"
            r"|métier|emploi|trabaj\w+|trabalh\w+|empleo|emprego|lavor\w+|werkt|werk als|baan|retired|jobba\w*"
            r"|arbetar|arbejder|jobber|pracuj\w*"
            r"|работа\w*",
            r"|働い|仕事|工作|일해|직업",
        ),
        (
            "partner",
            r"married|engaged|single|divorced|dating|boyfriend|girlfriend|husband|wife|verheiratet|geschieden|verlobt"
            r"|marié\w*|divorcé\w*"
            r"|casad[oa]|divorciad[oa]|sposat[oa]|getrouwd|gescheiden",
            "",
        ),
        (
            "one value",
            r"(?:phone|telephone|mobile) number|email|e-mail|address|birthday|(?:is|named|called|name is)\s+named"
            r"|favou?rite|inspection|deadline|budget"
            r"|password|age|years old|telefonnummer|handynummer|adresse|geburtstag|lieblings\w+|inspektion|frist|tüv"
            r"|numéro de téléphone|anniversaire"
            r"|préféré\w*|(?:número de )?teléfono|cumpleaños|dirección|favorit[oa]|telefono|compleanno|indirizzo"
            r"|preferit[oa]|telefone|aniversário"
            r"|endereço|telefoonnummer|verjaardag|adres|lievelings\w+|budget",
            r"|電話番号|誕生日|住所|电话|生日|地址|전화번호|생일",
        ),
    )
)
ASKS = re.compile(
    r"(?i)\b(?:(?:want|need)(?:s|ed)? to (?:know|find out)|curious (?:about|what|where|how|whether|if)"
    r"|would like to know|wonder(?:s|ed|ing)?|inquir(?:es|ed|ing)|(?:ask(?:s|ed"
    r"|ing)?)\b(?:\s+\w+)?\s+(?:what|where|when|who|why"
    r"|how|which|whether|if|about|a question)|(?:user|assistant|speaker) (?:asks|asked|is asking)|question (?:is|was)"
    r"|would like to find out"
    r"|möchte (?:gerne? )?wissen|will wissen|wollte wissen|fragt(?:e)?(?: sich)?[, ]+(?:\w+ )?(?:was|wo|wann|wer"
    r"|warum|wie|ob|welche\w*|nach)|erkundigt\w*"
    r"|demande(?:r)? (?:\w+ )?(?:ce|où|quand|qui|pourquoi|comment|quel\w*|si|combien)|veut savoir|voudrait savoir"
    r"|aimerait savoir|se demande"
    r"|pregunta(?:r|ba)? (?:\w+ )?(?:qué|que|dónde|donde|cuándo|cuando|quién|por|cómo|cuál|si|cuánt\w+)|preguntó"
    r"|quiere saber|quisiera saber|quería saber"
    r"|chiede (?:\w+ )?(?:che|cosa|dove|quando|chi|perché|come|quale|se|quant\w)|si chiede|vuole sapere|vorrebbe sapere"
    r"|pergunta (?:\w+ )?(?:o que|que|onde|quando|quem|por|como|qual|se|quant\w+)|perguntou|quer saber|gostaria de saber"
    r"|vraagt (?:\w+ )?(?:wat|waar|wanneer|wie|waarom|hoe|welke|of|zich)|wil weten|zou willen weten|vroeg zich af"
    r"|frågar|vill veta|undrar|spørger|spør|vil vide|vil vite|lurer på|kysyy|haluaa tietää|pyta|chce wiedzieć"
    r"|спрашивает|хочет знать|интересуется"
    r"|soruyor|bilmek istiyor|întreabă|vrea să știe|azt kérdezi|tudni szeretné)(?!\w)"
    r"|知りたい|尋ね|訊|質問|想知道|询问|問|궁금|묻|알고 싶"
)
INTERROGATIVES = {
    "en": r"(?:what|who|whom|whose|where|when|why|how|which)(?:['’]s)?",
    "de": r"(?:was|wer|wem|wen|wo|woher|wohin|wann|warum|wieso|wie|welche[rsmn]?)",
    "fr": r"(?:est-ce que|qu['’]est-ce|que|qui|quoi|où|quand|pourquoi|comment|quel(?:le)?s?|combien)",
    "es": r"¿?(?:qué|quién(?:es)?|dónde|adónde|cuándo|por qué|cómo|cuál(?:es)?|cuánt[oa]s?)",
    "it": r"(?:che|cosa|che cosa|chi|dove|quando|perché|come|qual[ei]?|quant[oaie])",
    "pt": r"(?:o que|que|quem|onde|quando|por que|como|qual|quais|quant[oa]s?)",
    "nl": r"(?:wat|wie|waar|wanneer|waarom|hoe|welke?)",
    "sv": r"(?:vad|vem|var|när|varför|hur|vilken|vilket)",
    "da": r"(?:hvad|hvem|hvor|hvornår|hvorfor|hvordan|hvilken)",
    "no": r"(?:hva|hvem|hvor|når|hvorfor|hvordan|hvilken)",
    "ru": r"(?:что|кто|где|когда|почему|как|какой|какая|сколько)",
    "pl": r"(?:co|kto|gdzie|kiedy|dlaczego|jak|który|ile)",
}
STARTS_ASKING = {code: re.compile(rf"(?i)^\W*{pattern}\b") for code, pattern in INTERROGATIVES.items()}
AUXILIARY = r"(?:is|are|was|were|am|do|does|did|can|could|will|would|should|has|have|had|may|might)"
ENGLISH_QUESTION = re.compile(
    rf"(?i)^\W*(?:(?:what|who|where|when|why|how|which|whose)(?:['’]s\b|\s+(?:\w+\s+){{0,2}}{AUXILIARY}\b)"
    rf"|(?:do|does|did|is|are|am|was|were)\s+\w+.*\b|(?:can|could|will|would|should|has|have|had|may)\s+(?:i|you|he"
    rf"|she|it|we|they|the|my|your)\b|(?:should|shall|could|would)\s+\w+\s+\w+)"
)
CONDITIONAL = re.compile(r"(?i)^\W*(?:when|quand|quando|cuando|when(?:ever)?|wie|come|como)\b[^?]*[,，]")
YES_NO = re.compile(
    r"(?i)^\W*(?:and |so |und |et |y |e )?(?:do|does|did|am|is|are|was|were|have|has|had|should|shall|can|could|may|might|must"
    r"|will|would|bin|ist|sind|war|hab\w*|soll\w*|kann|könn\w*|darf|muss|werd\w*|wird|brauch\w*"
    r"|hat\w*|wohn\w*|leb\w*|mag|est-ce que"
    r"|dois-je|puis-je|ai-je|faut-il|est-il|est-elle|as-tu|avez-vous"
    r"|es|está|soy|tengo|vivo|debo|debería|puedo|tiene|sono|ho|è|devo|posso|dovrei|sou|tenho|ben|heb|heeft|woon|moet|kan"
    r"|mag|zal"
    r"|czy|разве|стоит ли|нужно ли)\b"
)
NOTHING = re.compile(
    r"(?i)\b(?:not (?:mentioned|specified|stated|provided|known|given|clear)|unknown|unspecified"
    r"|no (?:new )?(?:information|facts?|details?)"
    r"|nothing to remember|n/a|nicht (?:bekannt|erwähnt|angegeben)|unbekannt|keine (?:informationen|angaben|fakten)"
    r"|non (?:précisé|mentionné)\w*"
    r"|inconnu\w*|no (?:se )?(?:menciona|especifica|sabe)|desconocid\w+|non (?:specificat|menzionat)\w+|sconosciut\w+"
    r"|não (?:mencionad|especificad)\w+"
    r"|desconhecid\w+|niet (?:vermeld|bekend)|onbekend)\b"
)
EMPTY_WORDS = words(
    """
    user assistant speaker human person ai agent bot conversation message chat dialogue greeting greetings fact
    facts information nothing something anything none null hello hi hey thanks thank thankful grateful bye goodbye
    okay ok yes no sure please welcome said says say saying greet greets greeted greeting ask asks asked talk
    talked talking speak speaks spoke reply replied replies answer answered answers agree agreed agrees confirm
    confirmed confirms acknowledge acknowledged noted understood respond responded responds nutzer benutzer
    assistent gespräch hallo danke bedankt bedankte tschüss begrüßt grüßt grüßte ja nein okay gesagt sagt sagte
    antwortet utilisateur bonjour salut merci remercie oui non dit salue conversation usuario asistente hola
    gracias agradece adiós sí saluda dice utente assistente ciao grazie ringrazia saluta dice usuário olá oi
    obrigado obrigada cumprimenta gebruiker dank bedankt zegt groet hej tack hei takk tak kiitos cześć dziękuję
    привет спасибо пользователь merhaba teşekkür
    """
)
EMPTY_CJK = re.compile(
    r"^(?:用户|ユーザー|사용자|助手)?(?:は|が|说|了|는|가)?(?:こんにちは|ありがとう|你好|谢谢|안녕|감사)\S{0,6}$"
)
BY_ASSISTANT = re.compile(
    r"(?i)^\W*(?:the |der |die |das |l['’]|le |la |el |il |o |a |de )?(?:assistant|ai|chatbot|bot|agent"
    r"|language model|assistent\w*|asistente|assistente"
    r"|ассистент)\b|^(?:助手|アシスタント)"
)
SUBJECT = words(
    """
    i ich je j' j’ yo io eu ik jag jeg minä ja я ben én eu i'm i've i'd i'll i’m i’ve i’d i’ll
    """
)
# The one who is spoken to.
ADDRESSED = words(
    """
    you du dich dir tu toi vous tú usted voi você jij jou dig ты вы тебя тебе вас вам
    """
)
OBJECT = words(
    """
    me mir mich moi m' m’ mí mim mij mig meg minulle мне меня mi bana beni nekem
    """
)
OBJECT_BEFORE = words(
    """
    to for an a à al für pour para per ad ao aan voor zu till til к für
    """
)
AGENT_BEFORE = words(
    """
    by von par por da door av af
    """
)
# Words before the giver, after a verb of taking: "Bob borrowed a drill from Ann".
SOURCE_BEFORE = words(
    """
    from von van de di da à od från fra
    """
)
OTHER_BEFORE = words(
    """
    in at from near with about of on into bei mit in aus über nach auf vor avec de dans chez sur en con desde
    sobre di nel com em no na do met uit op bij van i på från fra hos med без в из с о
    """
)
ARTICLES = words(
    """
    the der die das dem den des la le el il lo los las les het
    """
)
POSSESSIVES = words(
    """
    my our your his her their mein meine meinem meinen meiner unser unsere mon ma mes notre mi mis mio mia meu minha mijn
    mój moja мой моя моей
    """
)
AND = words(
    """
    and und et y e en och og и & ,
    """
)
PASSIVE = re.compile(
    r"(?i)\b(?:was|were|is|are|been|being|got)\s+(?:\w+ly\s+)?\w+(?:ed|en|nt|ght|ld|de|id|ven)\b.*\bby\b"
    r"|\b(?:wurde\w*|wird|worden)\b.*\bvon\b"
    r"|\b(?:a été|est|fut|été)\s+\w+.*\bpar\b|\b(?:fue|es|sido)\s+\w+.*\bpor\b|\b(?:è stat[oa]|viene|fu)\b.*\bda\b"
    r"|\b(?:foi|é)\s+\w+.*\bpor\b"
    r"|\b(?:werd|wordt|is)\b.*\bdoor\b"
)
TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]*)?|[,&]")
# The words before the two sides of a comparison or a way: "from Oslo to Bergen", "tea over coffee".
SIDES = re.compile(
    r"(?i)\b(from|to|over|than|instead of|von|nach|statt|als|desde|hasta|hacia|para|da|dalle?|verso|van|naar|till"
    r"|från|fra|til|из|в)"
    r"\s+(?:the\s+|[dl]\w{1,2}\s+)?([^\W_]+)"
)
# "Bob is Ann's boss", "Bob ist Anns Chefin", "she is my tenant", "Ana es la jefa de Luis": relations that do not hold the other
# way round.  First those of the one above, then those of the other.
OWNER = tuple(
    re.compile(
        r"(?i)(?:\b(?:is|am|was|ist|bin|war)|['’](?:m|s))\s+(?:(?P<me>my|mein\w*|(?:the )?user['’]s)"
        rf"|(?P<name>[^\W\d_]+?)(?:['’]s?|(?<=[^\W\d_])s))\s+(?:\w+\s)?(?:{nouns})\b"
        rf"|\b(?:{nouns})\s+(?:of|von|de|di|do|da|van|av|af)\s+(?P<of>[^\W\d_]+)"
    )
    for nouns in (
        r"boss|manager|supervisor|teacher|mentor|coach|trainer|doctor|lawyer|landlord|landlady|mother|father|mum|mom|dad|parent"
        r"|aunt|uncle|grand(?:m|f|p)\w+|chefin?|vorgesetzter?|lehrer(?:in)?|vermieter(?:in)?|mutter|vater|tante|onkel|oma|opa"
        r"|patronn?e?|chef|cheffe|professeure?|mère|père|oncle|jef[ea]|profesora?|maestr[oa]|madre|padre|tí[oa]|abuel[oa]|capo"
        r"|insegnante|professor(?:e|essa|a)?|zi[oa]|nonn[oa]|mãe|pai|baas|leraar|lerares|moeder|vader|lärare|mor|far",
        r"tenant|client|customer|student|pupil|employee|assistant|son|daughter|child|niece|nephew|grand(?:s|d|c)\w+"
        r"|mieter(?:in)?"
        r"|kund(?:e|in)|schüler(?:in)?|sohn|tochter|nichte|neffe|élève|fils|fille|nièce|neveu|alumn[oa]|hij[oa]|sobrin[oa]"
        r"|allievo|allieva|figli[oa]|alun[oa]|filh[oa]|leerling|zoon|dochter|dotter",
    )
)
# What two do to one another: "Eva married Tom" is "Tom married Eva".
MUTUAL = re.compile(
    r"(?i)\b(?:marr(?:y|ies|ied)|met|meets?|dat(?:es?|ed|ing)|divorced|(?:ver|ge)?heirate\w*|traf|trifft|getroffen|épous\w+|rencontr\w+"
    r"|se cas\w+|sposat\w|conobbe|incontr\w+|trouwde|getrouwd|ontmoet\w*)\b"
)
# Verbs and comparisons that say the same with the people exchanged: "Ann lent Bob a drill", "Bob borrowed a drill from Ann".
CONVERSE = tuple(
    (re.compile(rf"(?i)\b(?:{one})\b"), re.compile(rf"(?i)\b(?:{other})\b"))
    for one, other in (
        (r"lends?|lent|lending", r"borrow\w*|ow(?:es?|ed|ing)"),
        (r"prêt(?:e|es|a|é|ée)", r"emprunt\w*|doi[ts]|devait"),
        (r"prest(?:a|ó|ò|ado|ato)", r"deb[eo]|debía|dev[eo]|doveva"),
        (r"emprest(?:a|ou)", r"dev[eo]|devia"),
        (r"gives?|gave|given", r"(?:got|gets?|receiv\w+|inherit\w*)\b(?=[^.]*\bfrom)"),
        (r"sells?|sold|selling", r"buys?|bought|buying"),
        (r"teach\w*|taught", r"learn\w*"),
        (r"older|elder", r"younger"),
        (r"taller|bigger", r"shorter|smaller"),
        (r"verkauf\w*", r"kauf\w*|gekauft"),
        (r"älter", r"jünger"),
        (r"größer", r"kleiner"),
        (r"vend\w*", r"ach[eè]t\w*|compr\w*"),
        (r"plus âgée?|mayor|maggiore|mais velh[oa]", r"plus jeune|menor|minore|mais nov[oa]"),
        (r"verkocht?|verkoop\w*", r"kocht?|koop\w*|gekocht"),
        (r"ouder", r"jonger"),
    )
)
RESCHEDULED = re.compile(
    r"(?i)\b(?:moved|postponed|rescheduled|brought forward|verschoben|verlegt|reporté\w*|déplacé\w*|aplazad\w"
    r"|pospuest\w|spostat\w|rinviat\w"
    r"|adiad\w|remarcad\w|verzet|verplaatst|flyttad|flyttet|перенес\w+)\b"
)
ONE_OF_MANY = re.compile(
    r"(?i)\b(?:has|have|hat|habe|a|ai|tiene|tengo|ha|ho|tem|tenho|heeft|heb)\s+(?:an?|eine?n?|une?|una|uma?"
    r"|een)\s+[^\W\d_]+"
)
