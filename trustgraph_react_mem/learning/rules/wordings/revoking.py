"""How people withdraw an instruction, as whole clauses in lower case, after words such as "please" and "from now on".

- ``NAMED``: ``what`` is what the instruction is about.  ``ALLOWED``: the same, of a prohibition.
- ``AGAIN``: ``what`` is the language that holds again.
- ``THAT``: points to the newest instruction.  ``USUAL``: the form of answers is as it was at first.  ``ALL``: all instructions.
"""

_MY = r"(?:my|the|that|this|those|these|your)"
_RULES = r"(?:rules?|instructions?|requests?|preferences?|wish(?:es)?|guidelines?)"
_DROP = (
    r"(?:forget|ignore|disregard|scrap|drop|cancel|remove|delete|undo|discard|lift|withdraw|clear|revoke|never ?mind"
    r"|abandon)"
)
_VERGISS = r"(?:vergiss|vergessen sie|ignoriere?|lösche?|streiche?|verwirf|hebe?)(?: bitte)?"
_OUBLIE = r"(?:oublie[rz]?|ignore[rz]?|annule[rz]?|supprime[rz]?|laisse[rz]? tomber)"
_OLVIDA = r"(?:olvida|olvide|olvídate de|ignora|ignore|cancela|cancele|borra|elimina|anula|quita)"
_DIMENTICA = r"(?:dimentica|dimenticati(?: di)?|ignora|annulla|cancella|elimina|lascia perdere)"
_ESQUECE = r"(?:esquece|esqueça|ignora|ignore|cancela|cancele|apaga|apague|anula|anule)"
_VERGEET = r"(?:vergeet|negeer|annuleer|schrap|verwijder|laat)"
_ZABUD = r"(?:забудь(?:те)?|отмени(?:те)?|игнорируй(?:те)?|удали(?:те)?|сними(?:те)?|убери(?:те)?)"
_ZAPOMNIJ = r"(?:zapomnij|ignoruj|anuluj|cofnij|usuń|skasuj|odwołaj)"

