"""How people permit something, say that it holds again, or miss it, in lower case.  ``permissions.py`` uses these patterns."""

import re

#: The assistant may do something, or something is welcome.
PERMITTED = (
    r"\b(?:you(?:'re| are)? (?:can|may|could|(?:free|allowed|welcome) to)\b(?! (?:see|imagine|tell me|guess|hear|buy|leave"
    r"|believe|trust)\b)|may you|feel free(?: to)?|go ahead(?: and)?|by all means"
    r"|will do\b|(?:let's|we can|let us) (?:go |switch |change |get )?back to\b|(?:is|are|be|'s"
    r"|'re)(?: (?!not\b)\w+){0,2}? (?:fine|ok|okay|welcome|allowed|all right|alright"
    r"|no problem|acceptable)\b"
    r"|(?:can|may) be\b|i(?:'m| am)? (?:don't|do not|no longer|wouldn't) mind|i have nothing against"
    r"|(?:don't|doesn't|do not|no longer) bothers? me|(?:whenever|if|as|all|however) you (?:like|want|please))"
    r"|\b(?:(?:du|sie) (?:darfst|kannst|dürfen|können)|(?:darfst|kannst) du|(?:dürfen|können) sie|darf (?:es|man)"
    r"|(?:darf|dürfen|können|kann) (?:jetzt |nun |ruhig |gern |gerne |wieder |auch )+"
    r"|(?:ist|sind|wäre|wären)(?: (?!nicht\b|kein)\w+){0,3}? (?:in ordnung|okay|ok|erlaubt|willkommen|kein problem)"
    r"|mach(?:t|en) mir (?:\w+ )?nichts|stör(?:t|en) mich (?:\w+ )?nicht|nichts (?:mehr )?gegen|von mir aus)\b"
    r"|\b(?:tu peux|vous pouvez|n'hésitez? pas|ne me (?:gên|dérang)\w+|(?:me|ça) (?:va|vont)|(?:peu(?:t"
    r"|vent)) être|bienvenue?s?)\b"
    r"|\b(?:puedes?|pueden ser|puede ser|no me (?:importa|molesta)n?|est[áa]n? bien|me parecen? bien|bienvenid\w+)\b"
    r"|\b(?:puoi|può|possono essere|non mi (?:dispiac|disturb|dà|danno|import)\w*|v(?:a|anno) bene|benvenut\w+)\b"
    r"|\b(?:podes|podem? ser|pode|não me (?:import|incomod)\w+|tudo bem|está bem|à vontade)\b"
    r"|\b(?:je (?:mag|kunt|kan)|(?:mag|kun|kan) je|(?:mag|mogen) (?:\w+ ){0,3}?(?:weer|best|wel|gerust)"
    r"|vind ik (?:\w+ ){0,2}?(?:prima|goed|oké|niet erg)"
    r"|(?:is|zijn) (?:weer )?(?:prima|oké|welkom)|sto(?:or|ort|ren) me niet)\b"
    r"|\b(?:можешь|можете|можно|не против|не (?:мешает|мешают|раздражает|раздражают)|разрешаю)\b"
    r"|\b(?:możesz|można|mogą być|może być|nie przeszkadza\w*|nie mam nic przeciwko|śmiało)\b"
    r"|\b(?:du (?:kan|får|må)|(?:kan|får|må) du|(?:är|er) (?:\w+ ){0,2}?(?:okej?|ok|fint|bra|i orden|helt fint)"
    r"|går bra|stör mig inte|generer mig ikke|\w+[ea]bilirsin(?:iz)?|sorun değil)\b"
    r"|(?:て|で)(?:も)?(?:いい|大丈夫|構わ|かまわ|結構)|でもいい|でいい|可以|没关系|不介意|没问题"
    r"|도 ?(?:돼|되|됩니다|괜찮|좋)"
)
#: The assistant itself is permitted something.
DIRECT = (
    r"\b(?:you(?:'re| are)? (?:can|may|could|free|allowed|welcome)|may you|feel free|go ahead"
    r"|(?:du|sie) (?:darfst|kannst|dürfen|können)|(?:darfst|kannst) du|du (?:kan|får|må)|(?:kan|får|må) du|(?:dürfen"
    r"|können) sie|tu peux|vous pouvez"
    r"|puedes|puoi|podes|pode|je (?:mag|kunt|kan)|(?:mag|kun|kan) je|можешь|можете|możesz)\b|你"
    r"|(?:て|で)も?(?:いい|大丈夫)|도 ?(?:돼|되|괜찮|좋)"
)
#: What was so before is so again, or no longer.
AGAIN = (
    r"\b(?:again|(?<!dial )(?<!cut )(?<!hold )back|any ?more|any longer|no longer)\b"
    r"|\b(?:wieder|nicht mehr|nichts mehr)\b|\b(?:de nouveau|à nouveau|(?:remet|réutilis|repren|recommenc)\w*"
    r"|en ref\w+|reven\w+|revien\w+)\b"
    r"|\b(?:otra vez|de nuevo|volver|vuelve|ya no)\b|\b(?:di nuovo|tornare|torna|ormai)\b"
    r"|\b(?:outra vez|de novo|voltar|volta|já não)\b|\b(?:weer|niet meer)\b|\b(?:снова|опять|вновь|больше не|верн\w+)\b"
    r"|\b(?:znów|znowu|ponownie|już nie|z powrotem|wróc\w+)\b"
    r"|\b(?:igen|tillbaka|tilbage|tilbake|inte längre|ikke længere|ikke lenger|tekrar|yeniden|artık)\b|戻|换回|恢复|改回|また"
    r"|再び|再|又|重新|다시|또"
)
#: The person misses what they forbade, or thinks otherwise now.
MISSED = (
    r"\bi (?:\w+ ){0,3}miss\b|\bchanged my mind\b|\b(?:vermiss\w*|fehl(?:t|en)(?: \w+)? mir|mir fehl(?:t"
    r"|en))\b|\bme manquent?\b"
    r"|\b(?:echo de menos|extraño|añoro)\b|\bmi manca(?:no)?\b|\b(?:saudades?|sinto falta|fazem? falta)\b"
    r"|\b(?:ik mis|mis ik)\b|\b(?:скучаю|не хватает)\b|\b(?:brakuje mi|tęsknię)\b|寂しい|さみしい|恋し"
    r"|怀念|想念|그립|그리워|아쉬"
)
#: Begins what is said about others: "my sister can eat nuts again".
OTHERS = (
    r"mi \w|(?:\w+,? )?(?:my|our|his|her|their|he|she|they|we|mein\w*|unser\w*|er|wir|mon|ma|mes|notre|nos|il"
    r"|elle|ils|elles|nous"
    r"|mis|nuestr\w+|él|ella|il mio|la mia|i miei|le mie|mio|mia|lui|lei|noi|o meu|a minha|meu|minha|ele"
    r"|ela|nós|mijn|ons|onze|hij"
    r"|wij|мо[йяеи]|наш\w*|он|она|они|мы|mój|moja|moje|moi|nasz\w*|on|ona|oni|my) \w"
    r"|(?:我的?|私|僕|俺|うち)(?:妹|姐|哥|弟|儿|女|妈|爸|老|朋|の)|(?:他|她|彼|우리|내) ?"
)
#: Begins a case that an instruction does not hold for.
CASE = (
    r"(?:for|with|in|on|at|about|when|whenever|if|für|bei|mit|in|im|zu|beim|wenn|falls|pour|dans|avec|sur"
    r"|chez|quand|si|para|en|con"
    r"|cuando|per|nei|nelle|negli|nel|nella|quando|se|em|nos|nas|no|na|com|voor|bij|met|als|для|в|во|на"
    r"|при|с|если|когда|dla|w|przy|z"
    r"|jeśli|gdy|kiedy)\b"
)
ONLY = (
    r"(?:only|just|nur|lediglich|bloß|seulement|uniquement|juste|sólo|solo|solamente|únicamente|soltanto"
    r"|solamente|só|somente|apenas"
    r"|alleen|slechts|enkel|только|лишь|tylko|jedynie)\b"
)
EXCEPTION = (
    r"(?:(?:an?|one|eine?|kleine|une?|petite|una|un|uma|een|kleine|pequeña|piccola|pequena|małe?|mały"
    r"|jeden|одно|небольшое|маленькое"
    r"|small|little|tiny|minor|only|the|mit einer|with one|single|sole|possible|einzige|seule|única|unica"
    r"|jedyny|единственное"
    r"|maar|aber|but|mais|pero|ma|mas|но|ale) )*(?:exceptions?|ausnahmen?|excepci[oó]n|eccezione|exceção"
    r"|uitzondering|исключение"
    r"|wyjątek|wyjątkiem)\b|(?:ただ)?(?:し)?、?例外|但?有?一?个?例外|예외"
)
#: Begins a sentence that only excepts something from the instruction before it.
EXCEPTS = (
    r"(?i)^(?:(?:but|and|well|aber|mais|pero|ma|mas|maar|ale|но) )?(?:except|apart from|außer|ausgenommen"
    r"|sauf|excepté|excepto"
    r"|salvo|tranne|eccetto|exceto|behalve|oprócz|z wyjątkiem|кроме|за исключением|utom|förutom|med undantag|undtagen"
    r"|bortset fra|unntatt|bortsett fra"
    r"|menos (?:en|cuando|si|para|em|quando|se|nos|nas|na|no)\b)\b"
    # Without what holds otherwise, which would be a rule of its own.
    r"|^(?:(?:but|aber|mais|pero|ma|mas|maar|ale|но) )?(?:unless|es sei denn|à moins (?:que|d'|de)|a no ser que"
    r"|a menos que|a meno che"
    r"|a não ser que|tenzij|chyba że|если только не|om inte|medmindre|med mindre)\b[^,]*(?:, (?:of course|obviously"
    r"|natürlich|bien sûr|claro|ovviamente|natuurlijk|конечно|oczywiście|förstås))?[.!]*$"
    r"|^(?:除了|除非)"
)
#: Points to what was said before, as an exception from it: "they're fine there, though".
REFERS = (
    r"\b(?:they|it|that|those|them)(?:'re|'s)?\b.*\b(?:though|however|ok|okay|fine|all right)\b"
    r"|\b(?:da|dort|dabei) (?:darfst|kannst|ist|sind)\b|\blà,? (?:tu peux|c'est|ça)|\b(?:ahí|entonces) sí\b"
    r"|\blì (?:puoi|va|sì)\b"
    r"|\baí (?:podes?|pode|sim)\b|\bdaar (?:mag|kan)\b|\bтам можно\b|\btam możesz\b"
)
#: What a rule puts aside begins here: "use grams, not ounces".
REJECTED = (
    r"\b(?:not|instead of|rather than|and no|nicht|statt|anstatt|und kein\w*|pas|plutôt que|au lieu d\w*|y no"
    r"|en vez de|en lugar de"
    r"|non|invece d\w+|em vez d\w+|e não|niet|in plaats van|вместо|а не|zamiast|a nie|inte|i stället för|ikke|i stedet for)\b"
    r"|ではなく|じゃなくて|不要|而不是|말고|대신"
)
EAST_ASIAN_CASE = (
    r"^.{1,20}(?:のとき|の時|の場合|に関して|については|には|では|だけ)|^(?:只有?|仅|对于?|在).{1,20}"
    r"|^.{1,16}(?:때|경우|에는|에서는|만)"
)
#: Times at the beginning, which are cases too: "after eight, only short answers".
TIME = (
    r"(?:after|before|during|due to|until|from|nach (?:acht|\d)|vor|während|après|avant|pendant|después|antes|durante|dopo"
    r"|prima|depois|na|tijdens|после|до|во время|po|przed|podczas)\b"
)
#: Stems of verbs that say little about what is permitted.
WEAK = (
    r"tell|ask|show|talk|call|send|sag|erzahl|erzähl|zeig|frag|dis|dire|racont|dim|cuent|decir|raccont"
    r"|diz|cont|vertel|zeg|lat"
    r"|рассказ|скаж|powiedz|opowiad|lik|want|pleas|mehr|imm$|ruhig$|alway|siempr|toujour|sempr|altijd"
    r"|всегд|zawsz|explain|everyth|erklar|erklär|alles|expliqu|explic"
    r"|spieg|tout|todo|tutto|tudo|uitleg|объясн|wyjaśn|bitt|suggest|recommend|mention|propos|schlag|vorschl"
    r"|erwahn|erwähn|empfehl|menc|suger|предлож|рекоменд|упомин|wspomin|proponu|polec"
)
#: "Without", "no": what is permitted is to leave something out.
WITHOUT = (
    r"\b(?:without|not|no|don't|never|niemals|jamais|nunca|mai|nooit|никогда|nigdy|stop|skip|drop"
    r"|leave out|ohne|nicht|keine?n?|sans|pas|sin|no|senza|non|sem|não"
    r"|zonder|niet|geen|без|не|bez|nie)\b"
    r"|なし|ない|不|없|안 "
)
#: Short and long answers, beside the words in ``subjects``.
BRIEF = (
    r"(?:ein\w*|zwei|une?|deux|una|dos|due|uma?|duas|één|een|twee|одн\w+|двум\w*|jedn\w+|dw\w+)(?: \w+)?"
    r" (?:s[aä]tz\w*|zeilen?|phrases?|lignes?|frases?|líneas?|frasi|rig[ah]e?|linhas?|zin(?:nen)?|regels?"
    r"|предложени\w+|строк\w*"
    r"|zdani\w+|wiersz\w*)"
    r"|short\w*|brief\w*|concis\w*|succinct|terse|(?:a |one |single |two |three |couple of |few "
    r"|five )+(?:sentences?|lines?|words|paragraphs?)"
    r"|kurz\w*|knapp\w*|kürzer\w*|(?:ein\w*|zwei|drei) sätz\w*|court\w*|bref|brève\w*|brièvement"
    r"|une (?:seule )?phrase|cort[aeio]s?"
    r"|brev\w*|una (?:sola )?frase|conciso|curt[ao]s?|kort\w*|beknopt|коротк\w*|кратк\w*|короче|krótk\w*|krócej|zwięźle"
    r"|短|簡潔|手短|一言|一文|简短|简洁|짧|간단|간결"
)
LENGTHY = (
    r"long\w*|length\w*|detail\w*|elaborat\w*|more (?:than|words|sentences)|(?:all the|more) space"
    r"|lang\w*|läng\w*|ausführlich\w*"
    r"|ausholen|détail\w*|développ\w*|étend\w*|larg[ao]s?|extend\w*|extens[ao]s?|detall\w*|lung\w*|dettagl\w*|dilung\w*"
    r"|detalh\w*|alarg\w*|uitgebreid\w*|uitweid\w*|длинн\w*|подробн\w*|dług\w*|dłuż\w*|szczegół\w*"
    r"|長|詳し|长|详细|详尽|길게|길어|자세"
)
#: Values of which one at a time is wanted.
KINDS: dict[str, dict[str, str]] = {
    "currency": {
        "pounds": r"pounds?|sterling|£|gbp|pfund|livres?|libras?|sterline|ponden|pond|фунт\w*|funt\w*|ポンド|英镑",
        "dollars": r"dollars?|\$|usd|d[óo]lare?s?|dollari|d[óo]lar\w*|доллар\w*|dolar\w*|ドル|美元|달러",
        "euros": r"euros?|€|eur|euro'?s?|евро|ユーロ|欧元|유로",
        "yen": r"yen|円|日元|엔화",
        "francs": r"francs?|chf|franken|franchi",
        "roubles": r"rubles?|roubles?|рубл\w+",
        "zlotys": r"zlotys?|złot\w+",
        "rupees": r"rupees?",
        "crowns": r"crowns?|kronor|kroner",
        "pesos": r"pesos?",
        "yuan": r"yuan|юан\w*|人民币",
        "won": r"won|원화",
        "reais": r"reais",
        "hryvnia": r"гривн\w*",
        "lira": r"liras?ı?",
    },
    "distance": {
        "miles": r"miles?|meilen?|milles?|millas?|miglia|miglio|milhas?|mijl(?:en)?|мил(?:и|я|ях|ям|ями|ей)|mil(?:ach"
        r"|ami|e)|mil"
        r"|マイル|英里|마일",
        "kilometres": r"kilomet\w+|km|kilómet\w+|quilómet\w+|quilômet\w+|kilomèt\w+|chilomet\w+|километр\w*"
        r"|キロメートル|キロ|公里|千米"
        r"|킬로미터",
    },
    "weight": {
        "pounds": r"(?:weigh\w+|gewicht\w*|poids|pesos?|pesi|вес\w*|wag\w+)\b.{0,40}\b(?:pounds?|lbs?|pfund|livres?"
        r"|libras?|libbre"
        r"|фунт\w*|funt\w*)|lbs?",
        "kilos": r"kilos?|kilogram\w*|kg|kilogrammes?|chili|quilos?|кило\w{0,7}|キログラム|公斤|千克|킬로그램",
        "stones": r"stones?",
    },
    "temperature": {
        "celsius": r"celsius\w*|centigrade|цельси\w*|celsjusz\w*|摂氏|摄氏|섭씨",
        "fahrenheit": r"fahrenheit\w*|фаренгейт\w*|華氏|华氏|화씨",
    },
    "clock": {
        "24": r"24[- ]?(?:hours?|h|stunden|heures|horas|ore|uurs?|часов\w*|godzin\w*|timmars?|timers?|saat\w*)(?:[- ]?\w+)?"
        r"|24時間|24小时|24시간",
        "12": r"12[- ]?(?:hours?|stunden|heures|horas|ore|uurs?|часов\w*|godzin\w*)(?:[- ]?\w+)?|a\.?m\.?(?:/| (?:and"
        r"|or|&) )p\.?m\.?"
        r"|12時間|12小时|12시간",
    },
    "address": {
        "familiar": r"dutzen|duzen|duzt?|du|tutoi\w+|tutoy\w+|tute\w+|(?:de|el) (?:tú|vos)|(?:del|il) tu|na ty|per ty"
        r"|на ты|タメ口|반말",
        "formal": r"siezen|siezt?|vouvo\w+|(?:de |el )?usted|(?:del|il) lei|na pani?|per pani?|на вы|敬語|敬语|존댓말",
    },
    "programming": {
        "go": r"golang|(?<=in )go",
        **{
            name: re.escape(name)
            for name in (
                *("python", "rust", "java", "javascript", "typescript", "ruby", "kotlin", "swift", "c++", "c#", "php", "perl"),
                *("haskell", "scala", "bash", "julia", "elixir", "zig", "lua"),
            )
        },
    },
    "format": {
        "tables": r"tables?|tabell\w*|tableaux?|tabl\w*",
        "lists": r"lists?|bullet\w*|liste\w*",
        **{name: name for name in ("pdf", "markdown", "html", "prose", "plain text", "json", "yaml", "word", "latex", "csv")},
    },
}
