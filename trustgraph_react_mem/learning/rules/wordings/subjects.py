"""What instructions are about, in all languages."""

from collections.abc import Mapping

#: Names of languages by ISO 639-1 code, for "answer in ...".
LANGUAGE_NAMES = {
    "en": r"engelska?|ingilizce|english|englisch|anglais|inglés|ingles|inglese|inglês|engels|английск\w*|по-английски"
    r"|angielsk\w*",
    "de": r"tyska?|almanca|german|deutsch|allemand|alemán|aleman|tedesco|alemão|duits|немецк\w*|по-немецки|niemieck\w*",
    "fr": r"franska?|fransızca|french|französisch|français|francais|francés|frances|francese|francês|frans"
    r"|французск\w*|по-французски|francusk\w*",
    "es": r"spanska?|ispanyolca|spanish|spanisch|espagnol|español|espanol|castellano|spagnolo|espanhol|spaans"
    r"|испанск\w*|по-испански|hiszpańsk\w*",
    "it": r"italienska?|italyanca|italian|italienisch|italien|italiano|italiaans|итальянск\w*|по-итальянски|włosk\w*",
    "pt": (
        r"portuguese|portugiesisch|portugais|portugués|portugues|portoghese|português|portugees|португальск\w*"
        r"|по-португальски|portugalsk\w*"
    ),
    "nl": (
        r"dutch|niederländisch|holländisch|néerlandais|neerlandés|holandés|olandese|holandês|nederlands|голландск\w*"
        r"|нидерландск\w*|niderlandzk\w*|holendersk\w*"
    ),
    "pl": r"polish|polnisch|polonais|polaco|polacco|polonês|pools|польск\w*|по-польски|polsku|polskim",
    "ru": r"russian|russisch|russe|ruso|russo|русск\w*|по-русски|rosyjsk\w*",
    "uk": r"ukrainian|ukrainisch|ukrainien|ucraniano|ucraino|oekraïens|украинск\w*|по-украински|ukraińsk\w*",
    "tr": r"turkiska?|tyrkisk|türkçe|turkish|türkisch|turc|turco|turks|турецк\w*|по-турецки|tureck\w*",
    "ar": r"arabic|arabisch|arabe|árabe|arabo|арабск\w*|по-арабски|arabsk\w*",
    "zh": r"chinese|mandarin|chinesisch|chinois|chino|cinese|chinês|chinees|китайск\w*|по-китайски|chińsk\w*",
    "ja": r"japanese|japanisch|japonais|japonés|giapponese|japonês|japans|японск\w*|по-японски|japońsk\w*",
    "ko": r"korean|koreanisch|coréen|coreano|koreaans|корейск\w*|по-корейски|koreańsk\w*",
    "sv": r"svenska?|isveççe|swedish|schwedisch|suédois|sueco|svedese|zweeds",
    "da": r"danska?|danca|danish|dänisch|danois|danés|danese|dinamarquês|deens",
    "no": r"norska?|norveççe|norwegian|norwegisch|norvégien|noruego|norvegese|norueguês|noors",
    "fi": r"finnish|finnisch|finnois|finlandés|finlandese|finlandês|fins",
    "el": r"greek|griechisch|grec|griego|greco|grego|grieks",
    "cs": r"czech|tschechisch|tchèque|checo|ceco|tsjechisch",
    "cy": r"welsh|walisisch|gallois|galés|gallese|galês",
    "ca": r"catalan|katalanisch|catalán|catalano|catalão|catalaans",
    "la": r"latin|latein|latín|latino|latim|latijn",
    "hi": r"hindi",
}

#: Stems of verbs of answering: with the name of a language they make an instruction about the language.
ANSWERING = (
    r"answer|repl|respon|writ|speak|talk|communicat|antwort|antwoord|schreib|sprech|sprich(?!w)|red|répon|repon|écri"
    r"|ecri|parl|h[aá]bl|cont[eé]st|resp[oó]nd|escr[ií]b|rispon|scriv|fal|escrev|praat|prat|spre|schrijf|schrijv"
    r"|switch|stick|continue|отвеча|пиш|писа|говор|обща|разговар|язык|odpowiada|pisz|pisa|mów|rozmawia"
)


