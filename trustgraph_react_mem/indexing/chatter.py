"""Small talk in words that no list of phrases has: "brill, cheers mate", "hope you slept well", "bis morgen dann, schlaf gut".

A clause is small talk if one of its words greets, thanks, agrees or judges, and every other word goes with such words or is a
function word.  A clause about the person who says it, or with a number or a name, is none: it may state something.  The same
words are what a comment adds to what it repeats: "12 May will be a wonderful day."
"""

import re
from functools import lru_cache

from .function_words import FUNCTION_WORDS
from .small_talk import ACKNOWLEDGEMENT, spell_out
from .text.tasks import speaks_of_asker
from .tokenizer import without_accents
from .turn_taking import FILLER_WORDS, LAUGH, SPACELESS_FILLERS, SPACELESS_TURNS, TURN, longest_first, without_fillers

LONGEST_PHRASE = 160  # characters of a clause that is small talk
MOST_WORDS = 9

# Words that greet, thank, agree or judge, by language: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish,
# Russian.
_CORE_WORDS = """
    hi hello hey heya hiya howdy yo greetings goodnight welcome bye goodbye cheerio farewell thanks thank thx ty ta cheers
    grateful appreciated appreciate please sorry apologies pardon oops whoops ok okay okey alright fine sure correct true
    exactly indeed agreed absolutely definitely certainly precisely totally understood noted gotcha fair enough sense good
    great nice cool lovely brilliant brill neat ace perfect awesome amazing wonderful fantastic excellent superb fabulous fab
    splendid marvellous marvelous terrific super sweet cute gorgeous magnificent charming delightful adorable fun funny
    hilarious interesting fascinating exciting thrilling impressive helpful useful handy clever smart genius legend lifesaver
    shame pity annoying nuisance weird odd bummer ouch damn wow whoa oh ah aha hm hmm uh um er lol haha hehe congratulations
    congrats worries worry problem bother hurry rush clue idea plan deal shout joke kidding fault alligator enjoy luckily
    fortunately thoughtful considerate huh obliged stressful lucky jealous relieved touching inspiring relief touché deffo
    defo aye cheerful dreamy cosy cozy tasty delicious yummy tidy ideal sorted bless phew yikes ugh meh whatever anyway
    anyways blast darn brutal rough tough proper solid wicked epic sick stunning lush gutted chuffed peachy groovy swell
    righto alrighty okie dokie unfortunately hopefully yay hooray hurray woohoo glad happy pleased proud clear gladly
    pleasure hallo moin servus danke dankeschön dank bitte tschüss tschau ciao ade klar genau richtig stimmt gut gute guten
    gutes guter prima toll tolle tolles toller klasse spitze perfekt wunderbar wunderbare wunderbarer großartig fantastisch
    hervorragend ausgezeichnet geil krass schön schöne schönen schönes schöner nett nette netter süß süße süßer schick hübsch
    hübsche lustig witzig interessant spannend schade verstanden einverstanden gern gerne natürlich selbstverständlich sicher
    logisch entschuldigung verzeihung ahnung idee glückwunsch gratuliere gratulation willkommen hurra leider herzlichen
    jawohl freut lecker ärgerlich passt jup jo jepp nö nee ey läuft egal traumhaft herrlich gemütlich sportlich mega hammer
    krasse fein feines lieben bombe tschö salut bonjour bonsoir coucou merci désolé désolée bienvenue adieu bravo
    félicitations parfait parfaite génial géniale chouette sympa excellente magnifique merveilleux merveilleuse formidable
    bon bonne bien vu vrai exact exactement effectivement compris entendu noté accord souci soucis idée gentil gentille joli
    jolie beau belle mignon mignonne drôle marrant intéressant intéressante dommage zut ouf bof hein volontiers plaisir
    évidemment absolument certainement tranquille top nickel impec carrément ouais ouaip nan tant pis coup bisous bises
    chouettes sportif ravi ravie heureusement malheureusement chic hola buenas buenos gracias perdón perdona disculpa
    bienvenido bienvenida adiós chao felicidades enhorabuena perfecto perfecta genial estupendo estupenda guay chulo
    excelente fantástico fantástica maravilloso maravillosa increíble bueno buena visto cierto verdad exacto exactamente
    claro entendido anotado acuerdo vale bonito bonita precioso preciosa lindo linda gracioso interesante lástima pena vaya
    uf ojalá venga chévere listo hecho tranquilo tranquila hombre mujer uy ay besos abrazo saludos nos chaval encantado
    encantada rico rica sol crack mono mona amable buongiorno buonasera buonanotte salve grazie scusa scusami scusi benvenuto
    benvenuta arrivederci complimenti congratulazioni auguri perfetto perfetta ottimo ottima bello bella bellissimo
    bellissima eccellente fantastico fantastica meraviglioso meravigliosa incredibile buono buona buon bene giusto vero
    esatto esattamente certo capito chiaro annotato accordo ragione problema dai forza figo sì magari pazienza figurati baci
    abbraccio saluti tranquillo ci carino carina simpatico divertente interessante peccato boh mah evviva volentieri prego
    gentilissimo gentile piacere olá oi obrigado obrigada valeu desculpa desculpe bem-vindo tchau parabéns perfeito perfeita
    ótimo ótima legal maneiro maravilhoso maravilhosa incrível bom boa bem verdade exato exatamente acordo ideia combinado
    blz show massa bacana beijos abraço abraços saudações até giro gira fixe engraçado nossa puxa razão beleza joia prazer
    hoi dankjewel dankuwel bedankt alstublieft alsjeblieft doei dag groetjes gefeliciteerd proficiat geweldig geweldige
    uitstekend goed goede goeie mooi mooie leuk leuke gezellig fijn fijne lekker lekkere juist precies klopt inderdaad
    begrepen genoteerd duidelijk akkoord probleem lief schattig grappig jammer helaas helder oké okee joh hè doeg groeten
    kusjes heerlijk sportief tuurlijk snap welkom natuurlijk zeker tof goedemorgen goedemiddag goedenavond welterusten graag
    cześć hej witaj witam witajcie dzięki dziękuję dziękuje przepraszam proszę pa papa gratulacje gratuluję świetnie świetny
    świetna świetne ekstra doskonale doskonały wspaniale wspaniały wspaniała wspaniałe cudownie cudowny dobrze dobry dobra
    dobre dobrego miłego miły miła miło miłej spokojnej słusznie słuszna słuszny racja prawda dokładnie jasne oczywiście
    rozumiem zrozumiano zapisane pomysł pojęcia problemu ładny ładna ładne piękny piękna piękne zabawne ciekawe interesujące
    szkoda no luz git serdecznie pozdrawiam buziaki spokojnie trudno ojej niestety fajnie fajny fajna spoko zgoda pewnie
    wielkie привет здравствуй здравствуйте спасибо благодарю пожалуйста извини извините простите прости пока поздравляю
    поздравляем отлично отличный отличная отличное прекрасно прекрасный прекрасная прекрасное замечательно замечательный
    замечательная замечательное супер класс классно здорово круто хорошо хороший хорошая хорошее хорошего доброго доброе
    добрый приятного верно правильно точно именно конечно разумеется понятно ясно понял поняла записал записала договорились
    согласен согласна ну ок окей угу круть огонь топ блин ничего всего целую обнимаю привета лады идея мысль понятия проблем
    красиво красивый красивая милый милая мило смешно интересно жаль жалко увы ладно ага ура рад рада удачи приятно чудесно
    чудесный чудесная
"""
# Words that go with them.
_BESIDE_WORDS = """
    yes yeah yep yup no nope nah right there everyone everybody folks guys mate mates buddy pal friend friends dear love
    lovey back well much really quite pretty always day days weekend week evening evenings morning mornings afternoon night
    nights time times one ones thing things stuff point question call luck news later soon tomorrow tonight today see talk
    speak catch hear sleep slept rest dream dreams take care make makes sound sounds look looks feel feels seem seems hope
    know think say tell said let going keep honest honestly frank frankly actually basically anyway though tho plenty lot
    lots bit little big huge million best better like god goodness gosh man dude bro sir madam many ever never yet still
    choice name names must what how fingers crossed tight year moving move mean works worry fair kindly dearly place town
    city weather journey trip stay meal birthday wedding forward looking way hand new happen helpful help helped morgen abend
    nacht tag tage nachmittag mittag wochenende zusammen allerseits allen leute wirklich echt ganz mal schon dann später bald
    gleich schlaf schlafen träum gehabt geht gesagt ehrlich überhaupt absolut total voll wahr sache plan punkt wort hilfe
    mühe tipp rat reise besserung appetit erfolg glück spaß fahrt feierabend klingt hört bleibt keine alle alles wieder namen
    wahl wie was für neues jahr liebe grüße schönes matin soir soirée journée nuit jour jours demain bientôt tout monde tous
    vraiment très trop assez franchement honnêtement chance voyage appétit week-end moment temps nom choix quel quelle quels
    quelles aucune aucun beaucoup mille mieux alors donc bref voilà oui non ami amie amis encore déjà día días tarde tardes
    noche noches mañana luego pronto hasta todos todas todo amigo amiga amigos semana finde fin descansa duerme sueños suerte
    viaje provecho punto pregunta cosa mil muchas muchísimas tan idea ninguna eres realmente honestamente francamente nombre
    elección nada problema hay suena gran giorno giornata pomeriggio sera serata notte mattina domani presto dopo tutti tutte
    tutto amico amica settimana fine dormi sogni fortuna viaggio appetito domanda tante molto davvero veramente onestamente
    nome scelta niente nessun nessuna saprei bel bei sarà proprio fa dia dias noite manhã amanhã logo breve tudo gente fim
    dorme sonhos sorte viagem apetite ponto pergunta coisa muitas escolha faço nenhuma pensado sem grande middag avond dag
    ochtend allemaal iedereen jongens vriend slaap lekker geluk reis eetlust punt vraag ding heel erg eigenlijk eerlijk
    gezegd naam keuze niks geen straks gauw snel weer klinkt wat hoe dzień dnia wieczór wieczoru noc nocy rano jutro
    wszystkim wszyscy przyjaciele weekendu tydzień śpij szczęścia podróży smacznego pytanie rzecz naprawdę szczerze mówiąc
    imię wybór żadnego żaden później wkrótce uwaga brzmi bardzo wielki nie to jaki jaka jakie день дня вечер вечера утро утра
    ночь ночи завтра всем все друзья друг подруга выходных неделя спи сны путешествия аппетита вопрос пункт вещь очень правда
    честно говоря имя выбор никакого нет потом скоро позже огромное большое совсем звучит какой какая какое какие будет будут
"""
# Chinese, Japanese and Korean: whole clauses made of such parts.
_SPACELESS_CORE = (
    r"原来(?:如此|是这样|这样)|这样啊|不知道|好吗|对吗|行吗|可以吗|好不好|对不对|早上好|早安|上午好|中午好|下午好|晚上好"
    r"|晚安|你好|您好|大家好|再见|拜拜|谢谢|多谢|感谢|辛苦|不客气|没关系|没事|对不起|抱歉|不好意思|好的|好吧|可以|行|对|是的"
    r"|没错|有道理|说得[对好]"
    r"|明白|知道了|了解|收到|懂了|记住了|太好了|太棒了|真棒|真好|不错|厉害|好主意|有意思|有趣|可惜|恭喜|祝贺|加油|哈哈|嘿嘿"
    r"|嗯|哦|哇|哎呀|没问题|当然|欢迎|好名字|真可爱|可爱|好听|好漂亮|漂亮|太巧了|明天见|回见|祝你"
    r"|おはよう|こんにちは|こんばんは|おやすみ|さようなら|じゃあね|またね|また明日|またあとで|ありがとう|どうも"
    r"|どういたしまして|すみません|すいません|ごめん|失礼|お疲れ|よろしく|はい|うん|ええ|そう|なるほど|確かに|たしかに|了解"
    r"|承知|わかりました"
    r"|分かりました|わかった|分かった|もちろん|いいね|いいですね|良い|よかった|良かった|すごい|すてき|素敵|素晴らしい"
    r"|すばらしい|最高|完璧|面白い|おもしろい|楽しみ|楽しそう|残念|おめでとう|頑張って|がんばって|へえ|ほんと|本当|あはは|笑"
    r"|かわいい|可愛い|きれい"
    r"|いい名前|いい考え|お大事に|助かり|助かる|その通り"
    r"|知らなかった|なんだ|でしょう?|그랬구나|몰랐|알지|알았지|그렇지|맞지|오케이|안녕|좋은 ?(?:아침|저녁|하루|밤|주말|생각"
    r"|질문|이름)|잘 ?자|잘 ?가|또 ?봐|내일 ?봐|고마워|고맙|감사|천만에|미안|죄송|실례|괜찮|네|예|응|그래|그렇|맞아|맞습니다"
    r"|맞네|알겠|알았|물론|당연|좋아|좋네|좋습니다|좋겠|멋지|멋져|대단|최고|완벽|훌륭|재미있|재밌"
    r"|아쉽|안타깝|축하|화이팅|파이팅|힘내|하하|ㅋ+|ㅎ+|아하|오+|와+|진짜|정말|대박|다행|귀엽|예쁘|수고|반가|그러게"
)
_SPACELESS_BESIDE = (
    r"真的?|很|太|非常|你|您|大家|啊|呀|呢|吧|啦|了|的|哦|嘛|也|都|就|这|那|是|个|一下|一天|今天|明天|周末|愉快|开心|得|好"
    r"|主意|名字"
    r"|とても|本当に|ほんとに|みなさん|皆さん|です|ます|でした|ました|ございます|ございました|します|しました|だ|よ|ね|な|ー"
    r"|さい|なさい|あなた|も|に|は|が|お|願い|いい|一日|今日|明日|週末|を|で|と|それ|これ|この|その|名前|元気"
    r"|요|이에요|예요|습니다|하세요|해요|해|합니다|드려요|드립니다|하루|주말|아침|저녁|보내|되세요|모두|여러분|정말|너무|참"
    r"|그거|이거|생각|이름|어|아|지|군요|네요|구나|겠다|겠어요|십시오|시오|주무세요|세요|계세요|가세요|히|입니다|다|어요"
    r"|아요|게"
)
_SPACELESS_CORE = rf"{SPACELESS_TURNS}|{_SPACELESS_CORE}"
_SPACELESS_PART = longest_first(rf"{_SPACELESS_CORE}|{_SPACELESS_BESIDE}|{SPACELESS_FILLERS}")
_SPACELESS = re.compile(rf"\W*+(?=.*?(?:{_SPACELESS_CORE}))(?:(?:{_SPACELESS_PART})\W*+)++", re.IGNORECASE)
_SPACELESS_SCRIPT = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
MOST_SPACELESS = 20  # characters
_WORD = re.compile(r"[^\W_]+(?:-[^\W\d_]+)*")
_FRAMES = re.compile(
    r"\W*(?:(?:and|but|so|well|oh|ah|ok|okay|yes|no|yeah|right|then|just)\W+)*(?:"
    r"(?:i |we )?(?:just |really |still |honestly )?(?:(?:can't|cannot|can not|couldn't) (?:wait|believe (?:it|that)|complain"
    r"|say(?: (?:that )?i (?:know|do|have))?|tell(?: you)?)|(?:doubt|guess|suppose|reckon|bet|hope|appreciate|love|like|get"
    r"|know"
    r"|remember|understand|see|agree|think|mean) (?:it|that|this|so|not|what you mean)|owe you one|give up|beg your pardon)"
    r"|(?:i |we )?(?:couldn't|could not) agree more|(?:i |yes i )?(?:see|know|get) (?:what you mean|your point"
    r"|where you're coming from)"
    r"|(?:i'm |i am )?(?:so |very |really )?(?:glad|happy|pleased) (?:i could|to(?: be able to)?) (?:help|assist|hear it"
    r"|be of help)"
    r"|that(?:'ll| will) do(?: nicely| fine)?|(?:anyway )?moving on|(?:i |yes i )?still (?:have|know|remember) (?:that|it)"
    r"|(?:i |we )?(?:didn't|did not|never) (?:know|realise|realize)(?: (?:that|it))?|i(?:'ll| will) take your word(?: for it)?"
    r"|not really|much obliged|(?:ich |das )*wusste(?: ich)?(?: das| gar)* nicht|(?:das )?ergibt sinn|macht sinn"
    r"|ist (?:notiert|gespeichert)"
    r"|je ne savais pas|j'ignorais|no (?:lo )?sabía|non (?:lo )?sapevo|non ci (?:posso credere|credo)|não sabia|fico contente"
    r"|(?:dat )?wist ik (?:niet|helemaal niet)|nie wiedział[ae]m|(?:я )?(?:и )?не знала?|вот как|вот оно что|mach'?s gut|ta-?ra"
    r"|(?:talk|speak) to you (?:soon|later|in a bit|tomorrow)|(?:queda )?anotado|ne prendo nota|fingers crossed"
    r"|right you are|sleep (?:tight|well)|catch you later|(?:let's|let us) (?:see|move on|carry on|get on with it)"
    r"|hasta (?:mañana|luego|pronto|la próxima|otra|el \w+)(?: entonces)?|(?:ci sentiamo|a) (?:dopo|domani|presto|stasera"
    r"|più tardi)"
    r"|do (?:jutra|zobaczenia|usłyszenia|wieczora)|до (?:завтра|встречи|скорого|вечера|понедельника)|tot (?:morgen|straks"
    r"|gauw|snel|later)"
    r"|bis (?:morgen|später|nachher|bald|dann|heute abend|nächste woche)|à (?:demain|plus|tout à l'heure|ce soir|la prochaine)"
    r"|até (?:amanhã|logo|já|breve|mais|à próxima)|boh non saprei|non saprei(?: dire)?"
    r"|my (?:bad|fault|mistake|apologies|goodness|god|word|pleasure)|too bad|not bad(?: at all)?|that'?s (?:life"
    r"|all(?: for now)?|it)"
    r"|(?:me|you|same|him|her|us) (?:too|to you|as well|both|neither)|(?:to )?you too|and you|here (?:we|you) go|there (?:we"
    r"|you) go"
    r"|(?:i'm |i am |we're )?(?:so |really |very |quite |all |just |feeling )*(?:excited|looking forward to (?:it|that)"
    r"|all ears|back"
    r"|curious|impressed|confused|speechless|me again|done)|(?:it's |its )?me again|good times|finally|at (?:long )?last"
    r"|(?:speak|talk|chat|see you|see ya|catch you|catch up|until|till|laters?) (?:soon|later|tomorrow|then|tonight|again"
    r"|next week"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:good )?(?:morning|evening|afternoon)(?= ?!)"
    r"|(?:good )?(?:mornin'?g?|evening|afternoon|night),? (?:all|everyone|everybody|folks|team|night|to you(?: (?:too"
    r"|as well))?)"
    r"|(?:where|what) (?:were|was) (?:we|i|it)(?: (?:again|saying))?|(?:i|we) have no (?:idea|clue)|beats me|who knows"
    r"|search me"
    r"|(?:ich|wir) (?:habe|hab|haben) keine(?:n)? (?:ahnung|schimmer|plan)|ich freue? mich(?: (?:schon|sehr|drauf|darauf"
    r"|riesig))*"
    r"|kann(?:'s| es) kaum erwarten|ich kann es kaum erwarten|mein fehler|ach du meine güte|da bin ich wieder|guter (?:punkt"
    r"|einwand)"
    r"|je (?:n'(?:en )?ai |n'en ai )?(?:aucune|pas la moindre) idée|j'ai (?:trop )?hâte|vivement|ça marche|c'est (?:gentil"
    r"|noté|clair"
    r"|vrai|chouette|génial|dommage|sympa)|je suis (?:d'accord|désolée?|ravie?|contente?)|mon dieu|ma faute"
    r"|no tengo (?:ni )?(?:la menor )?idea|qué (?:ganas|bien|bonito|pena|lástima|guay)|tengo (?:muchas )?ganas|me (?:alegro"
    r"|encanta)"
    r"|lo siento|estoy de acuerdo|mi (?:culpa|error)"
    r"|non (?:ne )?ho (?:la minima )?idea|non vedo l'ora|sono d'accordo|che (?:bello|peccato|bella|gentile)|mi (?:dispiace"
    r"|piace)"
    r"|colpa mia|hai ragione"
    r"|não (?:faço|tenho) (?:a (?:menor|mínima) )?ideia|mal posso esperar|estou de acordo|que (?:bom|pena|legal|giro|fixe)"
    r"|concordo"
    r"|sinto muito|culpa minha|tens razão|tem razão"
    r"|ik heb (?:echt )?geen (?:flauw )?idee|ik kan niet wachten|ik heb er zin in|mijn fout|daar heb je gelijk in"
    r"|je hebt gelijk"
    r"|nie mam (?:zielonego |bladego )?pojęcia|nie mogę się doczekać|moja wina|masz rację|zgadzam się"
    r"|(?:я )?(?:и )?понятия не имею|(?:я )?(?:уже )?жду не дождусь|(?:я )?не могу дождаться|мой косяк|моя вина|ты прав\w?"
    r"|вы правы"
    r"|как дела|как ты|как жизнь)(?:\W+(?:then|mate|again|all|everyone|though|now|honestly|dann|alors|entonces|allora|então"
    r"|dan|więc))?\W*",
    re.IGNORECASE,
)


