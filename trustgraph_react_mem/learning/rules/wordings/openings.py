"""What stands before a wish and is no part of it, and requests for a single text, in lower case."""

#: "Oh, and by the way": words between what was said before and a new thought.  Adjectives need a mark after them.
OPENING = (
    r"(?:(?:y|e|et|en|och|og|i|a|и|а|ve) )?(?:(?:great|good|fine|nice|right|sure|lovely|perfect|cool|well|look|listen"
    r"|yes|no|gut|prima|schön|ja|nein|bien|bon|sí"
    r"|va bene|bene|buono|sim|não|bom|goed|nee|да|нет|хорошо|ладно|так|dobrze|dobra|tak|nie|no|a|fint|bra|jo|nej|nei|evet"
    r"|hayır|i mean|en|och|og|et|y|e|и)(?=[,.!;…–—-]|\.\.\.)"
    r"|(?:oh|ah|aha|ach|och|oi|oj|um|h+m+|nah|yeah|yep|ok|okay|oké|okej|okei|alright|all right|cheers|lol|haha?|ugh|phew|super"
    r"|and|also|plus|btw|by the way|incidentally|anyway|on another note|just so you know|for the record"
    r"|while i (?:think of it|remember)|mind you|just to say|right you are|good stuff|fair enough|that's (?:great|fine|better)"
    r"|while (?:i'm|we're) at it|before i (?:go|forget)|(?:one|another)(?: more| other| last| small| quick| final)? thing"
    r"|no worries|thanks?(?: you)?(?: so much| very much| a lot)?|no thanks?(?: you)?|got it"
    r"|ach ja|achso|übrigens|nebenbei(?: gesagt| bemerkt)?|apropos|und|danke(?: schön| dir| sehr)?|nein danke|alles klar"
    r"|noch (?:et)?was|noch eins|eins noch|na ja|bevor ich(?:'s| es) vergesse"
    r"|au fait|d'ailleurs|soit dit en passant|en passant|tiens|sinon|(?:une )?(?:autre |dernière |petite )?chose"
    r"|ah oui|oui|au passage|encore une chose|une chose encore|merci(?: bien| beaucoup)?|non merci|d'accord|parfait"
    r"|por cierto|de paso|a propósito|ya que estamos|oye|che|mira|bueno|bárbaro|genial|dale|vale|perfecto"
    r"|(?:muchas )?gracias|no gracias|(?:una|otra)(?: última)? cosa(?: más)?"
    r"|a proposito|tra l'altro|già che ci (?:sono|siamo)|senti|ascolta|perfetto|grazie(?: mille)?|no grazie"
    r"|(?:un'altra|una) cosa"
    r"|aliás|já agora|por falar nisso|olha|ótimo|(?:muito )?obrigad[oa]|não,? obrigad[oa]|(?:uma|outra) coisa|beleza|fixe"
    r"|o ja|trouwens|overigens|nou|top|dank je(?: wel)?|bedankt|nee,? (?:dank je|bedankt)|nog (?:iets|één ding)"
    r"|(?:één|een) ding"
    r"|кстати|между прочим|слушай(?:те)?|отлично|спасибо(?: большое)?|нет,? спасибо|ещё одно|ещё кое-что|и вот ещё что|ну"
    r"|a propos|przy okazji|nawiasem mówiąc|słuchaj|dzięki|dziękuję|nie,? dziękuję|jeszcze jedno|jedna rzecz"
    r"|förresten|forresten|i øvrigt|for øvrig|tack(?: så mycket)?|takk?(?: skal du have)?|ne[ij],? takk?|nej,? tack"
    r"|en (?:sak|ting)(?: till?| til)?|toppen|bu arada|ayrıca|tamam|teşekkürler|sağ ol|süper|bir şey daha|hayır,? teşekkürler"
    r")(?![\w'’-]))"
)
#: The same in Chinese, Japanese and Korean, where a mark or a space follows.
EAST_ASIAN_OPENING = (
    r"(?:ねえ|あの|あ+|うん|はい|いいえ|すみません(?:が)?|こんにちは|ところで|じゃあ|では|でも|そして|あと|それと|それから|そうだ|そういえば|ちなみに"
    r"|了解|わかった|なるほど|ありがとう(?:ございます)?|お願いだから|もう一つ"
    r"|请问|你好|您好|嗨|哦|嗯|啊|那么?|对了|还有|另外|顺便(?:说一(?:下|句)|提一下)?|好的?|谢谢你?|不用了|明白了?|知道了"
    r"|안녕(?:하세요)?|저기|그런데|근데|그리고|그럼|참|아|네|응|아니요?|제발|부탁인데"
    r"|고마워요?|감사합니다|알겠어요?|그건 그렇고|하나 더)"
    r"[、，,!！。.…\s]+"
)