def _of_each_answer(table: Mapping[str, str]) -> str:
    """Where every answer begins or ends: the verb, then the answers; or the answers, each or all of them, then the verb.

    ``table``: what answers are called -> the stems of the verbs in this language, without "start giving" and the like.
    """
    return "|".join(
        rf"(?:{verbs}) (?:(?!{_PREPOSITION})\S+ ){{0,4}}?(?:{answers})"
        rf"|{_EACH} (?:\S+ ){{0,2}}?(?:{answers}) (?:\S+ ){{0,8}}?(?:{verbs})"
        for answers, verbs in table.items()
    )


_EACH = (
    r"(?:every|each|all|your|jede[rsn]?|alle[rn]?|deine[rn]?|chaque|toutes|tes|vos|cada|todas|tus|ogni|tutte|tue|suas|elk"
    r"|ieder|je"
    r"|кажд\w+|все|твои|każd\w+|wszystkie|twoje)"
)
_PREPOSITION = r"(?:in|on|with|for|to|mit|bei|auf|dans|con|com|met|op|в|na|w)\b"
_ANSWERS = {
    "en": r"answers?|repl(?:y|ies)|responses?|messages?",
    "de": r"antwort(?:en)?|nachricht(?:en)?",
    "fr": r"réponses?",
    "es": r"respuestas?",
    "it": r"rispost[ae]",
    "pt": r"respostas?",
    "nl": r"antwoord(?:en)?",
    "ru": r"ответ\w*",
    "pl": r"odpowied\w*",
}
_OPENING = {
    "en": r"(?:begin|start|open)(?:n?ing|s)?(?! \w+ing\b)|prefac(?:e|ing)|prefix",
    "de": r"(?:beginn|start|eröffn|einleit|anfang|anfäng)\w*(?! damit\b)|fang\w*(?! (?:jetzt |bitte )?an\b)|leite?",
    "fr": r"(?:commenc|début|ouvr|entam)\w*(?! (?:à\b|d'))",
    "es": r"(?:empi[ec]|empez|comien|comenz|inici)\w*(?! a\b)|abr(?:e|a|as|ir)",
    "it": r"(?:inizi|cominci)\w*(?! a\b)|apr(?:i|a|ire)",
    "pt": r"(?:comec|começ|inici)\w*(?! a\b)|abr(?:e|a|as|ir)",
    "nl": r"(?:begin|start|open)\w*(?! met\b)",
    "ru": r"(?:начин|начн|начат|открыва)\w*(?! \w+ть\b)",
    "pl": r"(?:zaczyn|zaczn|rozpoczyn|rozpoczn)\w*(?! \w+ć\b)",
}
_CLOSING = {
    "en": r"(?:end|finish|clos|conclud)(?:e|es|ing|s)?(?! \w+ing\b)|sign(?:ing)?(?: off)?",
    "de": r"(?:beend|schliess|abschliess|abzuschliess|end|unterschreib|unterzeichn)\w*",
    "fr": r"(?:termin|fini|conclu|clôtur|sign)\w*(?! de\b)",
    "es": r"(?:termin|finali|acab|cierr|cerr|conclu|firm)\w*(?! de\b)",
    "it": r"(?:finisc|finir|termin|conclud|chiud|firm)\w*(?! di\b)",
    "pt": r"(?:termin|finali|acab|encerr|conclu|fech|assin)\w*(?! de\b)",
    "nl": r"(?:eindig|beëindig|sluit|afsluit|besluit|onderteken)\w*",
    "ru": r"(?:заканч|законч|заверш|подписыва)\w*(?! \w+ть\b)",
    "pl": r"(?:kończ|zakończ|zakańcz|podpis)\w*(?! \w+ć\b)",
}