# "The wedding was brilliant" tells something; "that was brilliant" only judges.
_HAS_SUBJECT = re.compile(
    r"^\W*(?:(?:and|but|so|well|oh|ok|okay|yes|no|und|aber|et|mais|y|pero|e|ma|en|maar|i|a|и)\W+)*"
    r"(?!(?:it|that|this|these|those|there|here|what|how|all|everything|you|your|das|es|dies\w*|wie|alles"
    r"|dein\w*|du|ihr|ce|cela|ça|c"
    r"|tout|ton|ta|votre|eso|esto|todo|tu|qué|questo|quello|tutto|isso|isto|tudo|dat|dit|het|alles|to|wszystko|это|всё|все)\b)"
    r"(?:[^\W\d_]+\W+){1,3}?(?:is|was|are|were|ist|war|sind|waren|est|était|sont|es|está|era|son|è|sono|é|foi|zijn|jest|był\w*)\b",
    re.IGNORECASE,
)
# An event with one of these tells something: "Birthday today, yay!", "No meal for him".
_EVENTS = frozenset(
    without_accents(
        "place town city journey trip stay meal birthday wedding moving move reise fahrt voyage viaje viaggio"
        " viagem reis podróży"
        " путешествия"
    ).split()
)
_TELLS_OF_EVENT = frozenset(
    without_accents(
        "today tomorrow tonight soon later new no morgen heute bald neues keine demain bientôt mañana pronto"
        " domani presto amanhã logo"
        " morgen straks jutro wkrótce завтра скоро"
    ).split()
)
# What a comment may share with what it comments on, and yet say otherwise: "You never eat fish", "in the evening".
_TELLS = (_EVENTS - {"move", "moving"}) | frozenset(
    without_accents(
        "no nope nah never ever always not like love gern gerne better best new many "
        " name names today tomorrow"
        " tonight soon later weekend week morning mornings afternoon evening evenings night nights"
        " time times dream dreams"
        " morgen abend nacht nachmittag mittag wochenende heute bald später namen kein keine nö nee"
        " ne matin soir soirée"
        " nuit demain bientôt nom non aucune aucun nan tarde tardes noche noches"
        " mañana semana finde"
        " nombre ninguna nada pomeriggio sera serata notte mattina domani settimana nome"
        " niente nessun nessuna "
        " noite manhã amanhã nenhuma sem middag avond ochtend naam geen niks wieczór"
        " wieczoru noc nocy rano jutro"
        " tydzień imię nie żadnego żaden вечер вечера утро утра ночь ночи завтра неделя имя никакого нет"
    ).split()
)
_CORE = frozenset(without_accents(_CORE_WORDS.casefold()).split())
_VOCABULARY = _CORE | frozenset(map(without_accents, (*_BESIDE_WORDS.casefold().split(), *FILLER_WORDS)))
_COMMENTS = _VOCABULARY - _TELLS
_FUNCTION_WORDS = frozenset(without_accents(word) for words in FUNCTION_WORDS.values() for word in words)
# Words that are capitalised within a sentence, and yet no names.
_CAPITALISED = frozenset(
    without_accents(
        "i ok sie ihnen ihr tag abend nacht morgen nachmittag mittag wochenende leute ahnung idee plan punkt wort hilfe mühe"
        " tipp rat reise besserung appetit erfolg glück spass fahrt feierabend name namen wahl dank glückwunsch"
        " gratulation sache"
    ).split()
)


