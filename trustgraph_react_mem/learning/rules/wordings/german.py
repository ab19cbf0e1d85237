"""German."""

from .wording import Wording

GERMAN = Wording(
    lead=(
        r"bitte|hey|hi|hallo|ok|okay|gut|also|und|aber|so|ach|übrigens|noch etwas|hör mal|merk dir"
        r"|denk (?:bitte )?daran|dann|ja|nein|danke|doch"
    ),
    ask=r"(?:kannst|könntest|würdest|willst|magst) du(?: bitte| mir)*|(?:können|könnten|würden) sie(?: bitte| mir)*",
    want=(
        r"(?:ich (?:bitte|würde) (?:dich|sie)(?: darum)?(?: bitten)?|sei (?:bitte )?so (?:gut|nett|lieb) und"
        r"|es wäre (?:schön|gut|nett|toll),? wenn"
        r" (?:du|sie)),?|ich (?:möchte|will|wünsche mir|hätte gerne?|würde mir wünschen|bitte dich|erwarte),? dass (?:du"
        r"|sie)|(?:du"
        r"|sie) (?:sollst|solltest|musst|darfst|sollen|sollten|müssen|dürfen)"
    ),
    verb=(
        r"antworte|antworten|beantworte|beantworten|schreib|schreibe|schreiben|sprich|sprecht|sprechen|rede|reden|red"
        r"|nenn|nenne|nennen|ruf|rufe|rufen|verwende|verwenden|benutz|benutze|benutzen|nutze|nutzen|nutz|gib|geben"
        r"|halt|halte|halten|erklär|erkläre|erklären|zeig|zeige|zeigen|füg|füge|fügen|erwähn|erwähne|erwähnen|frag"
        r"|frage|fragen|stell|stelle|stellen|sag|sage|sagen|schlag|schlage|schlagen|empfiehl|empfehlen|rechne|rechnen"
        r"|fass|fasse|fassen|mach|mache|machen|lass|lasse|lassen|vermeide|vermeiden|duz|duze|duzen|siez|sieze|siezen"
        r"|weck|wecke|wecken|stör|störe|stören|erinner|erinnere|erinnern|bestätige|bestätigen|bleib|bleibe|bleiben|sei"
        r"|seien|kürz|kürze|kürzen|übersetze|übersetzen|formulier|formuliere|formulieren|nimm|nehmen|beginn|beginne"
        r"|beginnen|begrü(?:ß|ss)|begrü(?:ß|ss)e|begrü(?:ß|ss)en|buch|buche|buchen|plan|plane|planen|kontaktiere"
        r"|kontaktieren|melde|meld"
        r"|melden|zitier|zitiere|zitieren|liste|listen|runde|runden|sprich mich|rede mich|wechsle|wechseln"
        r"|entschuldige|wiederhole|wiederholen|prüfe|prüfen"
        r"|fang|fange|anfangen|starte|starten|beend|beende|beenden|schlie(?:ß|ss)|schlie(?:ß|ss)e|schlie(?:ß|ss)en"
        r"|abschlie(?:ß|ss)en|eröffne|"
        r"eröffnen|unterschreib|unterschreibe"
    ),
    tail=(
        r"(?:\w*antworten|\w*schreiben|\w*sprechen|\w*reden|anrufen|\w*nennen|verwenden|benutzen|nutzen|\w*geben"
        r"|\w*halten|erklären|zeigen|\w*fügen|erwähnen|fragen|stellen|vorschlagen|empfehlen|machen|vermeiden|duzen"
        r"|siezen|wecken|stören|erinnern|formulieren|buchen|planen|kontaktieren|weglassen|angeben|fassen|verzichten"
        r"|lassen|beginnen|duzen|stören|nehmen|zitieren|prüfen|bestätigen|\w*antwortest|\w*schreibst|\w*sprichst"
        r"|redest|nennst|anrufst|verwendest|benutzt|\w*gibst|\w*hältst|erwähnst|fragst|stellst|machst|duzt|siezt"
        r"|weckst|störst|empfiehlst|vorschlägst)"
    ),
    early=(
        r"immer|stets|grundsätzlich|nie|niemals|nie wieder|nie mehr|nur noch|ausschlie(?:ß|ss)lich|immer nur|nur|generell"
        r"|jedes mal"
    ),
    phrase=(
        r"von (?:jetzt|nun|heute) an|ab (?:jetzt|sofort|heute|nun)|in zukunft|künftig|zukünftig|fortan|standardmä(?:ß|ss)ig"
        r"|bis auf weiteres|jedes mal|grundsätzlich|für die zukunft|(?:in|bei|mit|auf) (?:all|jeder?|allen"
        r"|alle)\w*(?: deinen| deine| meine| meinen)?(?: künftigen)? (?:antwort(?:en)?|nachrichten?|fragen?"
        r"|gespräche?n?)"
    ),
    whenever=r"jedes mal,? wenn|jedesmal,? wenn|immer wenn|wann immer|sooft",
    when=r"wenn|falls|sobald",
    never=r"(?:\w+ ){1,4}(?:nicht|keine?n?|kein)\b|nie|niemals|keine?n?",
    stop=(
        r"hör(?:e|en sie)?(?: bitte| endlich)? auf(?:,| damit)?.{0,60}\bzu|schluss mit|keine?n?(?: \w+){1,3} mehr"
        r"|lass(?:en sie)?(?: bitte)? (?:die|das|den|deine) \w+(?: \w+)? (?:weg|sein)"
        r"|verzichte(?:n sie)?(?: bitte)? auf"
    ),
    name=(
        r"(?:nenne?|nennen sie|ruf) mich(?: bitte| einfach| doch| ab jetzt| künftig| lieber)*|(?:du kannst"
        r"|sie können) mich(?: gerne| einfach)*|sprich mich(?: bitte)?(?: mit| als)"
    ),
    once=(
        r"dieses mal|diesmal|ausnahmsweise|nur (?:dieses|jetzt|heute|einmal)|heute\b(?! an)|(?<!guten )(?<!schönen )morgen"
        r"|gerade|jetzt(?! an)\b(?<!ab jetzt)|für dies\w+|dies(?:e|en|er|es) (?:frage|text|satz|mail|nachricht|absatz|woche"
        r"|mal)|folgende\w*|vorerst|zunächst|einmal$|nächstes mal|(?:ihm|ihr|ihnen|meine[mr]|dem|der|den) (?:chef"
        r"|mutter|vater|freund|freundin|schwester|bruder|kunden|kollegin|kollegen|vermieter)"
    ),
    report=(
        r"sagt|sagte|meint|meinte|schreibt|schrieb|rät|riet|behauptet|behauptete|ruft|rief|lautet|(?<!mit einem )(?:motto"
        r"|sprichwort|spruch)"
        r"|hei(?:ß|ss)t es|zitat|laut"
    ),
    intro=(
        r"(?:neue |meine |noch eine |wichtige )*(?:regel|regeln|anweisung|bitte|wunsch|hinweis|merke"
        r"|merk dir(?: bitte)?|wichtig|übrigens|ab (?:jetzt|sofort)|in zukunft|künftig|von jetzt an|für die zukunft)"
    ),
)