_NUMBER = r"one|two|three|four|five|six|seven|eight|ten|\d+"
#: Begins a request for one text.  Russian and Polish tell it by the verb.
TASK = (
    r"(?:(?:please|now|can you|could you|would you|will you|help me|i need you to|bitte|kannst du|könntest du|tu peux|peux-tu"
    r"|puedes|podrías|puoi|podes|pode|kun je|можешь|możesz|kan du|lütfen|mir|me|mi) ){0,3}(?:"
    r"make (?:it|this|that)\b(?! (?:an? )?(?:habit|rule|point))|"
    rf"(?:write|draft|compose|give|make|suggest|list|create|design|plan|find|name|invent|translate|summari[sz]e)(?: me| us)?"
    rf" (?:an?|another|some|a few|the following|this|{_NUMBER})\b(?! (?:heads[- ]up|warning|reminder|nudge|note|habit"
    rf"|point|rule))"
    r"|(?:schreib\w*|verfass\w*|entwirf|gib|nenn\w*|mach\w*|erstell\w*|formulier\w*|übersetz\w*|plane?|such\w*|schlag)"
    r"(?: mir| uns| bitte)* (?:eine?[nmrs]?|ein paar|zwei|drei|vier|fünf|zehn|dies\w+|\d+)\b"
    r"|(?:écri\w+|rédige\w*|donne|fais|propose|trouve|traduis|résume|invente|prépare)(?:-(?:moi|nous))?"
    r" (?:une?|deux|trois|quatre|cinq|dix|quelques|cet?t?e?|\d+)\b"
    r"|(?:escr[ií]b\w+|redact\w+|dame|ha[zc]\w*|prepár\w+|prepar\w+|trad[uú]c\w+|resum\w+|prop\w+|invent\w+)"
    r" (?:una?|unos|dos|tres|cuatro|cinco|diez|est[ea]|\d+)\b"
    r"|(?:scriv\w+|dammi|fammi|prepara\w*|traduc\w+|propon\w+|trova\w*|inventa\w*|riassum\w+)"
    r" (?:un[ao]?|due|tre|quattro|cinque|dieci|quest\w+|\d+)\b|(?:scriv\w+|dammi|fammi) un'"
    r"|(?:escrev\w+|faz|faça|dá|me dá|me faz|prepara|traduz\w*|redige|sugere|sugira)(?:-me)?"
    r" (?:uma?|dois|duas|três|quatro|cinco|dez|est[ea]|\d+)\b"
    r"|(?:schrijf|maak|geef|bedenk|vertaal|noem|stel)(?: me| mij| ons)? (?:een|twee|drie|vier|vijf|tien|deze|dit|\d+)\b"
    r"|(?:напиши|составь|придумай|переведи|сочини|подготовь|набросай)(?:те)?\b"
    r"|(?:napisz|ułóż|wymyśl|przetłumacz|przygotuj|streść|zaproponuj|stwórz)(?:cie)?\b"
    r"|(?:skriv|ge|giv|gi|gör|lav|lag|översätt|oversæt|oversett|föreslå)(?: mig| meg| oss?)? (?:en|ett?|några|två|to"
    r"|tre|fem|\d+)\b"
    r"|[^,]{3,40} (?:mesajı|metni|mektubu|kartı|e-postası|listesi|şiiri|konuşması) (?:yaz|hazırla)\b)"
)
EAST_ASIAN_TASK = (
    r"^.{1,24}(?:カード|手紙|メール|文章|文|詩|挨拶|スピーチ|リスト|案|名前|レシピ|献立|返事)を.{0,6}?(?:書いて|作って|考えて|出して|挙げて)"
    r"|(?:写|拟|起草|编|做|列|想|起|推荐)(?:一|几|两|三|四|五|\d)?(?:张|封|首|篇|段|份|个|句|条)"
    r"|(?:카드|편지|메일|글|시|인사말|축사|목록|이름|문자|레시피)(?:를|을)? ?(?:하나 |한 \S+ |\S+ 개 )?"
    r"(?:써|작성해|만들어|지어|추천해) ?(?:줘|주세요|줄래)"
)

#: Says what to do in place of what was forbidden.
INSTEAD = (
    r"\b(?:instead|rather|lieber|stattdessen|plutôt|à la place|mejor|en cambio|en su lugar|piuttosto|invece|em vez|antes"
    r"|liever|in plaats daarvan|лучше|вместо этого|zamiast tego|lepiej|raczej|hellre|i stället|istället|hellere|i stedet"
    r"|heller|onun yerine)\b|代わりに|その代わり|而是|改用|대신"
)
#: Each one of many, which a request for one text does not name.
EACH = (
    r"whenever|every|each|always|any time|at a time|jede[mnrs]?|immer|jedesmal|chaque|toujours|désormais|cada|siempre"
    r"|sempre|ogni|qualsiasi"
    r"|elke?|ieder?e?|altijd|voortaan|кажд\w+|всегда|впредь|każd\w+|zawsze|varje|alltid|hver|hvert|altid|framöver|hädanefter"
    r"|från och med (?:nu|idag)|i fortsättningen|fra nu af|fra nå av|fremover|heretter|her zaman|hep|bundan (?:sonra|böyle)"
)
