"""Clauses that only keep a conversation going: "brb", "let me think", "je reviens", "talk to you later".

They are about the conversation, not about the world: "wait", "let me think", "back in a minute", "I see", laughs, good wishes.
Fillers ("well", "tja", "la verdad") may stand before and after any small talk.
"""

import re

# What may stand around any small talk, by language.  Alone it is small talk, too.
_FILLERS = """
    well | so | hm+ | mh+m* | mm+ | uh(?: huh)? | um+ | er+ | oh+ | ah+ | aw+ | ooh+ | eh | huh | k | kk | ok | okay |
    okey | yeah | yea | yep | yup | nah | nope | yes | no | right | anyway | anyways | alright | sure | honestly | frankly |
    actually | tbh | imo | to be (?:honest|fair|frank) | i (?:guess|suppose|think|mean|reckon) | you know | like | then |
    now | though | man | mate | dude | bro | buddy | guys | folks | everyone | please | just | really | omg | wow | by now |
    at all | i'm afraid | na | nun | also | tja | ach(?: so|ja|nein)? | puh | ach was | oh je | ohje | hach | naja | na ja |
    na gut | na dann | na klar | tja nun | ne | nee | nö | ja | jo | jup | nein | doch | eben | halt | eigentlich |
    irgendwie | ehrlich(?: gesagt)? | mal | echt | wirklich | dann | denn | leider | wohl | schon | gerade | so | grad |
    gell | oder | weißt du | ich glaube | glaub(?: ich)? | im moment | bitte | alter | leute | hey | du | dir | ihnen |
    euch | noch | bon | ben | bah | beh | euh | heu | hum | hein | pff+ | ouf | oh là là | oh la la | allez | allons |
    alors | donc | enfin | bref | eh bien | voilà | oui | non | ouais | ouaip | nan | d'accord | franchement | honnêtement |
    vraiment | là | quoi | tu sais | à vrai dire | en fait | du coup | je crois | je pense | pour être honnête | désolée? |
    s'il (?:te|vous) plaît | stp | svp | mec | pues | bueno | bien | vale | venga | vaya | ay | uy | uf+ | eh | este |
    mira | oye | hombre | mujer | tío | tía | sí | no | ya | la verdad(?: es que)? | de verdad | sinceramente |
    francamente | en realidad | creo | supongo | entonces | claro | por favor | pf | porfa | la verdad que | a ver | anda |
    hala | jo | beh | be' | mah | boh | eh | uffa | dai | allora | insomma | cioè | comunque | vabbè | vabbe | va be' |
    ecco | guarda | sì | no | sinceramente | onestamente | francamente | a dire (?:il vero|la verità) | in realtà |
    veramente | davvero | proprio | credo | penso | direi | per favore | per piacere | quindi | ok | oddio | ragazzi |
    scusa(?:mi)? | scusi | ah sì | pois | pois é | bom | bem | então | é | né | ah | ai | oxe | puxa | nossa | poxa | ué |
    uai | olha | olhe | tipo | enfim | cara | gente | sim | não | tá | honestamente | sinceramente | na verdade |
    francamente | acho(?: eu)? | creio | por favor | viu | pá | mesmo | a sério | nou | tja | ach | och | goh | tjonge |
    jeetje | zeg | hoor | hè | hé | joh | ja | nee | eigenlijk | eerlijk(?: gezegd)? | gewoon | even | dan | maar | toch |
    denk ik | geloof ik | echt | helaas | nou ja | alsjeblieft | alstublieft | man | jongens | hm | no | no to | no cóż |
    cóż | oj | ojej | ech | eh | aha | ano | tak | nie | hmm | ale | więc | wiesz | słuchaj | szczerze(?: mówiąc)? |
    właściwie | chyba | raczej | w sumie | naprawdę | serio | niestety | proszę | stary | kurczę | to | ну | ну что ж |
    что ж | эх | ох | ах | ой | эм+ | ммм* | хм+ | гм | ага | угу | да | нет | ладно | блин | слушай | знаешь |
    честно(?: говоря)? | если честно | по правде(?: говоря|сказать)? | вообще | вообще-то | даже | просто | наверное |
    кажется | правда | к сожалению | пожалуйста | и | а | тогда | там
"""
# What manages the conversation, by language.
_TURNS = """
    brb | bbl | bbs | afk | gtg | g2g | ttyl | ttys | cu | cya | np | yw | nvm | idk | idc | ikr | omg | omw | ttfn | gn |
    gm | ily | (?:(?:i'll|i will|will) )?be (?:right )?back(?: (?:soon|shortly|later|in a (?:sec|second|moment|minute|min|
    mo|bit|few|tick)))? |
    (?:i'm |i am )?(?:right )?back (?:soon|shortly|in a (?:sec|second|moment|minute|min|mo|bit|few|tick)) |
    (?:back again|there you are) | (?:hang|hold) on(?: (?:a|one) (?:sec|second|moment|minute|min|mo|tick))? |
    (?:(?:wait|give me|gimme|bear with me(?: for)?) )?(?:just )?(?:a|one|two) (?:sec|second|moment|minute|min|mo|tick)s? |
    wait(?: up)? | bear with me | (?:some(?:one|body)'s|someone is|somebody is|there's (?:some|any)one) at the door |
    (?:my |the )?phone(?:'s|is) ringing | (?:i )?(?:gotta|got to|have to|need to|must|should|better|
    had better)(?: really)? (?:run|go|dash|head off|get going|be off|leave) | (?:i'm |i'll be )?off(?: to bed)? |
    off (?:i|we) go | (?:i'm )?(?:heading|going) (?:off|out|to bed) | (?:(?:i'll|i will|we'll|let's|can we) )?(?:talk|speak|
    chat|text|write|message)(?: (?:to|with))?(?: (?:you|ya))? (?:again )?(?:soon|later|tomorrow|tonight|then|another time|
    next time|in a bit) | (?:(?:i'll|i will|we'll) )?(?:see|catch|ping|text)(?: (?:you|ya|u|
    each other))(?: all)?(?: (?:again|soon|later|tomorrow|tonight |around|then|there|next time|next week|in a bit)) |
    (?:until|till) (?:next time|tomorrow|then|later) |
    (?:that's|that is|that'll be) (?:all|it)(?: (?:for )?(?:now|today|from me))? | (?:let me|i'll(?: have to)?|i need to|
    i have to|allow me to) (?:think|see|check|ponder|reflect|look)(?: (?:about|on|over|into|at))?(?: (?:it|that|
    this))?(?: (?:over|through|first|quickly))?(?: for (?:a (?:sec|second|moment|minute|bit)))? |
    (?:i )?(?:just )?(?:figured|worked|sorted) (?:it|that|this) out(?: (?:myself|already))? | (?:i )?(?:just )?found it |
    (?:i )?(?:will do|can do|get (?:it|you)|got (?:it|you|ya)|hear you|see|understand)(?: now)? |
    forget (?:it|about it|i asked) | (?:i'm |i am )?(?:dying|dead|crying|screaming|weak|dying (?:of laughter|laughing)) |
    i can't(?: even|anymore|believe it)? | (?:it |that )?(?:made|makes) (?:my day|me laugh|me smile|my week) |
    (?:you )?(?:crack me up|made my day) | too funny | say no more | (?:happy|glad|pleased|delighted|
    always happy)(?: i could|to)(?: (?:be able to|be of))? (?:help|assist|assistance|service) | (?:no problem|not a problem|
    no biggie|any ?time|don't mention it|don't worry(?: about it)?|it's nothing|my pleasure)(?: at all)? |
    (?:how )?(?:so|very|too) (?:kind|nice|sweet)(?: of you)? | (?:we'll|we shall|i'll) see | (?:could|might|may) be |
    it depends | fair (?:enough|point|play) | (?:i |yes i )?(?:agree|hope so|guess so|suppose so|think so|doubt it) | same |
    what(?:ever|a (?:day|joke)) | (?:you |u )?(?:have|enjoy)(?: a|your|the)?(?: (?:nice|good|great|lovely|wonderful|
    rest of your))? (?:day|evening|night|weekend|one|afternoon|morning|week|time|trip) | (?:bin|ich bin|
    bin ich)(?: (?:gleich|bald|sofort|später|in einer minute|kurz))*(?: wieder)?(?: (?:da|zurück|weg|online|hier)) |
    (?:einen? |nur (?:einen? )?|kleinen? )?(?:moment|augenblick|sekunde|minute|sek|sekündchen|momentchen)(?: (?:mal|bitte|
    noch))* | warte(?:n sie)?(?: (?:mal|kurz|bitte|einen? moment|eben))* |
    ich muss(?: (?:jetzt|dann|mal|leider|los|weg|weiter|gehen|schlafen))+ | (?:mal )?(?:sehen|schauen|gucken)(?: mal|wir)* |
    (?:wir )?(?:hören|sehen|sprechen|schreiben|lesen)(?: wir)?(?: uns)(?: (?:später|morgen|bald|dann|wieder|nachher))* |
    schreib(?:e)? (?:dir|ihnen) (?:später|nachher|morgen) |
    bis(?: (?:morgen|später|nachher|bald|dann|gleich|die tage|nächstes mal|zum nächsten mal|denn)) |
    (?:lass(?:en sie)?(?: mich)?|ich muss|muss|ich werde)(?: (?:da|mal|kurz|erst|erstmal|noch|drüber|darüber|
    einen moment))* (?:nachdenken|überlegen|sehen|schauen|nachsehen|nachschauen|drüber schlafen) |
    (?:ich )?(?:verstehe|versteh|kapiert|kapiere|begriffen|gecheckt|weiß bescheid) |
    (?:hat sich erledigt|vergiss es|egal|schon gut) | (?:mach ich|wird gemacht|geht klar|abgemacht|kein (?:ding|thema|
    stress|problem)|keine ursache|gern(?:e)? geschehen|nichts zu danken) | (?:besten|vielen|herzlichen|lieben|tausend|
    schönen|ganz lieben)(?: lieben)? dank(?: (?:dir|ihnen|euch|dafür|auch|nochmal))* |
    (?:ich )?lach(?:e)? mich (?:tot|kaputt|schlapp) | (?:ich )?kann nicht mehr |
    (?:zu|so|voll|mega|echt) (?:geil|lustig|witzig|gut|süß) | (?:(?:einen )?(?:schönen|guten|angenehmen)|
    (?:eine )?(?:schöne|gute|angenehme)|(?:ein )?schönes)(?: (?:abend|tag|feierabend|sonntag|samstag|nacht|woche|wochenende|
    zeit|resttag|mittag|start))(?: (?:noch|dir|ihnen|euch|auch|in die woche))* | kann sein | mag sein | kommt drauf an |
    schau(?:en)? (?:wir )?mal | freut mich(?: (?:sehr|für dich|zu hören|für sie))* |
    (?:ich )?freue? mich(?: (?:sehr|für dich|für sie|für euch))* | guter punkt | gute frage | je (?:reviens|reviendrai|
    repasse)(?: (?:tout de suite|vite|dans (?:un instant|une minute|deux minutes)|bientôt|de suite|tout à l'heure))? |
    (?:attends?|attendez|patiente|patientez)(?: (?:un peu|une seconde|un instant|voir|deux secondes|une minute))? |
    (?:juste )?(?:un|une|deux) (?:petite? )?(?:instant|moment|seconde|secondes|minute|minutes) |
    (?:il faut que j'y aille|je dois (?:y aller|filer|partir)|je file|j'y vais) | (?:on|nous) (?:se|nous) (?:parle|voit|
    rappelle|tient au courant|reparle|écrit)(?: (?:bientôt|plus tard|demain|vite|tout à l'heure))* |
    à (?:plus(?: tard)?|demain|bientôt|tout à l'heure|tout de suite|la prochaine|ce soir|lundi) | a\\+ | (?:laisse(?:z)?-moi|
    je vais|il faut que je)(?: y)? (?:réfléchir|réfléchisse|voir|vérifier|regarder|penser)(?: (?:un peu|un instant|à ça|
    y))? | (?:ah )?(?:je|j'ai) (?:vois|comprends|compris|pige|pigé|saisis) |
    (?:laisse tomber|peu importe|oublie|tant pis|c'est pas grave|ça ira) | (?:de rien|pas de (?:quoi|souci|problème|soucis)|
    il n'y a pas de quoi|ça marche|ça roule|c'est bon|c'est parti|avec plaisir|je t'en prie|je vous en prie) |
    (?:je sais pas|j'sais pas|chais pas|aucune idée)(?: (?:trop|du tout|vraiment))? | mort de rire | je suis mort\\w* |
    merci(?: (?:mille fois|infiniment|beaucoup|bien|encore|du fond du cœur|à toi|à vous))+ |
    (?:on verra(?: bien)?|ça dépend|peut-être|possible) | (?:t'es|tu es|vous êtes)(?: (?:vraiment|trop|
    tellement))? (?:au top|génial\\w*|adorable|le meilleur|la meilleure|un amour|gentille?|un ange) |
    (?:passe(?:z)? )?(?:une )?(?:bonne|excellente|belle|douce)(?: fin de)? (?:journée|soirée|nuit|semaine|soirée|
    continuation|week-end) | (?:bon|excellent) (?:week-end|courage|après-midi|appétit|dimanche) |
    (?:trop|tellement|vraiment|super) (?:drôle|bien|cool|mignon|chouette|fort) |
    (?:ahora |ya |enseguida |en seguida )?(?:vuelvo|regreso)(?: (?:ahora|enseguida|en seguida|en un (?:momento|minuto|rato|
    segundo)|luego|pronto|ya))? | (?:espera|espere|espérame|aguanta|dame|deme)(?: (?:un|una))?(?: (?:poco|momento|momentito|
    segundo|segundito|minuto|minutito|ratito))? |
    (?:solo )?un (?:momento|momentito|segundo|segundito|minuto|minutito|instante|ratito) |
    me (?:tengo que ir|voy(?: ya|a dormir)?) |
    (?:nos|te) (?:vemos|hablamos|escribo|leemos|veo|llamo)(?: (?:luego|pronto|mañana|después|más tarde|ahora))? |
    hablamos(?: (?:luego|pronto|mañana|después|más tarde))? |
    hasta (?:luego|mañana|pronto|ahora|otra|la próxima|la vista|entonces) | (?:déjame|deja|déjeme|tengo que|lo tengo que|
    voy a)(?: que)? (?:pensar|pensarlo|ver|mirar|mirarlo|comprobarlo|piense|lo piense)(?: (?:un poco|un momento|bien))? |
    (?:ya )?(?:entiendo|entendí|comprendo|caigo|veo|lo pillo|pillado)(?: (?:ahora|ya))? | ahora (?:entiendo|caigo|ya) |
    (?:da igual|olvídalo|no importa|ya está|no pasa nada|no te preocupes|no hay (?:de qué|problema)|a ti|a usted|
    ahí vamos) | (?:ni idea|no sé|quién sabe|ya veremos|puede ser|tal vez|quizás?|depende|supongo) |
    me (?:muero|parto|meo)(?: de (?:la )?risa)? |
    (?:muchísimas|muchas|mil|tantas) gracias(?: (?:a ti|de verdad|por todo))* |
    (?:eres|sos)(?: (?:un|una|el|la))? (?:sol|crack|amor|genio|genia|mejor|máquina|cielo|grande) | (?:que )?(?:tengas|tenga|
    pases|pase|tengan)(?: (?:un|una|muy|buen|buena|bonito|bonita|lindo|linda|feliz))+ (?:día|tarde|noche|finde|semana|
    fin de semana) | (?:buen|feliz) (?:día|finde|fin de semana|descanso|viaje) |
    (?:me )?alegro(?: (?:mucho|por ti|tanto|de oírlo))* | encantad[oa](?: de (?:ayudar|ayudarte|ayudarle|conocerte))? |
    tranqui(?:l[oa])? |
    (?:ora |ci )?(?:torno|arrivo)(?: (?:subito|presto|tra (?:poco|un (?:attimo|minuto|momento))|adesso|ora))? |
    (?:aspetta|aspetti|attendi|dammi)(?: un (?:attimo|attimino|secondo|momento|minuto|po'))? |
    (?:solo )?un (?:attimo|attimino|secondo|momento|minuto|momentino) | devo (?:andare|scappare)(?: (?:via|ora|adesso))? |
    (?:ora |adesso )?(?:vado|scappo)(?: a (?:dormire|letto))? |
    ci (?:sentiamo|vediamo|risentiamo|aggiorniamo|scriviamo)(?: (?:dopo|presto|domani|più tardi|stasera|poi))? |
    a (?:dopo|domani|presto|più tardi|poi|stasera) | (?:fammi|lasciami|mi lasci|mi faccia|devo|ci devo|
    vediamo)(?: (?:un po'|un attimo))? (?:pensare|pensarci|vedere|controllare|riflettere|rifletterci)(?: (?:un attimo|
    un po'|su|bene))? | vediamo(?: (?:un po'|insieme|subito))? | (?:ho )?(?:capito|afferrato|ci sono|inteso) |
    (?:lascia (?:stare|perdere)|non (?:importa|fa niente|preoccuparti|c'è di che|ti preoccupare)|fa niente|come non detto|
    tutto a posto) | (?:di niente|di nulla|figurati|si figuri|nessun problema|ci mancherebbe|non c'è problema|prego) |
    (?:chissà|dipende|può darsi|può essere|non (?:lo )?(?:so|saprei)|chi lo sa)(?: proprio|bene|ancora)? |
    (?:muoio|sto morendo)(?: dal ridere)? | (?:grazie)(?: (?:mille|infinite|di cuore|davvero|tante|ancora|a te|a lei))+ |
    sei (?:un|una|il|la)?(?: )?(?:grande|tesoro|mito|genio|angelo|gentilissim[oa]|migliore|forte) | (?:buona|buon|
    felice)(?: (?:fine|inizio))? (?:giornata|serata|notte|domenica|weekend|pomeriggio|settimana|riposo|viaggio|
    lavoro)(?: (?:anche )?a (?:te|lei|voi))? | anche a (?:te|lei|voi) |
    che (?:ridere|bello|bella|figata|forza|spettacolo|carino|dolce|peccato) | (?:ottima|bella|buona) domanda |
    (?:eu )?(?:já|ja) (?:volto|venho|vou|vai)(?: já)? |
    volto (?:já|logo|num instante|em (?:um|dois) (?:minuto|minutos)|daqui a pouco) | (?:espera|espere|espera aí|peraí|pera|
    aguarda|aguarde|me dá|dá-me)(?: (?:aí|lá))?(?: (?:só )?(?:um|uma) (?:pouco|pouquinho|momento|minuto|minutinho|segundo|
    segundinho|instante|momentinho))? |
    só (?:um|uma) (?:momento|minuto|minutinho|segundo|segundinho|instante|momentinho|pouquinho) |
    (?:eu )?(?:tenho|preciso)(?: que|de)? (?:ir|sair)(?: (?:embora|agora|já))? |
    (?:a gente|nos|nós) (?:se |nos )?(?:fala|vê|falamos|vemos)(?: (?:depois|amanhã|logo|mais tarde|em breve|por aí))? |
    (?:falamos|falamos-nos|até)(?: (?:depois|amanhã|logo|mais|mais tarde|já|breve|à próxima|a próxima)) |
    (?:deixa|deixe)(?:-me|eu|-me eu)? (?:pensar|ver|verificar|refletir)(?: (?:um pouco|bem|nisso|melhor))? |
    vou (?:pensar|ver)(?: (?:nisso|bem|melhor))? |
    (?:entendi|percebi|saquei|compreendo|percebo|entendo)(?: (?:agora|tudo|bem))? | (?:deixa (?:pra lá|estar)|esquece|
    não (?:importa|faz mal|tem problema|se preocupe|há problema)|tanto faz|tranquilo|sem (?:problemas?|stress)|imagina|
    de nada|por nada|disponha) |
    (?:sei lá|quem sabe|talvez|depende|pode ser|vamos ver|veremos|não (?:sei|faço ideia))(?: (?:bem|não|ainda|mesmo))? |
    (?:morri|morrendo|estou a morrer)(?: de rir)? |
    (?:muito|muitíssimo|super) obrigad[oa](?: (?:mesmo|pela ajuda|por tudo|a você))* |
    (?:tá|está) (?:bom|bem|certo|ótimo|combinado) |
    (?:tem|tenha)(?: (?:um|uma|bom|boa|ótimo|ótima|lindo))+ (?:dia|tarde|noite|semana|fim de semana) |
    (?:bom|boa) (?:dia|tarde|noite|semana|descanso|domingo|trabalho|fim de semana)(?: (?:pra|para) (?:você|ti|todos))? |
    (?:fico|fiquei)(?: (?:muito|tão))? (?:feliz|contente)(?: por (?:você|ti))? |
    que (?:bom|legal|ótimo|fixe|máximo|lindo|fofo|pena|engraçado) |
    (?:ik )?(?:ben)(?: (?:zo|even|straks|gauw|snel))+(?: (?:terug|weg|weer terug|weer))* | (?:wacht|wacht u|momentje|moment|
    ogenblik|ogenblikje|een (?:momentje|moment|seconde|ogenblik|minuutje))(?: (?:even|eens|een (?:momentje|moment|seconde|
    minuutje)))* | ik moet(?: (?:nu|er|even|weer|gaan|ervandoor|vandoor|weg|verder))+ | (?:ik )?(?:spreek|zie|hoor|app|bel|
    schrijf)(?: (?:je|jullie|u|elkaar|ik))*(?: (?:later|straks|morgen|snel|gauw|weer|dan))+ |
    tot(?: (?:zo|straks|morgen|later|gauw|snel|ziens|dan|de volgende keer)) |
    (?:laat|laten)(?: (?:me|mij|we))?(?: (?:even|eens|er|daar|over))* (?:nadenken|denken|kijken|zien|checken|nakijken) |
    even(?: (?:kijken|nadenken|denken|wachten|zien)) |
    (?:ik )?(?:snap|begrijp)(?: (?:ik|het|je|dat))*(?: (?:nu|helemaal))? | (?:laat maar|maakt niet uit|geeft niet|
    geeft niks|niet erg|vergeet het|geen (?:probleem|punt|dank|zorgen)|graag gedaan|niets te danken|doen we|doe ik|
    komt goed|afgesproken) |
    (?:geen (?:flauw )?idee|weet ik (?:niet|veel)|wie weet|misschien|we zien wel|kan|ligt eraan|hangt ervan af|zou kunnen) |
    (?:ik )?(?:lig (?:dubbel|in een deuk)|ga stuk) |
    (?:heel erg |hartstikke |ontzettend |heel hartelijk |hartelijk |super )?bedankt |
    dank(?: (?:je|u|jullie|jewel))+(?: wel)? | (?:een )?(?:fijne|goede|prettige|gezellige|mooie)(?: (?:avond|dag|nacht|
    ochtend|middag|week|weekend|zondag|reis|vakantie|dag nog))(?: (?:nog|verder|toegewenst))* |
    (?:fijn|prettig|goed|leuk) weekend | (?:goede|leuke|mooie) vraag |
    wat (?:leuk|grappig|fijn|lief|mooi|jammer|goed|cool|een mop) |
    (?:ja )?(?:ik )?(?:zaraz|za (?:chwilę|moment|minutę)|już|niedługo)(?: (?:wracam|wrócę|będę|jestem|idę|lecę))+ |
    (?:chwila|chwilka|chwileczka|chwilkę|chwilę|chwileczkę|momencik|moment|sekunda|sekundka|sekundę|minutka|czekaj|poczekaj|
    zaczekaj|poczekaj chwilę)(?: (?:moment|chwilę|chwilkę))? |
    (?:muszę|trzeba) (?:już )?(?:lecieć|iść|spadać|uciekać|kończyć) | (?:lecę|spadam|uciekam)(?: już)? |
    (?:do(?: (?:jutra|zobaczenia|usłyszenia|później|następnego|wieczora|potem|napisania|zobaczyska))) |
    (?:zgadamy|zdzwonimy|odezwę|widzimy|słyszymy)(?: się)(?: (?:później|jutro|potem|niedługo|wkrótce))? | (?:niech|daj|
    dajcie|pozwól|muszę)(?: mi|się|że)* (?:pomyślę|pomyśleć|zastanowię|zastanowić|sprawdzę|sprawdzić|zobaczę)(?: (?:chwilę|
    nad tym|się))* | pomyślmy | zobaczymy | zobaczmy |
    (?:już )?(?:rozumiem|kumam|łapię|czaję|jasna sprawa|zrozumiałem|zrozumiałam)(?: (?:już|teraz))? | (?:nieważne|zapomnij|
    nic nie szkodzi|nic takiego|nie ma (?:sprawy|problemu|za co)|drobiazg|luz|spoko|polecam się|da się zrobić|zrobi się) |
    (?:nie (?:wiem|mam pojęcia)|kto wie|może|być może|zależy|pewnie tak|trudno powiedzieć)(?: (?:tego|jeszcze))? |
    (?:umieram|padłem|padłam|leżę)(?: ze śmiechu)? |
    (?:wielkie|serdeczne|stokrotne|piękne)? ?(?:dzięki|dzięks)(?: (?:wielkie|serdeczne|śliczne|bardzo|za wszystko|ci))* |
    (?:bardzo |ślicznie |serdecznie )?dziękuję(?: (?:bardzo|ślicznie|serdecznie|ci|pani|panu))* | (?:miłego|dobrego|udanego|
    spokojnego|miłej|dobrej|spokojnej|udanej|fajnego)(?: (?:dnia|wieczoru|weekendu|popołudnia|tygodnia|nocy|niedzieli|
    soboty|podróży|pracy|urlopu))(?: (?:życzę|również|też))? | dobranoc | (?:dobre|świetne|ciekawe) pytanie |
    (?:ale )?(?:śmieszne|super|fajnie|jaja|czad|numer|heca|śmiesznie) | na razie |
    cieszę się(?: (?:bardzo|że mog(?:łem|łam) pomóc))? |
    (?:я )?(?:сейчас|скоро|щас|ща|через (?:минуту|минутку|секунду))(?: (?:вернусь|приду|буду|подойду|отвечу))+ |
    (?:отойду|отошёл|отошла)(?: на (?:минуту|минутку|секунду))? | (?:подожди|подождите|погоди|погодите|постой|стой|минутку|
    минуточку|минута|секунду|секундочку|сек|момент|одну (?:минуту|минутку|секунду))(?: (?:немного|чуть-чуть|минутку|
    секунду))? | (?:мне )?(?:пора|надо (?:бежать|идти)|побежала?|побегу|пошла?|пошёл)(?: (?:спать|бежать|идти))? |
    до (?:завтра|встречи|связи|скорого|вечера|свидания|понедельника) |
    (?:спишемся|созвонимся|увидимся|услышимся|поговорим)(?: (?:позже|потом|завтра|скоро))? | (?:дай(?:те)?|давай(?:те)?|
    надо|нужно|позволь(?:те)?)(?: мне)? (?:подума\\w+|посмотр\\w+|провер\\w+|глян\\w+)(?: (?:немного|минутку|над этим|
    об этом))? | (?:подумаю|посмотрю|посмотрим|проверю|увидим|поглядим) |
    (?:всё |теперь )?(?:понял|поняла|понятно|ясно|дошло|понимаю|усёк) | (?:забей|забудь|неважно|не важно|проехали|
    ничего страшного|не за что|не вопрос|всегда пожалуйста|без проблем|не стоит|пустяки|нет проблем|не парься) | (?:не знаю|
    без понятия|понятия не имею|кто знает|может быть|возможно|посмотрим|зависит|сложно сказать)(?: (?:точно|пока|ещё))? |
    (?:умираю|ору|ржу|я не могу)(?: (?:со смеху|в голос))? |
    (?:огромное|большое|большущее)? ?спасиб(?:о|ки|очки)(?: (?:огромное|большое|тебе|вам|за всё|за помощь|ещё раз))* |
    (?:хорошего|доброго|приятного|удачного|отличного|спокойной|доброй|хороших)(?: (?:дня|вечера|ночи|утра|выходных|отдыха|
    аппетита|пути))(?: (?:тебе|вам))? | (?:хороший|отличный|интересный) вопрос |
    (?:ты )?(?:молодец|лучший|лучшая|супер|чудо|даёшь|даешь|крут\\w*) | рада? (?:помочь|слышать|за (?:тебя|вас))
"""
_LAUGHS = (
    r"(?:a?(?:ha|he|hi|ho|ja|je|ji|hua|kha){2,}h?j?|(?:rs|ks|bua|mua|hue){2,}|l[ou]+l+(?:z|ol)*|lma+o+|rof+l+|x+d+|k{2,}"
    r"|w{2,}|mdr+|ptdr+|jsp|а?(?:ха|хе|хи){2,}х?|лол|ржу|hihi|hehe|ahah\w{0,8}|jaj\w{0,8}|haha\w{0,8}|аха\w{0,8})"
)
# Chinese, Japanese and Korean: parts of a clause, and those that only go with them.
SPACELESS_TURNS = (
    r"稍?等我?一?(?:下|会儿?|等)|稍等(?:片刻)?|我?(?:马上|很快|一会儿?|待会儿?|等下|去去)就?(?:回来|来|回)|(?:回头|改天"
    r"|下次|待会儿?|一会儿?|明天|晚点|以后|有空)再?(?:聊|说|见|联系)|先这样|我?(?:先|得|该)(?:走|下|睡|撤|忙)了?|让我(?:再"
    r"|先|好好)?(?:想|看|考虑|查)一?(?:想|看|下)?|我?(?:再|先)?(?:想想|看看|考虑)(?:一下)?|不太?(?:清楚|确定|懂)|没(?:概念"
    r"|想法|听懂)|说不好|难说|看情况|也许|可能吧|大概|应该吧|随便|无所谓|算了|别管|当我没问|别客气|不用(?:谢|客气)|应该的"
    r"|小意思|笑死我?|绝了|逗死|理解|好[滴嘞]|行吧|[喔噢唉哎呃额诶欸嗯]+|嘻嘻|呵呵|老实说|说实话|怎么说呢|帮[到上]?[你您]"
    r"|高兴|好问题|好梦|路上小心|保重|(?:待って|お待ち)(?:て|ください|下さい|いて)*|(?:すぐ|後で|あとで|また)に?(?:戻|来"
    r"|連絡|話)(?:る|り|そう|して)?|また(?:後で|あとで|今度|明日|来週|後日|お会い)|じゃあ?また|それじゃあ?|失礼"
    r"|行ってきます|おつかれ|考えさせて|考えて(?:み|お)|(?:調べ|確認し|見)て(?:み)|[わ分]から(?:ない|ん)|わかんない"
    r"|知ら(?:ない|ん)|微妙|どう(?:だろう?|かな)|かもしれ(?:ない|ません)|かもね?|たぶん|多分|うーん|う[ー〜]+ん|えー?っ?と"
    r"|ふむ|ふーん|へー+|ほー+|やば(?:い|っ)?|うける|ウケる|わろた|ワロタ|w{2,}|理解|把握|りょ|りょうかい|おけ|オッケー"
    r"|オーケー|気にしない(?:で)?|いえいえ|とんでもない|こちらこそ|お互い様|なんでもない|お役に立て|嬉しい|うれしい"
    r"|お?気をつけて|(?:いい|良い)(?:質問|一日|夜|週末)|잠깐만?|잠시만?|기다려 ?(?:줘|주|봐)?|(?:금방|곧|바로|이따가?"
    r"|나중에|내일|다음에|또) ?(?:올게|갔다 ?올게|돌아올게|봐|봬|봅시다|보자|뵐게|얘기해?|이야기해?|연락할게|말할게|만나)"
    r"|(?:이만|이제|먼저) ?(?:가 ?볼게|갈게|잘게)|가 ?볼게|생각해 ?(?:볼게|보고|볼)|(?:확인해|찾아) ?볼게|모르겠|몰라|글쎄"
    r"|아마|그럴지도|아무튼|어쨌든|음+|흠+|헐|헉|웃(?:겨|기다|긴다|기네)|이해(?:했|돼|됐|가)|됐(?:어|고|다)|신경 ?쓰지 ?마"
    r"|별말씀을?|별거 ?아니|오키|ㅇㅋ|ㅇㅇ|ㄴㄴ|ㄱㅅ|ㅎㅇ|ㅂㅂ|ㅠ+|ㅜ+|안녕히|주무세|푹 ?쉬|도움이 ?되(?:어|었|셨)?|기쁘"
    r"|기뻐|언제든지?|조심히|수고(?:하|했)"
)
SPACELESS_FILLERS = (
    r"那个?|其实|我|也|还|再|先|好好|休息|能|哈|为|感谢|ちょっと|少々|少し|よく|まだ|全然|あん?まり|さっぱり|やっぱり"
    r"|ゆっくり|では|じゃあ?|まあ|まぁ|えっと|休んで|ください|から|て|の|られ|かな|솔직히|사실|뭐|막|좀|그냥|잘|아직|전혀"
    r"|나도|저도|조금|한번|만|서|죽겠|이|데|는데|려|습|요"
)