NAMED = (
    # English
    r"you (?:don't|do not|dont|needn't)(?: really)?(?: (?:have|need))?(?: to)? (?P<what>.+?),? (?:any ?more|any longer|now"
    r"|after all)",
    r"you (?:no longer|don't|do not)(?: \w+)? (?:have|need) to (?P<what>.+?)(?:,? (?:any ?more|any longer|now|after all))?",
    r"(?:there(?:'s| is) )?no (?:longer (?:a|any) |more )?need(?: for you)? to (?P<what>.+?)(?: any ?more| any longer"
    r"| now)?",
    r"you (?:can|may|could) (?:now |also )?(?:stop|quit|drop) (?:with )?(?P<what>(?:\w+ing|the|my"
    r"|your)\b.*?)(?: again| now)?",
    r"(?:it's|it is) (?:no longer|not) (?:necessary|needed|required|important)(?: for you)? to (?P<what>.+?)(?: any ?more"
    r"| now)?",
    rf"{_DROP}(?: about)? (?:what|everything|anything|all|the things?|that) (?:that )?i(?:'ve| have)? (?:said|told you|asked"
    r"(?: you)?(?: for)?|wanted|wrote|mentioned)(?: \w+)? (?:about|on|regarding|concerning|with|to|for) (?P<what>.+)",
    rf"{_DROP}(?: about)? {_MY} (?:\w+ )?(?:{_RULES}|thing|bit|stuff) (?:about|on|to|of|with|regarding|that|for"
    rf"|where) (?P<what>.+)",
    rf"{_DROP}(?: about)? {_MY} (?P<what>[\w' -]{{2,60}}?) (?:{_RULES}|thing|stuff)",
    rf"{_DROP} about (?!it$|that$|this$)(?P<what>.+)",
    r"(?P<what>.+?) (?:is|are) (?:no longer|not) (?:necessary|needed|required)(?: any ?more)?",
    r"(?P<what>.+?) (?:isn't|aren't) (?:necessary|needed|required)(?: any ?more| any longer| now)?",
    r"(?:you can |you may |feel free to |just |please )*(?:drop|lose|ditch|skip|cut|leave out|leave off|do without)"
    r" (?:the|all the|all those|those|these|your) (?P<what>.+?)(?: now| again| thing| bit| out)?",
    r"you (?:can|may) (?:leave|cut) (?:the|those|these|your) (?P<what>.+?) (?:out|off)(?: now)?",
    r"(?:i'm|i am) (?:over|done with|tired of|sick of) (?:your |(?:the|those) (?=.+ thing$))(?P<what>.+?)(?: thing)?",
    r"(?:the )?(?P<what>[^,]+?) (?:thing|rule|business|stuff) is (?:off|over|done|history|no longer needed)(?: now)?",
    # German
    r"(?:das mit |die sache mit )?(?:den |dem |der |die |das )?(?P<what>.+?) (?:kannst|darfst|können|dürfen) (?:du"
    r"|sie) (?:jetzt |nun"
    r" |ruhig |gern |gerne |wieder |mir )*(?:lassen|weglassen|sein lassen|streichen|dir sparen|sparen)",
    r"auf (?:den |dem |der |die |das |deine )?(?P<what>.+?) (?:kann ich|können wir|kannst du) (?:jetzt |gern |gerne "
    r"|gut )*verzichten",
    r"(?:du|sie) (?:musst|brauchst|müssen|brauchen|sollst|solltest)(?: jetzt| ab jetzt| mir| mich)* (?P<what>.*?)"
    r" ?(?:nicht|nie|keine?n?|kein) (?:mehr|länger)(?: so)?(?: (?P<verb>.+?))?",
    rf"{_VERGISS},? (?:das|die sache|alles|was ich)(?: \w+)? (?:mit|über|von|zu|wegen)(?: den| dem"
    rf"| der)? (?P<what>.+?)(?: gesagt habe)?",
    rf"{_VERGISS} (?:meine|die|diese|deine) (?:regel|anweisung|bitte|vorgabe)(?:en)? (?:mit|über|zu|zum|zur"
    rf"|von) (?P<what>.+?)(?: auf)?",
    r"es ist nicht mehr (?:nötig|notwendig|erforderlich),? (?:dass du )?(?P<what>.+)",
    r"du kannst (?:jetzt )?(?:damit )?aufhören,? (?P<what>.+)",
    r"(?:du|sie) (?:musst|brauchst|müssen|brauchen)(?: jetzt| mir)* keine?n? (?P<what>.+?) mehr(?: zu)?(?: (?P<verb>.+?))?",
    # French
    r"(?:tu|vous) (?:n'|ne )?(?:es|êtes|as|avez|dois|devez|es plus|as plus) (?:plus )?(?:obligée?|besoin|à|forcée?)?(?: ?de"
    r"| ?d'| à)? ?"
    r"(?P<what>.+?)(?: désormais)?",
    r"(?:il )?(?:n'est|ce n'est|c'est) (?:plus|pas) (?:la peine|nécessaire|utile)(?: de| d'| que tu)? ?(?P<what>.+)",
    r"plus (?:besoin|la peine)(?: de| d') ?(?P<what>.+)",
    rf"{_OUBLIE} (?:ce que (?:je t'ai|j'ai|je vous ai) (?:dit|demandé)|ma (?:demande|règle|consigne)|mon instruction|la règle"
    r"|la consigne|l'histoire)(?: sur| à propos de| concernant| pour| de| des| d')+ ?(?:les? |la |l')?(?P<what>.+)",
    r"(?:tu peux|vous pouvez) (?:arrêter|laisser tomber|oublier|te passer)(?: de| d'| avec)? ?(?:les? |la |l'"
    r"|tes )?(?P<what>.+)",
    # Spanish
    r"(?:ya )?no (?:hace falta|es necesario|es preciso|necesito)(?: ya| más)? (?:que )?(?P<what>.+)",
    r"(?:ya )?no (?:tienes|tiene|necesitas|necesita|debes|debe)(?: que)? (?P<what>.+?)(?: más| ya)?",
    rf"{_OLVIDA} (?:lo que (?:te )?(?:dije|pedí|he dicho|he pedido)|lo|mi (?:regla|petición|instrucción)|la (?:regla|norma"
    rf"|instrucción))"
    r" (?:sobre|de|acerca de|con)(?: el| la| los| las)? (?P<what>.+)",
    r"(?:ya )?puedes (?:dejar|olvidar|quitar|ahorrarte)(?: de| con)? (?:l[oa]s? |el )?(?P<what>.+)",
    r"(?:deja|déjate) (?:ya )?(?:de |con )?(?:l[oa]s |tantos? )(?P<what>.+)",
    # Italian
    r"non (?:serve|occorre|c'è bisogno|è (?:più )?necessario|importa)(?: più)?(?: che| di)? (?:tu )?(?P<what>.+)",
    r"non (?:devi|deve|hai)(?: più)?(?: bisogno di)? (?P<what>.+?)(?: più)?",
    rf"{_DIMENTICA} (?:quello che (?:ti )?ho (?:detto|chiesto)|la (?:mia )?(?:regola|richiesta)|ciò che ho detto)"
    r" (?:su|sulle|sugli|sui|sulla|sul|di|delle|degli)(?: le)? (?P<what>.+)",
    r"puoi (?:smettere|smetterla|lasciar perdere|lasciar stare|evitare)(?: di| con)? ?(?:le |i |gli |il |la )?(?P<what>.+)",
    r"(?:smettila|basta) con (?:le|i|gli|il|la|queste|questi) (?P<what>.+)",
    # Portuguese
    r"(?:já )?não (?:precisas?|é preciso|é necessário|tens? (?:de|que)|deves?)(?: mais)?(?: de"
    r"| que)? (?P<what>.+?)(?: mais)?",
    rf"{_ESQUECE} (?:o que (?:eu )?(?:te )?(?:disse|pedi|falei)|a (?:minha )?(?:regra|instrução))(?: sobre| de| dos| das"
    rf"| acerca de)+"
    r"(?: os| as| o| a)? (?P<what>.+)",
    r"(?:já )?(?:podes?|você pode) (?:parar|deixar|largar) (?:de |com )(?:as |os |o |a )?(?P<what>.+)",
    # Dutch
    r"(?:je|u) (?:hoeft|moet|hoef)(?: me| mij)? (?P<what>.*?) ?(?:niet|geen) (?:meer|langer)(?: (?P<verb>.+?))?",
    rf"{_VERGEET} (?:maar )?(?:wat ik (?:zei|heb gezegd|vroeg)|dat|mijn (?:regel|verzoek)|de regel) (?:over|van|met)(?: de"
    rf"| het)?"
    r" (?P<what>.+?)(?: heb gezegd)?",
    r"je (?:mag|kunt) (?:nu )?(?:stoppen|ophouden) met (?P<what>.+)",
    r"laat (?:die|de|dat|het|je) (?P<what>.+?) (?:maar )?(?:zitten|achterwege|weg)",
    r"(?:die|de) (?P<what>.+?) (?:mag|kun) je (?:weglaten|achterwege laten|laten)",
    r"het is niet (?:meer|langer) nodig (?:om|dat je) (?P<what>.+)",
    # Russian
    r"(?:тебе |вам )?(?:больше|уже) не (?:нужно|надо|обязательно|требуется|стоит) (?P<what>.+)",
    r"(?:ты |вы )?(?:больше )?не обязан[аы]? (?:больше )?(?P<what>.+)",
    r"не (?:нужно|надо|обязательно) (?:больше )?(?P<what>.+?)(?: больше)?",
    r"(?:можешь|можете|можно) (?:больше |уже )?(?:не|перестать) (?P<what>.+?)(?: больше)?",
    rf"{_ZABUD},? (?:то,? )?(?:что я (?:говорил|сказал|просил)а?|мою просьбу|про|о|об|правило|просьбу)(?: про| о| об"
    rf"| насч[её]т)* (?P<what>.+)",
    r"(?:можешь|можете|можно) (?P<what>(?:отвечать|писать|говорить) (?:и )?(?:подробнее|длиннее|короче|проще|как угодно).*)",
    # Polish
    r"(?:możesz )?(?:daruj|darować|odpuść|odpuścić) (?:sobie )?(?P<what>.+)",
    r"(?:już )?nie (?:musisz|trzeba|potrzeba|musi pan|musi pani)(?: już| więcej)? (?P<what>.+?)(?: więcej| już)?",
    r"możesz (?:już )?(?:przestać|nie) (?P<what>.+)",
    rf"{_ZAPOMNIJ} (?:o )?(?:tym,? co (?:mówił[ae]m|powiedział[ae]m|prosił[ae]m)|mojej prośbie|zasadzie"
    rf"|to,? co (?:mówił[ae]m)|moją prośbę"
    r"|zasadę)(?: o| na temat| w sprawie| dotyczącej)* (?P<what>.+)",
    rf"{_ZAPOMNIJ} o (?P<what>.+)",
)
ALLOWED = (
    r"(?!(?:my|our|he|she|it|i|we|they|his|her) )(?P<what>[^,]+?) (?:is|are) (?:fine|ok|okay|allowed|welcome"
    r"|all right)(?: with me| for me)?"
    r" (?:again|now|after all)",
    r"(?:it's|it is) (?:fine|ok|okay|all right) to (?P<what>.+?) (?:again|now)",
    r"i (?:don't|do not|no longer) mind (?P<what>.+?)(?: any ?more| any longer| now| again)?",
    r"(?P<what>.+?) (?:don't|do not|doesn't|no longer) bother me(?: any ?more| any longer| now)?",
    r"use (?P<what>.+?) (?:if you like|if you want|as you like|all you want)",
    r"(?P<what>.+?) (?:ist|sind) (?:jetzt |nun )?(?:doch |wieder )(?:in ordnung|okay|ok|erlaubt)",
    r"(?P<what>.+?) (?:stören|stört|nerven|nervt) mich (?:jetzt )?nicht mehr",
    r"(?:finalement,? |en fait,? )?(?:les? |la |l')?(?P<what>.+?),? (?:ça (?:me va|va|ne me (?:gêne|dérange) (?:plus|pas))"
    r"|(?:ne me (?:gênent|dérangent) (?:plus|pas))|c'est (?:bon|ok|d'accord)|sont (?:ok|les bienvenu\w*))(?: maintenant"
    r"| finalement)?",
    r"(?:tu peux|vous pouvez) (?:de nouveau |à nouveau )?(?:remettre|réutiliser|reprendre|recommencer avec) (?:des |les "
    r"|la |le )?"
    r"(?P<what>.+)",
    r"(?:l[oa]s? |el )?(?P<what>.+?) (?:ya no me molestan?|están? bien(?: ahora| otra vez)?|me parecen? bien)",
    r"puedes volver a (?P<what>.+)",
    r"(?:le |i |gli |il |la )?(?P<what>.+?) (?:non mi (?:danno|dà) più fastidio|(?:vanno|va) bene(?: adesso| ora| di nuovo)?)",
    r"(?:os |as |o |a )?(?P<what>.+?) (?:já não me incomodam?|já não incomodam|tudo bem(?: agora)?|estão ok)",
    r"(?:podes?|você pode) voltar a (?P<what>.+)",
    r"(?:de |die |het )?(?P<what>.+?) (?:mogen weer|mag weer|(?:zijn|is) (?:weer )?(?:oké|prima|goed)|storen? me niet meer)",
    r"(?P<what>.+?) (?:już mi nie przeszkadza(?:ją)?|są (?:znowu |już )?(?:w porządku|ok))|możesz znowu (?P<verb>.+)",
    r"(?P<what>.+?) (?:меня )?больше (?:меня )?не (?:раздража(?:ют|ет)|меша(?:ют|ет)|бес(?:ят|ит))|можешь (?:снова"
    r"|опять) (?P<verb>.+)",
    r"i(?:'ve| have)? changed my mind,? (?P<what>.+?) (?:is|are) (?:fine|ok|okay|allowed|all right)(?: now| again)?",
)
# Enough of what was asked for: in French, "plus de" alone may also mean more of it.
UNWANTED = (
    r"(?:that's |that is )?enough (?:of |with )?(?:the |your |all the )?(?P<what>.+)",
    r"(?:jetzt )?(?:schluss|genug) (?:mit|von)(?: den| der| dem)? (?P<what>.+)",
    r"(?:finalement|désormais|dorénavant|maintenant),? plus (?:jamais )?(?:de |d')(?P<what>.+)",
    r"(?:plus jamais|assez|fini|finies?|finis) (?:de |d'|les? )(?P<what>.+)",
    r"(?:basta(?: ya)?(?: de| con)?(?: gli| le| i| los| las)?|chega de|genoeg|dość|хватит|довольно) (?P<what>.+)",
)
EAST_ASIAN_ALLOWED = (
    r"(?:你)?(?:现在|以后)?(?:又|再次|重新)?(?:可以|能)(?:再|又|重新)(?:用|使用)?(?P<what>.+?)(?:了)?",
    r"(?:你)?(?:现在|以后)?(?:可以|能)(?:用|使用|说|加)(?P<what>.+?)了",
    r"(?P<what>.+?)(?:现在|以后)?(?:也)?(?:没关系|没问题|可以用|可以|不介意|无所谓)了",
    r"(?P<what>.+?)(?:は|も)(?:もう)?(?:使っても|使って|あっても)(?:いい|大丈夫|構わない)(?:です)?(?:よ|ね)?",
    r"(?:이제|앞으로)(?:는|은)? ?(?P<what>.+?)(?:을|를|도)? ?(?<!안 )(?:써도|사용해도|해도) ?"
    r"(?:돼|됩니다|돼요|괜찮아|괜찮아요)",
    r"また(?P<what>.+?)(?:を|は|も)?(?:使って|使っても|して|しても|で答えて|で答えても)(?:も)?(?:いい|大丈夫|構わない)(?:です)?(?:よ|ね)?",
    r"(?:이제 )?다시 (?P<what>.+?)(?:을|를|도)? ?(?:써도|사용해도|해도) ?(?:돼|됩니다|돼요|괜찮아|괜찮아요)",
)
# What holds again: a language other than the one that was asked for.
# "The jokes are getting old, you can drop them": the words before say what.
THEM = (
    r"(?:(?:so )?(?:you can|you may|feel free to|please|just) )?(?:drop|stop|skip|lose|ditch|leave out) (?:them|it|that"
    r"|those)(?: now)?"
    r"|(?:die|das|den) kannst du (?:jetzt |ruhig )?(?:lassen|weglassen|sein lassen)|tu peux (?:les|l'|la"
    r"|le) ?(?:laisser tomber|arrêter)"
    r"|puedes (?:dejarl[oa]s?|quitarl[oa]s?)|puoi (?:lasciarl[iaeo]|toglierl[iaeo]) (?:perdere|stare)?|podes? (?:parar"
    r"|deixar)(?: com isso)?"
    r"|die mag je (?:weglaten|laten)|możesz (?:je|to) (?:pominąć|sobie darować)|можешь (?:их|это) (?:убрать|не \w+)"
)
AGAIN = (
    r"(?P<what>(?:(?:answers?|answering|replies|speaking|writing) )?(?:in )?\w+) (?:is|are|would be) (?:fine|ok|okay"
    r"|good|all right)(?: with me| for me)?(?: again)?(?: now)?",
    r"(?:let's |we can |you can |you may |please )?(?:go |switch |change |come "
    r"|get )?back to (?P<what>[^,]+?)(?: again| now)?",
    r"(?:in )?(?P<what>\w+) again|(?:wieder|jetzt wieder) (?:auf |in )?(?P<verb>\w+)",
    r"(?:on |nous )?(?:revenons|revient|reviens|repasse|repassons) (?:à |au |en )(?:l')?(?P<what>.+)",
    r"(?:volvamos|vuelve|volver|volvemos) (?:a hablar |a responder )?(?:al?|en) (?P<what>.+)",
    r"(?:torniamo|torna|ritorna) (?:all'|al |a )(?P<what>.+)|(?:voltemos|volta|voltar) (?:ao|a) (?P<verb>.+)",
    r"(?:weer|terug naar)(?: het)? (?P<what>\w+)|(?:wróćmy|wróć|z powrotem) (?:do|na) (?P<verb>.+)",
    r"(?:вернёмся|вернемся|давай снова|опять|снова) (?:к |на |по-)?(?P<what>.+)",
)
THAT = (
    r"(?:you (?:can|may) (?:stop|quit)(?: doing| with)?|(?:stop|quit) (?:doing|with)) (?:that|this|it)(?: (?:now|again"
    r"|any ?more|already))?",
    r"you (?:can|may) stop(?: now| again)?",
    r"you (?:don't|do not|no longer)(?: have| need)? ?(?:to )?(?:do )?(?:that|this|it|so)(?: (?:any ?more|any longer|now"
    r"|again))?",
    r"(?:there(?:'s| is) )?no (?:more )?need (?:for that|to do (?:that|this|so))(?: any ?more| any longer| now)?",
    rf"{_DROP}(?: about)? (?:{_MY}|my last|that last|the last) {_RULES}",
    rf"i (?:take|withdraw) {_MY} {_RULES}(?: back)?",
    r"(?:du kannst|sie können|du darfst)(?: jetzt| nun)? damit (?:wieder )?aufhören|hör(?:en sie)?(?: bitte)? (?:damit"
    r"|wieder) auf",
    r"(?:das )?(?:musst|brauchst) du(?: das)? (?:jetzt )?nicht mehr(?: (?:zu )?(?:machen|tun))?"
    r"|lass das(?: jetzt)? wieder(?: sein)?",
    r"du (?:musst|brauchst) das (?:jetzt )?nicht mehr(?: (?:zu )?(?:machen|tun))?",
    rf"{_VERGISS} (?:diese|die letzte|meine letzte) (?:regel|anweisung|bitte)",
    r"(?:tu peux|vous pouvez) arrêter (?:ça|cela|maintenant)|(?:tu n'as )?plus besoin de (?:faire )?(?:ça|cela)",
    rf"{_OUBLIE} (?:cette|ma dernière) (?:règle|consigne|demande|instruction)|arrête (?:ça|de faire ça)",
    r"(?:ya )?puedes dejar de hacer(?:lo| eso)|(?:ya )?no hace falta(?: que lo hagas| eso)?|deja de hacer(?:lo| eso)",
    rf"{_OLVIDA} (?:esa|esta|mi última) (?:regla|instrucción|petición|norma)|ya no (?:lo )?hagas (?:eso|más)",
    r"puoi smettere(?: di farlo)?|non (?:serve|occorre) più|smettila di farlo|non farlo più",
    rf"{_DIMENTICA} (?:questa|quella) (?:regola|richiesta|istruzione)",
    r"(?:já )?pode(?:s)? parar(?: com isso| de fazer isso)?|(?:já )?não (?:é preciso|precisas?) mais(?: disso| fazer isso)?",
    rf"{_ESQUECE} (?:essa|esta) (?:regra|instrução)",
    r"je (?:mag|kunt) (?:daarmee|hiermee) (?:stoppen|ophouden)|dat hoeft niet meer|je hoeft dat niet meer te doen",
    rf"{_VERGEET} (?:die|deze) (?:regel|instructie)",
    r"(?:можешь|можете) (?:больше )?(?:так |этого )?(?:не делать|перестать)(?: так| этого| это делать| больше)?"
    r"|(?:так )?больше не (?:надо|нужно)",
    r"больше (?:так |этого )?не (?:надо|нужно)(?: так)?(?: делать)?|(?:перестань|прекрати)(?:те)? так делать|"
    rf"{_ZABUD} (?:это|эту) (?:правило|просьбу|инструкцию)",
    r"możesz (?:już )?(?:z tym )?(?:przestać|skończyć)|(?:już )?nie (?:musisz|trzeba) (?:już )?(?:tego|tak) (?:już )?robić"
    r"|przestań to robić",
    rf"{_ZAPOMNIJ} (?:o )?(?:tej|tę|tą) (?:zasadzie|zasadę|prośbie|prośbę)",
)
USUAL = (
    r"(?:answer|reply|respond|write|talk|speak)(?: to me)?(?: again)? (?:normally|as usual|as before|like before"
    r"|(?:in )?the (?:normal|usual) way"
    r"|(?:like|as) you (?:used to|normally do|did before)|in your (?:normal|usual) (?:way|style|voice|tone))(?: again"
    r"| please| now)*",
    r"(?:go|switch|change|come|get)?(?: back)? ?(?:back )to (?:your |the |a )?(?:normal|usual|regular|default|standard"
    r"|ordinary)(?: \w+){0,3}",
    r"(?:just )?(?:(?:the|give me|your|use|with) )?(?:normal|usual|regular|ordinary|default|standard) (?:answers?|replies"
    r"|responses?|style|mode|tone"
    r"|voice|length|behaviou?r)(?: again| please| now)*",
    r"(?:be|act) (?:normal|yourself|your (?:normal|usual) self) again",
    r"(?:antworte?|schreibe?|sprich|rede?)(?: mir| bitte| mit mir)*(?: jetzt)? (?:wieder )?(?:ganz )?(?:normal"
    r"|wie (?:vorher|früher|immer|sonst))(?: wieder)?",
    r"(?:du kannst|du darfst|sie können)(?: jetzt| nun)? wieder (?:ganz )?normal(?: \w+)?",
    r"(?:bitte )?(?:wieder )?(?:ganz )?normale? (?:antworten|weiter)(?: bitte)?|wieder (?:ganz )?normal(?: (?:antworten"
    r"|bitte|schreiben))*",
    r"(?:réponds?|répondez|écris|parle)(?:-moi)?(?: de nouveau| à nouveau)? (?:normalement|comme (?:avant"
    r"|d'habitude))(?: à nouveau)?"
    r"|(?:reviens|revenez|retour) (?:à la|au) (?:normale?|style normal).{0,20}|(?:des )?réponses normales(?: à nouveau)?",
    r"(?:responde|contesta|habla|escribe|vuelve a (?:responder|contestar|hablar))(?:me)?(?: otra vez"
    r"| de nuevo)? (?:con normalidad|normalmente|normal"
    r"|como (?:antes|siempre))(?: otra vez| de nuevo)?|respuestas normales(?: otra vez| de nuevo)?|vuelve a la normalidad"
    r"|como antes",
    r"(?:rispondi|scrivi|parla)(?:mi)?(?: di nuovo)? (?:normalmente|come (?:prima|al solito))|(?:torna|ritorna) (?:al"
    r"|alla) normal\w+|risposte normali",
    r"(?:responda|responde|fala|fale|escreva|volta a responder)(?: de novo)? (?:normalmente|como antes)|(?:volta"
    r"|volte) ao normal|respostas normais",
    r"(?:antwoord|schrijf|praat)(?: weer| me)* (?:gewoon|normaal|zoals (?:vroeger|eerst|altijd))|(?:weer )?(?:gewone"
    r"|normale) antwoorden",
    r"(?:отвечай|пиши|говори|общайся)(?:те)?(?: мне)?(?: снова| опять| теперь)? (?:как (?:обычно|раньше|прежде)|нормально"
    r"|обычно)(?: снова)?"
    r"|(?:верн\w+|вернись) к (?:обычн\w+|нормальн\w+).{0,30}|(?:снова )?обычные ответы",
    r"(?:odpowiadaj|pisz|mów)(?: mi)?(?: znowu| znów| już)? (?:normalnie|jak (?:wcześniej|zwykle|dawniej"
    r"|przedtem))(?: znowu)?"
    r"|wróć do (?:normaln\w+|zwykł\w+).{0,30}|(?:znowu )?(?:normalne|zwykłe) odpowiedzi",
)
ALL = (
    rf"{_DROP}(?: about)? (?:all|every one|every|each)(?: of)?(?: (?:my|the|your|these|those|previous|standing|earlier"
    rf"|special|other))*"
    rf" {_RULES}(?: (?:i gave you|so far|please|now))?",
    rf"{_DROP}(?: about)? (?:my|your|the|those|these|your previous|my earlier) (?:rules|instructions|preferences|requests"
    rf"|guidelines)",
    rf"{_VERGISS} (?:alle|all|sämtliche|meine|die)(?: meine| deine| bisherigen| diese)* (?:regeln|anweisungen|vorgaben"
    rf"|wünsche)(?: auf)?",
    rf"{_OUBLIE} toutes (?:mes|les|ces) (?:règles|consignes|instructions|demandes)",
    rf"{_OLVIDA} todas (?:mis|las|estas|esas) (?:reglas|normas|instrucciones|peticiones)",
    rf"{_DIMENTICA} tutte le (?:mie )?(?:regole|istruzioni|richieste)",
    rf"{_ESQUECE} todas as (?:minhas )?(?:regras|instruções)",
    rf"{_VERGEET} al(?:le|)(?: mijn| de)? (?:regels|instructies|verzoeken)",
    rf"{_ZABUD} (?:обо )?вс(?:е|ех)(?: мои| моих| эти| этих)? (?:правила|правилах|инструкции|просьбы|просьбах|указания)",
    rf"{_ZAPOMNIJ} (?:o )?wszystki(?:e|ch)(?: moje| moich)? (?:zasad\w*|instrukcj\w*|prośb\w*|reguł\w*)",
)

