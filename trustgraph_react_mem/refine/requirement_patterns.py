"""Words of several languages with which a question says what the answer must look like, see ``requirements``."""

import re

# What is counted in an answer.
UNITS = {
    "sentences": r"sentences?|sätze?n?|satz|phrases?|frases?|frasi|oraci(?:ón|ones)|zin(?:nen)?|предложени\w+|zdani\w+"
    r"|mening(?:ar)?|sætning(?:er)?|setning(?:er)?|文(?!字)|句(?:话|話)?|문장",
    "words": r"words?|w[öo]rter?n?|worten?|mots?|palabras?|parol[ae]|palavras?|woord(?:en)?|слов\w*|sł[oó]w\w*|ord|单词"
    r"|個詞|个词"
    r"|単語|語(?!で)|단어",
    "characters": r"characters?|zeichen|caractères?|caratteri|caracteres|tekens|символ\w*|знак\w*|znak\w*|tecken|tegn|文字"
    r"|个?字"
    r"|個字|자",
    "items": r"(?:bullet|key)[ -]?points?|bullets?|list items|items|stichpunkte?n?|aufzählungspunkte?n?|puces|viñetas"
    r"|puntos|punti"
    r"|tópicos|opsommingstekens|пункт\w*|punkt\w*|箇条書き|要点|つの項目",
    "paragraphs": r"paragraphs?|absätze?n?|absatz|paragraphes?|párrafos?|paragraf[io]|parágrafos?|alinea['’]?s?|абзац\w*"
    r"|akapit\w*"
    r"|段落",
    "lines": r"lines?|zeilen?|lignes?|líneas?|righ[ae]|linhas?|regels?|строк\w*|rader?|行",
}
_MOST = (
    r"at most|no more than|not more than|max(?:imum)?(?: of)?\.?|a maximum of|up to|within|höchstens|maximal|nicht mehr als"
    r"|au plus|au maximum|maximum|pas plus de|como máximo|(?:un )?máximo(?: de)?|no más de|hasta|al massimo"
    r"|(?:un )?massimo(?: di)?"
    r"|non più di|no máximo|não mais (?:de|do que|que)|até|hoogstens|maximaal|niet meer dan|не более(?: чем)?|не больше"
    r"|максимум"
    r"|до|co najwyżej|maksymalnie|nie więcej niż|högst|max|højst|maks|不超过|不超過|最多|至多|最大"
)
_BELOW = (
    r"under|below|fewer than|less than|unter|weniger als|moins de|menos de|meno di|minder dan|onder de|меньше|менее|mniej niż"
    r"|färre än|少于|少於"
)
_LEAST = (
    r"at least|no (?:fewer|less) than|a minimum of|minimum(?: of)?|mindestens|wenigstens|au moins|al menos|como mínimo"
    r"|por lo menos|almeno|pelo menos|no mínimo|ten minste|minstens|minimaal|не менее|как минимум|co najmniej|minst|mindst|至少"
    r"|少なくとも|最低"
)
_ABOVE = r"more than|over|mehr als|über|plus de|más de|più di|mais de|meer dan|более|больше|więcej niż|超过"
_EXACT = (
    r"exactly|precisely|genau|exakt|exactement|exactamente|esattamente|exatamente|precies|ровно|dokładnie|exakt|præcis|ちょうど"
    r"|恰好|正好"
)
_ABOUT = (
    r"about|around|roughly|approximately|some|etwa|ungefähr|circa|ca\.?|rund|environ|unos|unas|alrededor de|cerca de"
    r"|aproximadamente|ongeveer|около|примерно|około|ungefär|cirka|約|大约|大約|大概"
)
_IN = (
    r"in|with|using|mit|en|avec|con|com|em|met|в|w|i|på|med|用|以|in a|in het|in only|in just|only|just|nur|in nur"
    r"|seulement|en seulement|solo|sólo|en solo|en sólo|in solo|apenas|em apenas|slechts|in slechts|as|als|como|come"
    r"|sous forme de"
)
#: Order matters: "not more than" before "more than".
BEFORE = "|".join(
    f"(?P<{name}>{words})"
    for name, words in (
        ("most", _MOST), ("below", _BELOW), ("least", _LEAST), ("exact", _EXACT), ("above", _ABOVE), ("about", _ABOUT),
        ("inside", _IN),
    )
)  # fmt: skip
AFTER = (
    r"(?P<most_after>(?:or|oder|ou|o|of|или) (?:less|fewer|weniger|moins|menos|meno|minder|меньше)"
    r"|max(?:imum|imal)?\b|at most|tops|höchstens|au plus|au maximum|(?:como )?máximo|al massimo|no máximo|maximaal|максимум"
    r"|以内|以下|まで|이내|이하)"
    r"|(?P<least_after>(?:or|oder|ou|o|of|или) (?:more|mehr|plus|más|più|mais|meer|больше)|at least|mindestens|minimum"
    r"|以上|이상)"
    r"|(?P<inside_after>で|으로|로|(?:only|please|nur|bitte|seulement|solo|solamente|soltanto|apenas|alleen|только|tylko)"
    r"(?=\s*(?:$|[.,;:!?])))"
)
ADJECTIVE = (
    r"(?:(?:seule?s?|sola?|sole|únic[ao]s?|einzigen?|enkele|enda|single|short|brief|concise|complete|full|simple|single|different|kurzen?|knappen?|vollständigen?|courtes?|brèves?"
    r"|cortas?"
    r"|breves?|brevi|curtas?|korte|коротких|krótkich)\s+)?"
)
#: Number words of languages that ``replace_number_words`` does not read.
NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "одном одно одним jednym jedno en ett 한", "двух два две двумя dwóch dwa dwoma två to 두", "трёх трех три trzech"
            " trzy tre 세",
            "четырёх четырех четыре czterech cztery fyra fire 네", "пяти пять pięciu pięć fem 다섯", "шести шесть sześciu"
            " sześć sex seks",
            "семи семь siedmiu siedem sju syv", "восьми восемь ośmiu osiem åtta otte", "девяти девять dziewięciu nio ni",
            "десяти десять dziesięciu tio ti",
        ),
        1,
    )
    for word in words.split()
}  # fmt: skip
ASKS_HOW_MANY = re.compile(
    r"(?i)\b(?:how (?:many|much)|wie ?viele?|combien|cuánt[oa]s|quant[ei]|quant[oa]s|hoeveel|сколько|ile|hur många"
    r"|hvor mange)\b"
    r"|何(?:文|語|行|個)|いくつ|多少|几[个句行]|몇"
)
#: A request for an answer at the start of a sentence or clause: what follows is about the answer.
DEMAND = re.compile(
    r"(?i)(?:^|[,;:.!?、，。]\s*|\b(?:please|kindly|and|then|but|you|bitte|und|et|puis|y|por favor|e|poi|en|dan|и"
    r"|пожалуйста|i|och"
    r"|og)\s+)(?:answer|reply|respond|return|give|write|list|output|format|show|provide|print|put|summari[sz]e|name|tell"
    r"|describe|explain|state|say it|keep|use|make|phrase|speak|antworte\w*|gib|gebt|geben|schreib\w*|liste|nenne?|zähle?"
    r"|fasse?"
    r"|beschreib\w*|erkläre?\w*|sag|verwende|formulier\w*|réponds|répondez|donne\w*|écri\w+|liste|résume\w*|décri\w+"
    r"|explique\w*"
    r"|nomme\w*|dis|responde|responda\w*|contesta|conteste|da|dame|escribe|escreva|escriba|resume|resuma|describe|descreva"
    r"|explica|explique|lista|liste|nombra|dime|dê|rispondi|rispondere|dammi|scrivi|elenca|riassumi|descrivi|spiega|dimmi"
    r"|antwoord|geef|schrijf|noem|vat|beschrijf|leg|vertel|ответь\w*|отвечай\w*|напиши\w*|дай\w*|опиши\w*|объясни\w*"
    r"|назови\w*"
    r"|перечисли\w*|расскажи\w*|odpowiedz\w*|napisz|opisz|wyjaśnij|podaj|wymień|svara|skriv|svar|beskriv|förklara)\b"
    r"|答え|回答|教えて|説明|書いて|まとめ|请|請|用|대답|답|설명|써"
)
#: Questions about a language, whose answer is not in that language as a whole.
ASKS_TRANSLATION = re.compile(
    r"(?i)\b(?:say|says|said|called|mean\w*|word|words for|translat\w+|spell\w*|pronounce\w*|heißt|sagt man|bedeutet"
    r"|übersetz\w*"
    r"|wort|dit-on|signifie|mot|tradui\w+|dice|significa|palabra|traduc\w+|parola|tradur\w+|diz|palavra|traduz\w*|zeg je"
    r"|betekent|woord|vertaal\w*|сказать|слово|перевед\w+|означает|называется)\b|言う|言い|意味|訳|翻译|翻譯|怎么说|怎麼說|번역"
)
_NAMES = {
    "en": "english englisch anglais inglés inglese inglês engels английском английски angielsku engelska engelsk 英語 英文"
    " 英语 영어",
    "de": "german deutsch allemand alemán tedesco alemão duits немецком немецки niemiecku tyska tysk ドイツ語 德语 德文 독일어",
    "fr": "french französisch français francés francese francês frans французском французски francusku franska fransk"
    " フランス語 法语"
    " 法文 프랑스어",
    "es": "spanish spanisch espagnol español castellano spagnolo espanhol spaans испанском испански hiszpańsku spanska spansk"
    " スペイン語 西班牙语 스페인어",
    "it": "italian italienisch italien italiano italiaans итальянском итальянски włosku italienska italiensk イタリア語"
    " 意大利语"
    " 이탈리아어",
    "pt": "portuguese portugiesisch portugais portugués portoghese português portugees португальском португальски portugalsku"
    " portugisiska portugisisk ポルトガル語 葡萄牙语 포르투갈어",
    "nl": "dutch niederländisch néerlandais neerlandés holandés olandese holandês nederlands нидерландском голландском"
    " niderlandzku nederländska nederlandsk オランダ語 荷兰语 네덜란드어",
    "ru": "russian russisch russe ruso russo русском русски rosyjsku ryska russisk ロシア語 俄语 러시아어",
    "pl": "polish polnisch polonais polaco polacco polonês pools польском польски polsku polska polsk ポーランド語 波兰语"
    " 폴란드어",
    "sv": "swedish schwedisch suédois sueco svedese zweeds шведском szwedzku svenska svensk スウェーデン語 瑞典语 스웨덴어",
    "da": "danish dänisch danois danés danese dinamarquês deens датском duńsku danska dansk デンマーク語 丹麦语 덴마크어",
    "no": "norwegian norwegisch norvégien noruego norvegese norueguês noors норвежском norwesku norska norsk ノルウェー語"
    " 挪威语",
    "fi": "finnish finnisch finnois finlandés finlandese finlandês fins финском fińsku finska finsk suomeksi フィンランド語"
    " 芬兰语",
    "tr": "turkish türkisch turc turco turks турецком turecku turkiska tyrkisk トルコ語 土耳其语 터키어",
    "ja": "japanese japanisch japonais japonés giapponese japonês japans японском японски japońsku japanska japansk 日本語"
    " 日语 日文"
    " 일본어",
    "zh": "chinese mandarin chinesisch chinois chino cinese chinês chinees китайском китайски chińsku kinesiska kinesisk"
    " 中国語 中文"
    " 汉语 중국어",
    "ko": "korean koreanisch coréen coreano koreaans корейском koreańsku koreanska koreansk 韓国語 韩语 한국어",
    "ar": "arabic arabisch arabe árabe arabo арабском arabsku arabiska arabisk アラビア語 阿拉伯语 아랍어",
}
LANGUAGE_NAMES = {name: code for code, names in _NAMES.items() for name in names.split()}
_LISTED = "|".join(sorted(map(re.escape, LANGUAGE_NAMES), key=len, reverse=True))
IN_LANGUAGE = re.compile(
    rf"(?i)(?:(?<![^\W_])(?:in(?: het| plain| simple)?|use|speak|auf|en|em|på|po|на|по)[ -]|用|使用|以)\s?(?P<name>{_LISTED})"
    r"(?:(?=\s*(?:$|[^\w\s]|and\b|und\b|et\b|y\b|e\b|en\b|please|bitte|por favor|only|nur|in\b|with\b|using\b|mit\b|avec\b"
    r"|con\b|com\b|em\b|met\b|i\b|med\b|w\b|z\b|в\b|с\b|dans\b"
    r"|языке|回答|答|写|说))|(?=で|に))"
    rf"|(?P<native>{_LISTED})(?:で|로|으로)|(?P<adverb>suomeksi)\b"
)
JSON = re.compile(
    r"(?i)\b(?:as|als|en|in|im|como|com|come|em|jako|в|på|som|valid|gültiges|(?:json )?format"
    r"|formato)\b[^.?!,;\n]{0,24}\bJSON\b"
    r"(?!\s*(?:file|datei|fichier|archivo))|\bJSON\s+(?:only|object|array|format|objekt|nur)\b|JSON\s*(?:形式|格式|形式で"
    r"|으로|で)"
)
ABOUT_JSON = re.compile(
    r"(?i)\b(?:what is|was ist|qu['’]est-ce|qué es|how (?:do|can|to)|wie (?:kann|parse)|parse|difference)\b"
)
TABLE = re.compile(
    r"(?i)\b(?:in |as )?(?:tabular|table) (?:form|format|layout)\b|\b(?:tabellarisch|in (?:tabellenform|forma di tabella))\b"
    r"|\b(?:as|in|als|en|sous forme de|como|come|em|met|w|в)\s+(?:an?\s+|einer?\s+|un\s+|una\s+|uma\s+"
    r"|een\s+)?(?:markdown[ -]?)?"
    r"(?:table|tabelle|tableau|tabla|tabella|tabela|tabel|таблиц\w+|tabeli)\b|表形式|表格形式|用表格|표로"
)
BULLETS = re.compile(
    r"(?i)\b(?:please )?use (?:a )?(?:bullets?|bullet(?:ed)?[ -](?:points?|lists?))\b"
    r"|\b(?:as|in|als|sous forme de|en|como|come|em|met|using|with)\s+(?:an?\s+|einer?\s+|una?\s+|uma\s+|een\s+|de\s+)?"
    r"(?:(?:bullet(?:ed)?|numbered|nummerierte[nr]?|unordered|ordered)[ -]?(?:list|points?|liste)?|stichpunkte?n?"
    r"|aufzählung|liste"
    r"(?:\s+à puces|\s+numérotée)?|lista(?:\s+(?:con viñetas|numerada|puntata|com marcadores))?|list|opsomming|lijst|puces"
    r"|bullet points?|bullets)\b(?!\s+of\s+\w+\s+(?:that|who|which))|箇条書き|用列表|列表形式|목록으로"
)
YES_NO = re.compile(
    r"(?i)\b(?:yes or no|yes/no|ja oder nein|oui ou non|sí o no|sì o no|sim ou não|ja of nee|да или нет|tak lub nie"
    r"|ja eller nej)\b"
    r"|はいかいいえ|是或否|是还是否"
)
YES_NO_WORDS = re.compile(
    r"(?i)^\W*(?:yes|no|ja|nein|oui|non|sí|si|sì|sim|não|nee|да|нет|tak|nie|nej|はい|いいえ|是|否|不是|네|아니요)(?![^\W_])"
)
ONLY_NUMBER = re.compile(
    r"(?i)\b(?:only (?:the|a) (?:bare )?number|just (?:the|a) number|number only|(?:the|a|one) number(?:,)? and nothing else"
    r"|nothing but (?:the|a|one) number|nur (?:die|eine|mit der|mit einer) zahl"
    r"|(?:seulement|uniquement) (?:le|un) (?:nombre|chiffre)|(?:solo|sólo|solamente) (?:el|un) número|(?:solo"
    r"|soltanto) (?:il|un) numero"
    r"|(?:apenas|só) (?:o|um) número|alleen (?:het|een) getal|только число)\b|数字だけ|只(?:用|写|回答)?数字|숫자만"
)
UPPER = re.compile(
    r"(?i)\b(?:in (?:all )?(?:capital letters|capitals|caps|upper ?case)|all caps|in großbuchstaben|en majuscules"
    r"|en mayúsculas"
    r"|in (?:lettere )?maiuscol[eo]|em (?:letras )?maiúsculas|in hoofdletters|заглавными буквами)\b|大文字で"
)
LOWER = re.compile(
    r"(?i)\b(?:in (?:all )?lower ?case(?: letters)?|in kleinbuchstaben|en minuscules|en minúsculas"
    r"|in (?:lettere )?minuscol[eo]|em (?:letras )?minúsculas|in kleine letters|строчными буквами)\b|小文字で"
)
_QUOTED = r"[\"'“„«‘「](?P<quoted>[^\"“”„«»‘’「」\n]{1,80}?)[\"'”“»’」]"
_THE_WORD = (
    r"(?:(?:the|das|le|la|el|il|lo|a|o|het)\s+)?(?:(?:word|words|phrase|term|name|wort|wörter|mot|terme|palabra|término"
    r"|parola"
    r"|palavra|woord|слово)\s+)?"
)
FORBIDDEN = re.compile(
    r"(?i)\b(?:without(?: (?:using|mentioning|saying))?|(?:do not|don['’]t|never|must not|avoid)(?: (?:use|using|mention"
    r"|say|write))?"
    r"|ohne|vermeide|verwende nicht|sans(?: (?:utiliser|mentionner|dire))?|sin(?: (?:usar|mencionar|decir))?|no (?:uses"
    r"|menciones|digas)"
    r"|senza(?: (?:usare|menzionare|dire))?|sem(?: (?:usar|mencionar|dizer))?|zonder|gebruik niet|без(?: слова)?"
    r"|не используй)\s+"
    rf"{_THE_WORD}{_QUOTED}"
)
REQUIRED = re.compile(
    r"(?i)(?<!not )(?<!n['’]t )(?<!never )\b(?:include|mention|use|contain|containing|including|verwende|erwähne|enthält"
    r"|utilise|mentionne"
    r"|usa|menciona|incluye|includi|menziona|use|mencione|inclua|gebruik|vermeld|используй|упомяни)\s+"
    rf"{_THE_WORD}{_QUOTED}"
)
STARTS_WITH = re.compile(
    r"(?i)\b(?:(?:start|begin)(?: (?:your|the) \w+)? with|(?:beginn?e?|starte)(?: (?:deine|die) \w+)? mit"
    r"|commence(?:z)?(?: \w+ \w+)? par"
    r"|(?:empieza|comienza)(?: \w+ \w+)? con|(?:inizia|comincia)(?: \w+ \w+)? con|(?:comece|começa)(?: \w+ \w+)? com"
    r"|(?:commencer|débuter) par|(?:empezar|comenzar) (?:con|por)|(?:iniziare|cominciare) con|(?:começar|iniciar) (?:com|por)"
    r"|beginnen met|начинаться с|zacz(?:ynać się|nij) od|(?:börja|inled) med|(?:must|should) (?:start|begin) with"
    rf"|begin(?: \w+ \w+)? met|начни\w*(?: \w+)? с)\s+{_THE_WORD}{_QUOTED}"
)
ENDS_WITH = re.compile(
    r"(?i)\b(?:(?:end|finish|close)(?: (?:your|the) \w+)? with|(?:be)?(?:ende|schließe)(?: (?:deine|die) \w+)? mit"
    r"|(?:termine|finis)(?:z)?(?: \w+ \w+)? par|(?:termina|acaba)(?: \w+ \w+)? con|(?:finisci)(?: \w+ \w+)? con"
    r"|(?:se )?(?:terminer|finir) par|(?:terminar|acabar|finalizar) (?:con|en|com|em)|(?:finire|terminare) con|eindigen met"
    r"|заканчиваться|(?:kończyć się|zakończ)(?: na| słowem)?|(?:sluta|avsluta) med|(?:must|should) (?:end|finish) with"
    rf"|(?:termine|acabe)(?: \w+ \w+)? com|eindig(?: \w+ \w+)? met|закончи\w*(?: \w+)?)\s+{_THE_WORD}{_QUOTED}"
)
GERMAN_START = re.compile(rf"(?i)\b(?:muss|soll\w*|antwort) [^.?!\n]{{0,40}}mit {_THE_WORD}{_QUOTED} (?:beginnen|anfangen)\b")
GERMAN_END = re.compile(
    rf"(?i)\b(?:muss|soll\w*|antwort) [^.?!\n]{{0,40}}mit {_THE_WORD}{_QUOTED} (?:enden|aufhören|schließen)\b"
)
#: What is said about the answer, before the language that it has.
THE_ANSWER = re.compile(
    r"(?i)^(?!.*(?:\b(?:not|nicht|pas|no|non|não|niet|не|nie|inte)|n['’]t)\b).*"
    r"\b(?:answer|reply|response|antwort|réponse|respuesta|risposta|resposta|antwoord|ответ|odpowiedź|svar(?:et)?)\b"
)
_CLAUSE_ENDS = (
    r"(?=\s*(?:$|[.,;:!?)、。！？\n]|(?:only|please|is enough|will do|bitte|genügt|reicht|s['’]il|suffit|por favor|basta"
    r"|per favore"
    r"|alstublieft|graag|пожалуйста|proszę|tack|and|und|et|y|e|en|и|i|och)\b))"
)
ONE_WORD = re.compile(
    r"(?i)(?:\b(?:in|with|mit|en|con|em|com|med) )?(?:\b(?:only|just|nur|solo|sólo|bara|alleen) )?(?:\b(?:a |an )?(?:one"
    r"|single)[ -]word"
    r"(?: only)?(?: answer| reply| response)?|\bein(?:em|zelnes|em einzigen)? wort|\bun seul mot|\buna (?:sola|única) palabra"
    r"|\buna sola parola|\b(?:n?uma) (?:só|única) palavra|\béén woord|\bодн(?:им|о) слово?м?|\bjednym słowem"
    r"|\bett (?:enda )?ord)"
    rf"{_CLAUSE_ENDS}|(?:一言|ひとこと|一語)(?:で|だけ)|用一个词|한 (?:단어|마디)로"
)
ONLY_DIGITS = re.compile(
    r"(?i)\b(?:(?:only|just|nothing but)(?: the| in| with| use)? (?:digits|numerals|figures)|(?:digits|numerals|figures) only"
    r"|(?:just|only) (?:the|a|one|one single|a single) (?:bare )?number(?=\W*$| please|,)|a bare number"
    r"|nur (?:in |aus |mit |die )?ziffern|(?:uniquement|seulement|juste)(?: en| avec)?(?: des| les)? chiffres"
    r"|(?:solo|sólo|solamente|únicamente)(?: con| en)?(?: los| las)? (?:cifras|dígitos|números)|(?:solo|soltanto)(?: in"
    r"| con)?(?: le)? cifre"
    r"|(?:apenas|só|somente)(?: com| em)?(?: os)? (?:dígitos|algarismos|números)|alleen(?: in| met)? cijfers|только цифр\w+"
    r"|(?:tylko|samymi) cyfr\w+|(?:endast|bara)(?: med)? siffror|kun(?: med)? (?:tal|siffer|cifre))\b"
    r"|数字(?:のみ|だけ)|(?:只|仅|僅)(?:用|写|回答|给)?数字|숫자(?:만|로만)"
)
LIST_OF = re.compile(
    r"(?i)(?:\b(?:an?|einer?|une?|una|uma|een|en) )?(?:\b(?:short|bullet(?:ed)?|numbered|nummerierte|kurze)[ -])?"
    r"\b(?:list|liste|lista|lijst|opsomming|aufzählung|список\w*|lista)(?: (?:à puces|con viñetas|puntat[ao]|numerada"
    r"|numérotée))?"
    r" (?:of|with|containing|mit|aus|von|de|avec|con|di|com|van|met|из|z|med|på) (?:exactly |just |only |genau "
    r"|exactement |exactamente )?"
    r"(?P<n>[1-9]\d?)\b"
)
_YEAR, _MONTH, _DAY = "YYYY|JJJJ|AAAA|RRRR|ГГГГ|ÅÅÅÅ", "MM|ММ", "DD|TT|JJ|GG|ДД"
DATE_FORM = re.compile(
    rf"(?i)(?<![^\W_])(?:(?:{_YEAR})(?P<ys>[-/.])(?:{_MONTH})(?P=ys)(?:{_DAY})"
    rf"|(?:{_DAY})(?P<ds>[-/.])(?:{_MONTH})(?P=ds)(?:{_YEAR})"
    rf"|(?:{_MONTH})(?P<ms>[-/.])(?:{_DAY})(?P=ms)(?:{_YEAR})|(?P<iso>(?:(?:in|as|use)(?: an| the)? )ISO(?:[- ](?:8601"
    rf"|date|format|form))+"
    r"|(?:im|als) ISO-?(?:Format|Datum)|(?:au|en|in|no) (?:formato?|date|data|fecha) ISO))(?![^\W_])"
)
GIVEN_AS = re.compile(
    r"(?i)(?:\b(?:as|in|form|format\w*|formaat|формате|use|like|style|als|au|en|im|nel|no|w|i|på)\b[^.?!\n]{0,24}|形式は?|格式为?)$"
)
ONLY_DATE = re.compile(
    r"(?i)\b(?:(?:only|just)(?: with)? (?:the|a) date|date only|nur (?:das|ein|mit dem) datum|(?:uniquement|seulement"
    r"|juste) (?:la|une) date"
    r"|(?:solo|sólo|solamente) la fecha|(?:solo|soltanto) la data|(?:apenas|só) a data|alleen de datum|только дат\w+"
    r"|tylko dat\w+"
    r"|(?:endast|bara) datum)\b|日付(?:だけ|のみ)|只(?:写|回答|给)?日期"
)
_DETERMINER = (
    r"(?:(?:the|my|your|her|his|their|our|its|an?|any|den|die|das|der|dem|mein\w*|dein\w*|ihr\w*|sein\w*|les?|la|mon|ma"
    r"|mes|son|sa|ses"
    r"|el|los|las|mis?|sus?|il|lo|gli|os?|as?|het|de|mijn|w(?:ord|oord|ort)|name) |l['’]){0,2}"
)
_OBJECT = (
    r"((?!(?:the|my|her|his|how|what|why|where|when|dass|que|che|dat"
    r"|что)\b)[^\W_][\w'’&-]{1,40}(?:\s(?-i:[A-ZÀ-ÞА-Я])[\w'’-]{1,30}){0,2})"
)
_NAMED = rf"{_DETERMINER}{_OBJECT}"
_WORD_X = r"(?:the|das|dem|le|la|el|il|lo|a|o|het)? ?(?:words?|wort|mot|palabra|parola|palavra|woord|слова?|słowa|ordet) "
_WORD_X += r"(?:[\"'“„«‘「]\s?)?([^\W_][\w'’-]{0,40})"
#: What must be left out.  The one group that matches is what.
EXCLUDED = tuple(
    re.compile(rf"(?i){words}")
    for words in (
        rf"\b(?:(?:without|avoid)(?: (?:using|saying|mentioning|writing))?|(?:do not|don['’]t|never|must not|should not)"
        rf" (?:use|say|mention|write)|ohne|vermeide|verwende nicht|sans(?: (?:utiliser|employer|dire|écrire))?"
        rf"|n['’](?:utilise|emploie)[zr]? pas|sin(?: (?:usar|utilizar|decir|escribir))?|no (?:uses?|utilices?|digas?|escribas?)"
        rf"|senza(?: (?:usare|dire|scrivere))?|non (?:usare|dire|scrivere)|sem(?: (?:usar|dizer|escrever))?"
        rf"|não (?:uses?|digas?|diga|escrevas?|utilizes?)|zonder|vermijd|без|не используй\w*|bez|nie używaj|utan|använd inte)"
        rf" {_WORD_X}",
        rf"\b(?:verwende|benutze|gebruik|schreib\w*) {_WORD_X}[\"'”“»’」]? (?:nicht|niet)\b",
        rf"\b(?:do not|don['’]t|never|not|must not|should not|without|avoid) (?:mention(?:ing)?|nam(?:e|ing)|includ(?:e"
        rf"|ing)|reveal(?:ing)?)"
        rf" {_NAMED}{_CLAUSE_ENDS}",
        r"\b(?:do not|don['’]t|never|without) (?:giv(?:e|ing)|stat(?:e|ing)|say(?:ing)?|writ(?:e|ing)) the (years?)\b",
        rf"\b(?:leave out|leaving out|omit|omitting) {_NAMED}{_CLAUSE_ENDS}|\b(?:leave|leaving) {_NAMED} out\b",
        rf"\b(?:erwähne?n?|nenne?n?|verrate?n?) (?:bitte )?{_NAMED} (?:dabei |bitte )?nicht\b"
        rf"|\bohne {_NAMED} zu (?:erwähnen|nennen)\b|\blass(?:e|t)? {_NAMED} (?:bitte )?(?:weg|aus)\b",
        rf"\b(?:ne (?:mentionne[zr]?|cite[zr]?|nomme[zr]?) pas|sans (?:mentionner|citer|nommer|inclure)|omets"
        rf"|omettez) {_NAMED}{_CLAUSE_ENDS}",
        rf"\b(?:no (?:menciones?|nombres?|incluyas?)|sin (?:mencionar|nombrar|incluir)|omite"
        rf"|omita) (?:a )?{_NAMED}{_CLAUSE_ENDS}",
        rf"\b(?:non (?:menzionare|nominare|citare)|senza (?:menzionare|nominare|citare)|ometti) {_NAMED}{_CLAUSE_ENDS}",
        rf"\b(?:não (?:mencion[ea]s?|cite|nomeie|inclua)|sem (?:mencionar|citar|nomear|incluir)) {_NAMED}{_CLAUSE_ENDS}",
        rf"\b(?:noem|vermeld) {_NAMED} niet\b|\bzonder {_NAMED} te (?:noemen|vermelden)\b|\blaat {_NAMED} weg\b",
        rf"\b(?:не (?:упоминай\w*|называй\w*|указывай\w*)|без упоминания) {_NAMED}{_CLAUSE_ENDS}",
        rf"\b(?:nie (?:wspominaj\w*(?: o)?|wymieniaj\w*|podawaj\w*)|bez wspominania o) {_NAMED}{_CLAUSE_ENDS}",
        rf"\b(?:nämn inte|utan att nämna) {_NAMED}{_CLAUSE_ENDS}",
        r"([^\s、。「」]{1,20})(?:には?触れ(?:ず|ないで)|に言及しないで|を書かないで)",
        r"(?:不要|别|別)(?:提到|提及|提|说出)([^\s，。、！？]{1,20})",
    )
)
_A_WORD = (
    r"(?:(?:the|das|le|la|het)\s+(?:word|wort|mot|palabra|parola|palavra|woord)\s+(?P<word>[^\W_][\w'’-]{0,40})"
    rf"|(?P<plain>[^\W\d_][\w'’-]{{0,40}})){_CLAUSE_ENDS}"
)
STARTS_PLAINLY = re.compile(
    r"(?i)\b(?:(?:start|begin)(?: (?:your|the) \w+)? with|(?:beginn?e?|starte)(?: (?:deine|die) \w+)? mit"
    r"|commence(?:z)?(?: \w+ \w+)? par"
    rf"|(?:empieza|comienza)(?: \w+ \w+)? con|(?:inizia|comincia)(?: \w+ \w+)? con)\s+{_A_WORD}"
)
ENDS_PLAINLY = re.compile(
    r"(?i)\b(?:(?:end|finish|close)(?: (?:your|the) \w+)? with|(?:be)?(?:ende|schließe)(?: (?:deine|die) \w+)? mit"
    rf"|(?:termine|finis)(?:z)?(?: \w+ \w+)? par|(?:termina|acaba)(?: \w+ \w+)? con)\s+{_A_WORD}"
)
ENDS_WITH_MARK = re.compile(
    r"(?i)\b(?:end|finish|close)(?: (?:your|the) \w+)? (?:with|in) an? (?:(?P<asks>question mark)|exclamation (?:mark|point))"
)
_NAMES_WORD = (
    r"(?:any |the |people['’]s |personal |proper |jegliche |keine |les |los |i |os |de )?(?:real |actual )?"
    r"(?:names?|namen|noms?|nombres?|nomi|nomes?|имён|имен|imion|namn|navne?)"
)
#: No names in the answer.
NO_NAMES = re.compile(
    rf"(?i)\b(?:(?:do not|don['’]t|never|avoid|without|not)(?: (?:us(?:e|ing)|mention(?:ing)?|giv(?:e|ing)|nam(?:e|ing)"
    rf"|writ(?:e|ing)|includ(?:e|ing)|reveal(?:ing)?|say(?:ing)?))? {_NAMES_WORD}|no {_NAMES_WORD}|leave out {_NAMES_WORD}"
    rf"|(?:ohne|keine|nenne? keine|verwende keine) {_NAMES_WORD}|(?:sans|pas de|sans (?:citer|donner|mentionner)(?: de)?)"
    rf" {_NAMES_WORD}|(?:sin|no uses|no des|no menciones|sin (?:dar|usar|mencionar)) {_NAMES_WORD}"
    rf"|(?:senza|senza (?:fare|usare|dire)|non fare|non usare) {_NAMES_WORD}|(?:sem|não use|sem (?:usar|citar|dizer))"
    rf" {_NAMES_WORD}|(?:zonder|geen|gebruik geen|noem geen) {_NAMES_WORD}|(?:без|не называй) {_NAMES_WORD}"
    rf"|(?:bez) {_NAMES_WORD}|(?:utan|inga) {_NAMES_WORD})(?: (?:zu nennen|nennen|te noemen|please|bitte))?"
    r"(?=\s*(?:$|[.,;:!?)\n]))"
)
COMMAS = re.compile(
    r"(?i)\b(?:comma[- ]separated|separated by commas|durch kommas? getrennt|kommagetrennt|séparée?s? par des virgules"
    r"|separad[oa]s? por comas|separat[iea] da virgole|separad[oa]s? por vírgulas|через запятую)\b"
)
IN_QUOTES = re.compile(
    r"(?i)\b(?:in|within|between|inside) (?:double |single )?(?:quotes|quotation marks|inverted commas)\b"
    r"|\bin anführungszeichen\b|\bentre (?:guillemets|comillas|aspas)\b|\btra virgolette\b"
    r"|\btussen aanhalingstekens\b|\bв кавычках\b|\bw cudzysłowie\b"
)