def _alternatives(phrases: str) -> list[str]:
    """The phrases between " | "; a line may also break behind "|" within a group."""
    return " ".join(re.sub(r"(?<! )\|\s+", "|", phrases).split()).split(" | ")


def longest_first(pattern: str) -> str:
    """The alternatives of a pattern, longest first: what a possessive group has chosen it keeps."""
    return "|".join(sorted(re.findall(r"(?:[^|()]|\([^()]*(?:\([^()]*\)[^()]*)*\))+", pattern), key=len, reverse=True))


FILLER_WORDS = frozenset(part for part in _alternatives(_FILLERS) if part.isalpha())
LAUGH = re.compile(_LAUGHS)
_PART = "|".join(sorted({*_alternatives(_FILLERS), *_alternatives(_TURNS)}, key=len, reverse=True))
# Small letters only.  Possessive groups: matching is linear.
TURN = re.compile(rf"\W*+(?>(?:{_PART}|{_LAUGHS})(?!\w)\W*+)++")
_LEADING = re.compile(rf"\W*+(?>(?:{'|'.join(_alternatives(_FILLERS))}|{_LAUGHS})(?!\w)\W*+)++")
_TRAILING = re.compile(rf"(?:(?<!\w)(?:{'|'.join(_alternatives(_FILLERS))}|{_LAUGHS})\W*+)++$")


def without_fillers(clause: str) -> str:
    """A clause in small letters without the fillers around it.

    >>> without_fillers("tja, no idea, honestly")
    'no idea, '
    """
    begun = _LEADING.match(clause)
    rest = clause[begun.end() :] if begun else clause
    ended = _TRAILING.search(rest)
    return rest[: ended.start()] if ended else rest