@lru_cache(maxsize=4096)
def is_chatter(clause: str) -> bool:
    """Whether a clause only greets, thanks, agrees or judges.

    >>> is_chatter("brill, cheers mate"), is_chatter("I work nights"), is_chatter("good, the code is 7731")
    (True, False, False)
    """
    if len(clause) > LONGEST_PHRASE:
        return False
    plain = spell_out(clause).replace("’", "'")
    if ACKNOWLEDGEMENT.fullmatch(clause) or TURN.fullmatch(clause.casefold()):
        return True
    said = plain.casefold()
    if any(form.fullmatch(each) for each in (said, without_fillers(said)) for form in (ACKNOWLEDGEMENT, TURN, _FRAMES)):
        return True
    if _SPACELESS_SCRIPT.search(plain):
        return len(plain) <= MOST_SPACELESS and _SPACELESS.fullmatch(plain) is not None
    words = _WORD.findall(plain)
    if not words or len(words) > MOST_WORDS or speaks_of_asker(plain) or any(map(str.isdigit, plain)):
        return False
    serious = [word for word in words if not LAUGH.fullmatch(word.casefold())]
    laughs, words = len(serious) < len(words), serious
    folded = [without_accents(word.casefold()) for word in words]
    if (not laughs and _CORE.isdisjoint(folded)) or _HAS_SUBJECT.match(plain):
        return False
    if not (_EVENTS.isdisjoint(folded) or _TELLS_OF_EVENT.isdisjoint(folded)):
        return False
    named = (word for word, each in zip(words[1:], folded[1:], strict=True) if word[0].isupper() and each not in _CAPITALISED)
    if not all(word[0].isupper() for word in words) and any(named):
        return False
    return all(each in _VOCABULARY or each in _FUNCTION_WORDS for each in folded)


def without_comments(text: str) -> str:
    """What a comment says apart from words of small talk: "12 May will be a wonderful day" says "12 May will be a"."""
    return _WORD.sub(lambda found: " " if without_accents(found.group().casefold()) in _COMMENTS else found.group(), text)