EAST_ASIAN_NAMED = (
    r"(?:もう|これからは?|今後は?)(?:、)?(?P<what>.+?)(?:しなくて|なくて|で答えなくて|使わなくて)(?:も)?(?:いい|大丈夫"
    r"|構わない|かまわない).*",
    r"(?:やっぱり|やはり|もう)(?:、)?(?P<what>.+?)(?:は|を)(?:もう)?(?:やめて|止めて|いらない|要らない)(?:よ|ね|ください)*"
    r"|(?P<verb>.+?)(?:は|を)もう(?:やめて|いらない|要らない|いい(?:です)?)(?:よ|ね|ください)*",
    r"(?P<what>.+?)(?:しなくて|なくて)(?:も)?(?:もう)?(?:いい|大丈夫|構わない|かまわない)(?:です)?(?:よ|ね)?",
    r"(?P<what>.+?)(?:の件|のこと|のルール|という(?:ルール|指示|お願い)|の指示)(?:は|を)?(?:もう)?(?:忘れて|取り消し|なしに"
    r"|無視して|やめて).*",
    r"(?:你)?(?:以后|现在|已经)?(?:不用|不必|无需|不需要|用不着)(?:再)?(?P<what>.+?)(?:了)?",
    r"(?:忘掉|忘了|忘记|取消|撤销|忽略|删除)(?:我)?(?:说的|说过的|刚才说的|之前说的|关于"
    r"|之前关于)*(?P<what>.+?)(?:的)?(?:规则|要求|指示|事|话|那条)?(?:吧|了)?",
    r"(?:이제|앞으로|더 ?이상)?(?:는|은)? ?(?P<what>.+?)(?:하지|지|을 필요|할 필요)(?: ?않아도|(?:는|가)? ?없)(?: ?돼"
    r"| ?됩니다| ?되|어|습니다|어요|요).*",
    r"(?:이제|앞으로|더 ?이상)?(?:는|은)? ?(?P<what>.+?)(?: 안 .{1,4}도) ?(?:돼|됩니다|돼요|괜찮아|괜찮아요)",
    r"(?P<what>.+?)(?:에 대해|에 관해|에 대한|라는|다는|관련)? ?(?:내가 )?(?:말한|한 말|부탁한|규칙|지시|요청)(?: 것| 거"
    r"|한 것)?(?:은|는|을|를)? ?(?:잊어|취소|무시|없던).*",
)
EAST_ASIAN_THAT = (
    r"(?:もう|それは?もう)?(?:それ|そう|そんなこと)(?:は|を)?(?:もう)?(?:しなくていい|やめて(?:いい)?"
    r"|しなくて大丈夫)(?:です|ください|よ|ね)*|もう(?:いい|やめて|しなくていい)(?:です)?よ?",
    r"(?:你)?(?:可以)?(?:不用|不必|别再)(?:再)?(?:这样|那样|这么做|那么做)(?:做)?(?:了)?|(?:忘掉|取消)(?:那|这)(?:条"
    r"|个)(?:规则|要求)(?:吧)?",
    r"(?:이제 )?(?:그렇게 |그거 |그건 )(?:이제 )?(?:안 해도|하지 않아도|그만해도) ?(?:돼|됩니다|돼요)"
    r"|(?:이제 )?그만해도 (?:돼|돼요|됩니다)|(?:그|저) (?:규칙|지시)(?:은|는|을|를)? (?:잊어|취소해).*",
)
EAST_ASIAN_USUAL = (
    r".{0,8}?(?:普通|いつも通り|いつもどおり|元通り|前のよう|通常)(?:に|の)(?:答|返|話|返事|回答|戻).{0,12}",
    r".{0,8}?(?:恢复|回到|像以前一样|像平常一样|照常|正常)(?:地)?(?:正常|平常|回答|说话|回复|了|的).{0,10}",
    r".{0,8}?(?:평소|예전|원래|보통|다시 정상)(?:처럼|대로|적으로|으로)? ?(?:대답|답|말|돌아|답변).{0,12}",
)
EAST_ASIAN_ALL = (
    r"(?:これまでの|今までの|私の)?(?:ルール|指示|お願い)(?:は|を)?(?:すべて|全部|全て)(?:忘れて|取り消し|無視して"
    r"|なしに).*|(?:すべて|全部|全て)の(?:ルール|指示)を.+",
    r"(?:请)?(?:忘掉|忘记|取消|忽略|删除)(?:我)?(?:的)?(?:所有|全部|一切)(?:的)?(?:规则|要求|指示).*",
    r"(?:모든|내|제) ?(?:규칙|지시|요청)(?:사항)?(?:을|를|은|는)? ?(?:모두 |다 |전부 )?(?:잊어|취소|무시|지워).*",
)