#: Subjects that allow one instruction at a time: a newer one replaces the former.
#: What is put at the top or at the end of answers has no subject: several such things can hold.
SUBJECTS = {
    "opening": _of_each_answer({_ANSWERS[code]: verbs for code, verbs in _OPENING.items()}),
    "closing": _of_each_answer({_ANSWERS[code]: verbs for code, verbs in _CLOSING.items()}),
    "length": (
        r"short|brief|concise|succinct|terse|detailed|long(?:er)?|shorter|as long as you|at length"
        r"|(?:\d+|(?:under|below|most|than|unter|höchstens|als|de|máximo|di|onder|dan|до|более|niż|do) \S+) (?:words|wörtern?"
        r"|mots|palabras|parole|palavras|woorden|слов\w*|słów|słow\w+)"
        r"|longues?|larg[ao]s?|lungh?[aeio]|long[ao]s?|lange?[rns]?|länger\w*|длинн\w*|длиннее|dług\w*|dłuż\w*"
        r"|sentences?|kurz\w*|knapp\w*|ausführlich\w*|court\w*|bref"
        r"|brèves?|concis\w*|détaillé\w*|brev\w*|cort\w*|detallad\w*|dettagliat\w*|curt\w*|detalhad\w*|beknopt\w*"
        r"|bondig|uitgebreid\w*|kort|korte|kortere|(?:one|two|three|a single) sentences?|(?:una|dos|tres)(?: sola)? frases?"
        r"|(?:ein|zwei|einem|einen|drei) s[aä]tz\w*|(?:une|deux)(?: seule)? phrases?|una(?: sola)? frase|краткий|кратк\w*"
        r"|коротк\w*|короче|лаконичн\w*"
        r"|подробн\w*|(?:одн\w+|двумя) предложени\w+|krótk\w*|krócej|zwięź?z?l\w*|zwięzł\w*|szczegółow\w*|jedn\w+ zdani\w+"
    ),
    "units": r"metric|imperial|metrisch\w*|imperial\w*|métriques?|métric\w*|metrich?\w*|celsius|fahrenheit|метрическ\w*"
    r"|цельси\w*|фаренгейт\w*|metryczn\w*|celsjusz\w*",
    "formality": (
        r"mit (?:sie|du) an|"
        r"formal\w*|informal\w*|casual|duze?n?|sieze?n?|förmlich|formell|tutoie|tutoyez|tutoyer|vouvoie|vouvoyez"
        r"|vouvoyer|tutéame|tuteame|usted|de (?:tú|vos)|del tu|del lei|tutoyeer|на «?(?:ты|вы)»?|na ty|per ty|per pani?"
        r"|formaln\w*"
        r"|формальн\w*"
    ),
}

#: Subjects with a value of their own, such as a name: what is forbidden says nothing about other values.
OPEN_SUBJECTS = ("opening", "closing", "language", "name")

#: The same in Chinese, Japanese and Korean, where no space need follow a word.
EAST_ASIAN_SUBJECTS = {
    "opening": (
        r"(?:回答|返答|返事|答え|返信).{1,40}(?:始め|はじめ)|(?:回答|回复|回覆|答案).{0,40}(?:开头|開頭|开始|開始)$"
        r"|(?:답변|대답|답장|답).{1,40}시작"
    ),
    "closing": (
        r"(?:回答|返答|返事|答え|返信).{1,40}(?:終え|終わ|締め|結ん)|(?:回答|回复|回覆|答案).{0,40}(?:结尾|結尾|结束|結束)$"
        r"|(?:답변|대답|답장|답).{1,40}(?:끝내|끝맺|마무리|마치)"
    ),
    "language": (
        r"英語|英语|英文|영어|ドイツ語|德语|德文|독일어|フランス語|法语|法文|프랑스어|불어|スペイン語|西班牙语|스페인어"
        r"|イタリア語|意大利语|이탈리아어|ポルトガル語|葡萄牙语|포르투갈어|オランダ語|荷兰语|네덜란드어|ポーランド語|波兰语"
        r"|폴란드어"
        r"|ロシア語|俄语|俄文|러시아어|ウクライナ語|乌克兰语|우크라이나어|トルコ語|土耳其语|터키어|アラビア語|阿拉伯语"
        r"|아랍어|中国語|中文|汉语|普通话|중국어|日本語|日语|日文|일본어|韓国語|韩语|韩文|한국어|한국말"
    ),
    "length": (
        r"短く|簡潔|手短|長く|長め|詳しく|一文|一言|文字以[内下]|字以[内下]|长一?[点些]|자 ?이내"
        r"|简短|简洁|简单|精炼|详细|一句话|太长|짧게|간단|간결|자세|길게|한 ?문장"
    ),
    "units": r"メートル法|ヤード|摂氏|華氏|公制|米制|英制|摄氏|华氏|미터법|섭씨|화씨",
    "formality": r"敬語|タメ口|敬语|正式|口语|존댓말|반말|말 ?놓|말 편하게",
}

#: Stems of words that say nothing about which instruction is meant.
GENERIC = (
    rf"{ANSWERING}|us[aeio]?[rs]?$|using|give|keep|make|say|put|includ|verwend|benutz|nutz|mach|geb|halt|utili[sz]|hac[eo]"
    rf"|fair|fac[ci]"
    r"|gebruik|использ|употребл|używ|stosow|rul|instruct|thing|alway|never"
)

#: Stems of words of permission and prohibition.
PERMITTING = (
    r"again|back|feel$|free$|start|darf|kann|wied|nie|ab$|gern|peux|pouv|recommenc|nouv|jam|pued|volv|nunc|puo|torn"
    r"|ricominc|nuov|mai$"
    r"|pod|volt|nov|mag$|kunt|weer|nooit|możes|znow|znów|ponown|wróc|nigd|можеш|может|снов|опят|никогд"
)

#: Words of instructions about how answers look, beside those of answering.
FORM_WORDS = (
    r"emoji|emotic|smiley|smajl|смайл|эмодзи|emotikon|絵文字|表情|이모|bullet|aufzähl|viñeta|箇条書き|list|tabl|tabel|markdown|heading"
    r"|exclamation|ausrufe|jargon|slang|rhym|reim|joke|witz|sentence|paragraph|satz|sätze|tone|style|pirate|ton\b|style|answer"
    r"|回答|答え|返事|대답|답변|話して|말해"
)
ABOUT_TOPICS = r"about|über|over|sobre|acerca|sur|про|об?|обо|na temat|mention\w*|erwähn\w*|mencion\w*"

#: Stems of what an assistant writes or suggests.
PRODUCED = (
    r"answer|repl(?:y|ies)|respon[sd]|report|summar|messag|e-?mails?|letter|texts?\b|draft|example|explan|suggest"
    r"|recommend|translat|code\b|lists?\b|feedback|advice|tips?\b|options?|questions?\b|jokes?|sentence|paragraph"
    r"|words?\b|posts?\b|essays?|docs?\b|document|slides?|captions?|date[s]?\b|prices?|units?|antwort|bericht"
    r"|zusammenfass|nachricht|mails?\b|briefe?\b|texte?n?\b|entw[uü]rf|beispiel|erklärung|vorschl[aä]g|empfehl"
    r"|übersetz|liste|rat\b|ratschl|tipps?|frage|witz|sätze?|absätze|wörter|preise?|répons|compte|résumé|messag"
    r"|courriel|lettre|texte|brouillon|exemple|explication|suggestion|recommand|traduc|liste|conseil|question|blague"
    r"|phrase|paragraphe|mots?\b|prix|respuesta|informe|resumen|resúmen|mensaje|corre[oi]|carta|texto|borrador|ejemplo"
    r"|explicaci|sugerenc|recomenda|traducc|lista|consejo|pregunta|chiste|frase|párrafo|palabra|precio|rispost"
    r"|relazion|riassunt|messagg|lettera|testi|bozz|esempi|spiegazion|suggeriment|consigli|traduzion|elenc|domand"
    r"|battut|frasi|paragraf|parole|prezz|resposta|relatório|resumo|mensage|carta|rascunho|exemplo|explicaç|sugest"
    r"|recomendaç|traduç|conselho|pergunta|piada|parágrafo|palavra|preço|antwoord|verslag|rapport|samenvatting|bericht"
    r"|brie[fv]|tekst|voorbeeld|uitleg|suggestie|aanbevel|vertaling|lijst|advies|vraag|grap|zinnen|alinea|woord|prijs"
    r"|prijz|odpowied|raport|podsumowa|wiadomoś|list[yów]*\b|tekst|szkic|przykład|wyjaśni|propozycj|polec|tłumacz"
    r"|rad[y]?\b|pyta|żart|zda[nń]|akapit|słow|słów|cen[ya]?\b|ответ|отч[её]т|резюме|сообщен|письм|текст|черновик"
    r"|пример|объясн|предложен|совет|перевод|спис|вопрос|шут|абзац|слов|цен[уыа]|回答|返事|返信|答え|報告|まとめ|要約|メッセージ|メール|手紙|文章"
    r"|例|説明|提案|翻訳|コード|リスト|助言|アドバイス|質問|冗談|値段|回复|报告|总结|摘要|消息|邮件|信|文字|例子|解释|建议|翻译|代码|清单|问题|笑话|句子|段落|价格|답변|대답|답장|보고서|요약"
    r"|메시지|메일|편지|글|예시|설명|제안|추천|번역|코드|목록|조언|질문|농담|문장|단락|가격"
)
