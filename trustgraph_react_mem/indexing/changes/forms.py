"""The forms of sentences by which ``changes`` recognises statements that replace one another, in twelve languages.

Sources: common wordings of moves, new jobs, new numbers, ended habits and corrections.  Patterns are searched in one clause or
one short message, so each search is bounded.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ..text.quantity_patterns import MONTH


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def anywhere(latin: str, spaceless: str = "") -> re.Pattern[str]:
    """A pattern for whole words of scripts with spaces, and for parts of text without."""
    return re.compile(rf"\b(?:{latin})\b" + (f"|{spaceless}" if spaceless else ""), re.IGNORECASE)


_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|(?<=\w)\.(?=\w)|(?<=\bDr)\.|(?<=\bM[rs])\.|(?<=\bMrs)\.)+")
_CLAUSE = re.compile(r"\s*[,;:](?=\s)\s*|\s[–—-]\s(?=\S+\s\S+\s)|[，；：、]")


def sentences(text: str) -> Iterator[str]:
    return (found.group() for found in _SENTENCE.finditer(text) if not found.group().isspace())


def clauses(text: str) -> Iterator[str]:
    """The clauses of a text, without what ends them."""
    for sentence in sentences(text):
        for clause in _CLAUSE.split(sentence):
            if clause and not clause.isspace():
                yield clause.strip()


# "My editor's a chap called Desmond": these words follow no possessive.
_NOUN_IS = re.compile(r"(?<=\w)'s(?= (?:now|currently|an?|at|in|on|up|down|due|called|not|back)\b)", re.IGNORECASE)


def with_is(text: str) -> str:
    return _NOUN_IS.sub(" is", text) if "'s " in text else text


KEPT = 8192  # texts taken apart, each once, because it is compared with many others
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
FIRST_PERSON = words("""
    i im ive we user ich wir je j nous yo nosotros io noi eu nós ik wij ja my я мы
""")
THIRD_PERSON = words("""
    he she they his her hers their its who whose which you your er sie sein seine seinen ihr ihre ihren du dein deine elle ils
    elles son sa ses leur leurs qui tu ton ta tes vous votre él ella ellos su sus lui lei loro suo sua che ele ela eles seu
    sua hij
    zij ze haar hun jouw jij oni jego jej który która он она они его её их ваш твой
""")
# Words of a subject that do not distinguish two things.
SUBJECT_NOISE = words("""
    i im ive we my our user the a an this mine ich wir mein meine meinen meiner unser unsere unseren der die das den dem
    ein eine je
    j nous mon ma mes notre nos le la les l un une yo mi mis nuestro nuestra el los las io mio mia miei mie il lo gli i eu
    meu minha
    meus minhas nosso o os as ik mijn onze ons de het een ja mój moja moje nasz я мой моя моё мои мы наш наша now currently
    actually
    acabo acaba also just already recently finally no so anyway well new current
    latest here news jetzt nun neu neue neuer neues neuen aktuelle maintenant nouveau
    nouvelle
    nouvel ahora nuevo nueva adesso ora nuovo nuova agora novo nova nu nieuwe nieuw teraz nowy nowa nowe теперь новый новая
    новое de del du des da do of von van di dello della dell d
""")
SUBJECT_NOISE_WITHOUT_SPACES = re.compile(
    r"今年|私の|僕の|うちの|我们的|我的|我家的|우리|내|现在|目前|今は|今の|新しい|新的?|现在的"
)
FIRST_PERSON_WITHOUT_SPACES = re.compile(r"^\W*(?:私|僕|俺|我(?!的)|저는|나는|내가|제가)")
# People whom a person may have several of, and other owners of things: another one is another thing.
PEOPLE = re.compile(
    r"\b(?:mum|mom|mother|dad|father|parents?|sister|brother|sibling|wife|husband|partner|girlfriend|boyfriend|son|daughter"
    r"|kids?|child(?:ren)?|cousin|aunt|uncle|niece|nephew|grand\w+|friends?|colleagues?|neighbou?rs?|boss|flatmates?"
    r"|roommates?|tenants?|cat|dog|pet|in-law|mutter|mama|vater|papa|eltern|schwester|bruder|frau|mann|sohn|tochter"
    r"|kind(?:er)?"
    r"|tante|onkel|oma|opa|freund(?:in)?|kolleg\w+|nachbar\w*|chef(?:in)?|katze|hund|mère|père|parents|sœur|soeur"
    r"|frère|femme"
    r"|mari|fils|fille|enfants?|ami[e]?|collègue|voisine?|chat|chien|madre|padre|padres|hermana|hermano|esposa|marido"
    r"|hijo|hija"
    r"|amig[oa]|vecin[oa]|gato|perro|genitori|sorella|fratello|moglie|marito|figli[oa]|amic[oa]|vicin[oa]|gatto|cane|mãe|pai"
    r"|pais|irmã|irmão|mulher|filh[oa]|vizinh[oa]|cachorro|moeder|vader|ouders|zus|broer|vrouw|zoon|dochter|vriend(?:in)?"
    r"|buur\w+|kat|hond|mat(?:ka|ki|kę)|mama|mamy|ojciec|ojca|siostr\w+|brat\w?|żon\w|mąż|męża|syn\w?|córk\w|przyjaci\w+"
    r"|мам\w|мат\w+|пап\w|от\w?ц\w?|сестр\w|брат\w?|жен\w|муж\w?|сын\w?|дочь?|дочер\w|дяд\w|тёт\w|тет[яиею]\w?|бабушк\w|дедушк\w|babci\w|dziad\w+|cioci\w|wuj\w*|nonn[oa]|zi[oa]|abuel[oa]|tí[oa]|oncle|друг\w?|подруг\w|сосед\w*)\b"
    r"|母|父|妈|爸|哥|姐|妹|姉|兄|弟|妻|夫|老婆|老公|丈夫|儿子|女儿|息子|娘|朋友|友達|同事|엄마|아빠|어머니"
    r"|아버지|누나|언니|오빠|형|동생|아내|남편"
    r"|아들|딸|친구",
    re.IGNORECASE,
)
# Nouns whose number is a name: "flat 3" and "flat 4" are two things.
LABELLED = re.compile(
    r"\b(?:flat|apartment|apt|room|house|number|no|nr|unit|gate|platform|bus|line|tram|train|route|chapter|page|level|floor"
    r"|door|lot|exit|channel|version|road|highway|terminal|volume|part|episode|season|class|grade|team|group|box"
    r"|locker|shelf"
    r"|wohnung|zimmer|haus|nummer|linie|gleis|kapitel|seite|tür|raum|etage|appartement|chambre|ligne|quai|numéro|porte|salle"
    r"|étage|piso|habitación|línea|número|puerta|sala|andén|stanza|linea|numero|porta|appartamento|binario"
    r"|apartamento|quarto"
    r"|linha|kamer|lijn|spoor|deur|mieszkanie|mieszkaniu|pokój|linia|peron|numer|квартир\w|комнат\w|лини\w|номер)"
    r"\W{0,2}\d",
    re.IGNORECASE,
)
JOB_ENDED = anywhere(
    r"(?:quit|left|resigned from|lost|gave up) (?:my|his|her|their|the) (?:job|position|work|clinic|company)"
    r"|(?:started|start|begun|began|got|have|took|found) (?:working|work|a (?:new )?job)|new (?:job|employer) is"
    r"|(?<!n't )(?<!not )(?:quit|resigned|retired)(?! \w+ing)(?! (?:the|a) )"
    r"|gekündigt|in rente|démissionn\w+|dimess[oa]|me jubilé|ontslag"
    r"|уволил\w+",
    "辞职|離職|离职|退休|退職|仕事を辞め|会社を辞め|퇴사|퇴직|회사를? ?그만|일을? ?그만",
)
_AM = r"(?:i am|i'm|(?:ich )?bin|je suis|soy|sono|(?:eu )?sou|(?:ik )?ben|jestem)"
_ARTICLES = r"(?:(?:now|jetzt|nun|maintenant|ahora|adesso|ora|agora|nu|teraz|an?|eine?|un[ae]?|uma?|een) )*"
BY_TRADE = re.compile(
    rf"\b{_AM} {_ARTICLES}(?P<value>[^\W\d_][\w-]{{2,30}}(?: [\w-]{{2,20}})?) (?:by (?:trade|profession|training)|von beruf"
    r"|de (?:métier|profession|profesión|profissão)|di (?:professione|mestiere)|van beroep|z zawodu)\b"
    r"|\bпо профессии я (?P<russian>\w{3,30})",
    re.IGNORECASE,
)
# German has no article before trades; nouns have a capital.
TRADE_NOW = re.compile(
    r"\b(?:[Bb]in|[Ww]erde) (?:ich )?(?:jetzt|nun|inzwischen|mittlerweile) (?!Vater|Mutter|Mama|Papa|Oma|Opa|Onkel|Tante"
    r"|Single|Mitglied"
    r"|Vega|Veget|Witwe)(?P<value>[A-ZÄÖÜ][a-zäöüß-]{2,30})(?!\w)"
)
# The person has another job; what it is follows as "I'm a baker now".
JOB_CHANGED = anywhere(
    r"(?:switched|changed|new) (?:careers?|jobs?|professions?)|career change|retrained|neue[rn] (?:beruf|job)"
    r"|(?:beruf|job) gewechselt|umgeschult|(?:changé de|nouveau) (?:métier|travail|boulot)|reconverti\w*"
    r"|(?:cambiado|cambié) de (?:trabajo|profesión)|nuev[oa] (?:trabajo|profesión)|cambiato (?:lavoro|mestiere|professione)"
    r"|nuovo (?:lavoro|mestiere)|(?:mudei|troquei) de (?:emprego|profissão|trabalho)|nieuwe baan|nieuw beroep"
    r"|van (?:baan|beroep) (?:veranderd|gewisseld)|zmienił\w* (?:pracę|zawód)|нов\w+ (?:работ\w+|професси\w+)"
    r"|сменил\w* (?:работу|профессию)",
    "転職|转行|换工作|換工作|이직",
)
AM_NOW = re.compile(
    rf"\b{_AM} {_ARTICLES}(?P<value>[^\W\d_][\w-]{{2,30}})"
    r"|(?:现在是|今は)(?P<spaceless>[^\s，。、]{1,10}?)(?:です|だ|了|[，。]|$)"
    r"|지금은 (?P<korean>\S{1,10}?)(?:예요|이에요|입니다)",
    re.IGNORECASE,
)
# First-person verbs: the subject is the speaker, wherever it is.
SPEAKERS_VERB = anywhere(
    r"(?:wohnen|leben|ziehen) wir|woon ik|wonen (?:we|wij)|wohne|lebe|ziehe|arbeite|vivo|vivimos|trabajo|abito|abitiamo"
    r"|lavoro|moro|moramos|trabalho|mieszka(?:m|my)|pracuję"
    r"|przeprowadzi(?:ł[ae]?m|liśmy|łyśmy)|живу|живём|работаю|me mudé|me mudei|nos mudamos|mudei|mudamos|shifted|mi sono"
    r"|(?:me|nos) (?:vine|vinimos|he venido|hemos venido|fui|fuimos|he ido|hemos ido)|me he mudado|nos hemos mudado"
    r"|ci siamo|on (?:a|habite|vit)|mudei-me|mudámo-nos"
)
OTHERS_VERB = anywhere(
    r"lives|resides|is based|has|works|wohnt|lebt|ist|arbeitet|vit|vive|mudó|abita|mora|mudou|woont|werkt|mieszka|живёт"
)
COPULA = re.compile(
    r"\s+(?:(?:is|are|'s) (?:now |currently )?(?:(?:called|named) )?|(?:is|are|was|were|has been|have been|got) (?:now )?"
    r"(?:moved|changed|postponed|rescheduled|shifted|brought forward|raised|reduced|increased) (?:from .{1,30} )?to "
    r"|(?:starts?|begins?|takes place|costs?|closes?|opens?|leaves?|arrives?) "
    r"|(?:went up|went down|rose|fell|dropped|increased|changed) to |(?:ist|sind|lautet|beträgt|kostet) (?:jetzt |nun "
    r"|ab sofort )?"
    r"|heißt (?:jetzt )?|wurde .{0,20}verschoben auf |(?:est|sont) (?:maintenant |désormais )?|s'appelle |(?:es|está|son"
    r"|están) "
    r"(?:ahora )?|se llama |è (?:ora |adesso )?|sono |si chiama |é (?:agora )?|são |se chama |(?:is|zijn) (?:nu )?|heet "
    r"|(?:jest|są) (?:teraz )?|nazywa się |зовут |(?:теперь )?— |теперь )(?P<value>\S.*)",
    re.IGNORECASE,
)
COPULA_WITHOUT_SPACES = re.compile(
    r"^(?P<subject>.{2,30}?)(?:は|が|叫做?|是|改成了?|改为|换成了?|变成了?|은|는|이|가)\s?(?P<value>.+)"
)
MOVED = re.compile(
    r"\b(?:moved|changed|postponed|rescheduled|shifted|switched) (?:my|our|the|his|her|their) (?P<subject>.{2,40}?)"
    r"(?: from .{1,30}?)? to (?P<value>.+)",
    re.IGNORECASE,
)
# Things that have one value at a time, so that two different words for them are a change: "my favourite drink is tea".
SHIFTED = anywhere(r"moved|changed|postponed|rescheduled|shifted|brought forward|verschoben")
DIGITS = re.compile(r"(?=(?:\D*\d){6})[\d\s()+/.-]+")  # of a telephone number
ATTRIBUTE = anywhere(
    r"favou?rite|preferred|usual|current|main|regular|go-to|status|colou?r|diet|password|address|deadline"
    r"|language|title|role|job|profession|employer|boss"
    r"|doctor"
    r"|lieblings\w*|adresse|beruf|farbe|passwort|préféré\w*|métier|favorit[oa]s?|preferid[oa]s?|trabajo|contraseña"
    r"|preferit[oa]"
    r"|lavoro|profissão|lievelings\w*|baan|wachtwoord|ulubion\w+|hasło|любим\w+|пароль",
    "好きな|最喜欢|最爱|密码|좋아하는|パスワード",
)
NAMED = anywhere(r"called|named|name is|heißt|s'appelle|se llama|si chiama|se chama|heet|nazywa się|зовут", "叫")
# Values that say how or where the subject is at the moment: "my boss is on holiday", "she is called a hero".
DESCRIBES = re.compile(
    r"(?:on (?:holiday|leave|vacation|\w+ leave)|away|off|ill|sick|im urlaub|auf reisen|krank|en vacances"
    r"|de vacaciones|in vacanza|de férias|op vakantie)\b",
    re.IGNORECASE,
)
ARTICLE = re.compile(r"(?:an?|eine?|une?|una|uno|um|uma|een)\s+[a-zß-ÿ]")  # "called a hero" is not a name
ONE_HOLDER = anywhere(
    r"landlord|landlady|boss|manager|doctor|dentist|gp|lawyer|therapist|teacher|vermieter\w*|chef(?:in)?|\w*arzt|\w*ärztin"
    r"|propriétaire|médecin|dentiste|jefe|médico|casero|capo|medico|huisbaas|tandarts|szef|lekarz|начальник|врач",
    "主治医|担任|上司|大家|家主|医生|班主任|老板|房东|主管|주치의|담임|집주인|상사|의사",
)
TITLED = re.compile(r"^(?:dr|mr|mrs|ms|miss|prof|herr|frau|m|mme|sr|sra|sig)\b", re.IGNORECASE)
# A name with a title, in scripts without spaces, after the subject's particle.
TITLED_WITHOUT_SPACES = re.compile(
    r"^[^\W\d_]{1,8}? ?(?:先生|さん|医師|氏|医生|老师|女士|선생님?|씨|교수님?|원장님?)(?!の|でした|だった|였|이었)"
)
PAST_SUBJECT = anywhere(
    r"old|former|previous|first|last|alte[rsn]?|ehemalige\w*|vorige\w*|ancien(?:ne)?|vie(?:ux|ille)|viej[oa]|antigu[oa]"
    r"|anterior"
    r"|vecchi[oa]|precedente|antig[oa]|velh[oa]|oude|vorige|star[yae]|poprzedni\w*|стар\w+|прежн\w+|бывш\w+",
    "以前|前の|旧|之前|原来|예전",
)
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|ème|e|º|ª|[.](?=\s|,|$))(?!\w)", re.IGNORECASE)
# What a statement of a new state usually has.
NOW = anywhere(
    r"now|currently|nowadays|these days|from now on|as of|since|new|moved|shifted|relocated|settled|changed|switched"
    r"|started|recently|just|instead"
    r"|actually"
    r"|jetzt|nun|inzwischen|mittlerweile|seit|neu\w*|ab sofort|\w*gezogen|gewechselt|geändert|maintenant|désormais|depuis"
    r"|nouve\w+|chang\w+|(?:dé|em)ménagé|ahora|desde|nuev[oa]|cambi\w+|mud\w+|adesso|ora|ormai|nuov[oa]|trasferit\w+|agora"
    r"|nov[oa]"
    r"|nu|tegenwoordig|sinds|nieuw\w*|verhuisd|veranderd|teraz|obecnie|now[yae]|od (?:niedawna|"
    rf"{MONTH})"
    r"|zmieni\w+|przeprowadz\w+|теперь|сейчас"
    r"|нов\w+|переехал\w*|сменил\w*|изменил\w*",
    "今|新し|引っ越|変わ|変更|现在|如今|新|搬|换|改|이제|지금|새|이사|바뀌|바꿨",
)
ADDS = anywhere(
    r"also|too(?! (?!(?:but|and|so|on|in|at|for|with|now|when|because|since|these|this|from)\b)\w)"
    r"|(?<!to )another|as well"
    r"|second(?![- ]?(?:hand|grade|floor))|(?<!to the )(?<!with the )other|part of"
    r"|partly|weekends|during the week|half the"
    r"|in (?:the )?(?:summer|winter)"
    r"|auch|noch ein\w*|außerdem|zweit\w*|aussi|également|autre|week-ends|también|otr[oa](?! vez)|anche|altr[oa]"
    r"|também|outr[oa]|ook|nog een|też|także|drug\w+|тоже|также|втор\w+",
    "(?<!で)も(?![うっと])|也|还|도 ",
)
# Where someone is only at weekends; "we moved at the weekend" was one weekend.
_AT_WEEKENDS = anywhere(r"at the weekend|am wochenende|(?:le |en )week-end", "週末|周末")
MOVED_HOME = anywhere(
    r"moved|relocated|umgezogen|gezogen|déménag\w+|emménag\w+|mud(?:ado|amos|é|ei|ámos)|trasferit\w+|trasloc\w+|verhuisd"
    r"|przeprowadz\w+"
    r"|переехал\w*",
    "引っ?越し|搬[到家去]|이사",
)


@lru_cache(maxsize=KEPT)
def adds(text: str) -> bool:
    """Whether a text says that something is so beside something else."""
    return ADDS.search(text) is not None or (_AT_WEEKENDS.search(text) is not None and MOVED_HOME.search(text) is None)


PAST = anywhere(
    r"was|were|used to|lived|worked|had been|wohnte|lebte|war|arbeitete|était|habitais|travaillais|era|vivía|fue|abitavo|ero"
    r"|morava|woonde|mieszkał[ae]?m|жил[аи]?|был[аи]?",
    "住んでいた|住んでいました|以前|曾经|예전|전에는",
)
FUTURE = anywhere(
    r"will|would|going to(?! (?:the|a|an|my|our)\b| (?-i:[A-Z]))|want to|plan(?:ning)? to|might|could"
    r"|(?<!in )(?<!from )(?<!since )(?<!until )(?<!last )(?<!this )(?<!next )(?<!of )(?<!\d )may(?! \d)"  # the month elsewhere
    r"|maybe|perhaps|thinking (?:of|about)|hope to|if|werde|will"
    r"|(?:ich|wir) ziehen?|ziehen? (?:ich|wir)"  # German says plans in the present tense
    r"|möchte|vielleicht|plane|vais|voudrais|peut-être|voy a|quiero|quizás|quizá|vorrei|forse|quero|vou|talvez|wil|misschien"
    r"|chcę|może|хочу|буду|может"
    r"|(?:hope|wish|dream|dreaming) (?:of|to)|some ?day|würden?|irgendwann|träumen? von|aimer(?:ais|ions)|rêve d[e']"
    r"|(?:me|nos) gustaría|sueño con|ojalá|(?:mi|ci) piacerebbe|sogno di|gostaria|sonho em|zou(?:den)?|droom van|ooit"
    r"|chciał\w*bym|chcielibyśmy|marzę|хотел[аи]? бы|мечтаю",
    "つもり|たい|かもしれ|いつか|打算|想要|想搬|也许|希望能|할 거|싶|언젠가|려고",
)
# A time to come, beside which a change in the present tense is a plan.
AHEAD = anywhere(
    r"tomorrow|next (?!to\b|door\b)\w+|(?:nächste|kommende)[nrsm]? \w+|prochaine?s?|próxim[oa]s?|que (?:viene|vem)"
    r"|prossim[oaie]|(?:volgende?|komende?) \w+|przyszł\w+|następn\w+|следующ\w+|будущ\w+",
    "下周|下星期|下个?月|明年|来週|来月|来年|다음 ?(?:주|달|해)|내년",
)
EVENT = anywhere(
    r"paid|bought|ate|went|met|saw|ran|won|lost|spent|sold|had|did|took|gave|drank|visited|watched|finished|attended|cooked"
    r"|played|booked|ordered"
    r"|(?:i|we|he|she|they|you|who|just|mum|dad|bank|doctor) called|walked|swam|cycled|yesterday|today|tonight"
    r"|tomorrow|this (?:morning|afternoon"
    r"|evening|week)"
    r"|last (?:night|week|month|year)|next (?:week|month)|(?:habe|hatte|haben|bin|sind)\b.{0,80}\b(?:\w{0,8}ge\w+"
    r"|\w+t|\w+en)"
    r"|gestern|heute|(?<!jeden )(?<!am )morgen"
    r"|(?:j'ai|nous avons|je suis|nous sommes)(?: (?:déjà|enfin|bien|tout|juste))? \w*(?:[éiu]|ées?|és|[iu]es?|[iu]s|ert"
    r"|fait|dit)"
    r"|on a \w*(?:é|u|[ns]i|mis|pris|fait|dit)|hier|aujourd'hui|demain|\w{2,}(?:é|ió|aron|ieron)|ayer|hoy"
    r"|(?<!la )(?<!cada )mañana"
    r"|(?:ho|abbiamo|siamo) \w+t[oaie]|ieri|oggi|domani|\w{2,}(?:ei|ou)|ontem|hoje|amanhã|heb|hebben|gisteren|vandaag"
    r"|\w+ł[aey]?m?|wczoraj|dzisiaj|\w+л[аи]?|вчера|сегодня",
    "昨日|今日|明日|昨天|今天|明天|어제|오늘|내일|ました|了|었|았|했",
)
NO_LONGER = anywhere(
    r"decided against|decided not to|ended up not|changed (?:my|our) mind|(?:not|\w+n't) .{0,60}(?:after all|in the end)"
    r"|in the end .{0,40}(?:not|\w+n't)|doch (?:nicht|kein\w*)|(?:letztlich|am ende) .{0,60}nicht|dagegen entschieden"
    r"|(?:finalement|au final) .{0,60}pas|décidé de ne pas|(?:al final|finalmente) no|(?:alla fine|in fin dei conti) non"
    r"|(?:afinal|no fim) (?:\w+ )?não|toch (?:niet|geen)|uiteindelijk .{0,60}niet|jednak nie|ostatecznie nie"
    r"|decidí no|deciso di non|decidi não|передумал\w*|вс[её][ -]таки (?:\w+ )?не|в итоге (?:\w+ )?не"
    r"|no longer|(?:not|never|\w+n't) .{0,60}any ?more"
    r"|(?:i|we)(?:'ve| have)? (?:stopped|quit|gave up|given up)(?! (?:at|by|in|for|to|off|near|over|on)\b)|nicht mehr"
    r"|kein\w* .{0,40}mehr|aufgehört|n(?:e |').{0,40}plus|plus de|ya no|(?:dejé|he dejado) de|non .{0,40}più|ho smesso"
    r"|não .{0,40}mais|deixei de|parei de|niet (?:meer|langer)|geen .{0,40}meer|gestopt(?= (?:met|te))|już nie|przestał\w*"
    r"|больше не"
    r"|перестал\w*|(?<!\bget )(?<!\bgot )(?<!\bam )(?<!'m )(?<!\bare )(?<!'re )(?<!\bis )used to",
    "(?:やっぱり|やはり|結局).{0,20}(?:ない|ません|やめ|中止)|还是(?:不|没)|最后没|决定不|不打算|(?:안|못) .{1,6}기로|지 않기로"
    "|もう.{0,20}(?:ない|ません)|やめ(?:た|ました|ることに)|取りやめ|不再|已经不|戒了"
    "|(?<!受)不(?![了得起错好])[^，。！？不]{1,10}了(?=$|[，。！；])|더 이상|그만뒀|끊었",
)
AGAIN = anywhere(
    r"again|back to|wieder|de nouveau|à nouveau|recommencé à|otra vez|de nuevo|v(?:uelvo|uelto|olví|olvimos) a|di nuovo"
    r"|ricominciato a|de novo|voltei a|weer|znowu|znów|снова|опять",
    "また|又开始|다시",
)
NEGATED = anywhere(
    r"not|never|\w+n't|(?:do|does|did|is|are|was|ca|wo|have|has)nt|nicht|nie|kein\w*|ne|pas|jamais|no|nunca|non"
    r"|não|niet|geen|никогда|не"
    r"|(?<!im )(?<!en )(?<!de )(?<!in )(?<!ende )(?<!\d )(?<!\. )mai(?! \d)",  # Italian, and a month elsewhere
    "ない|ません|不|没|안|않",
)
ASKS_PAST = anywhere(
    r"before(?:hand)?|prior|previous(?:ly)?|former(?:ly)?|used to|earlier|in the past|originally|at first|back then|until"
    r"|ever (?:live|work)|have i (?:ever )?(?:lived|worked)"
    r"|did .{0,40}(?:live|work)|was my|were my|old (?:address|job|number|name|flat|phone|employer|password)|ex"
    r"|history|changed"
    r"|(?:gewohnt|gelebt|gearbeitet)|habitai\w+|travaillai\w+|vivais|vivía\w*|trabajaba\w*|abitav\w+|lavorav\w+|vivev\w+"
    r"|morava\w*|trabalhava\w*|woonde\w*|werkte\w*|gewoond|gewerkt|mieszkał\w*|pracował\w*|жил[аи]?|работал[аи]?"
    r"|früher\w*|vorher\w*|zuvor|davor|ehemalig\w*|damals|bisher\w*|ursprünglich|alte[rsn]? (?:adresse|job|nummer|wohnung)"
    r"|bevor"
    r"|avant|auparavant|ancien(?:ne)?s?|autrefois|précédent\w*|à l'origine|antes|anterior(?:es|mente)?|antiguamente"
    r"|antigu[oa]s?|al principio|prima|in precedenza|precedente|una volta|originariamente|anteriormente|antig[oa]s?"
    r"|no passado"
    r"|vroeger|voorheen|eerder|daarvoor|vorige|destijds|oorspronkelijk|wcześniej\w*|przedtem|kiedyś|dawniej|poprzedni\w*"
    r"|раньше|прежде"
    r"|прежн\w+|до этого|бывш\w+|прошл\w+ (?:адрес|работ\w+)",
    "以前|前に|前は|昔|かつて|元々|もともと|之前|从前|原来|曾经|过去|전에|예전|이전|옛날",
)
VAGUE_SUBJECTS = words("""
    problem thing point question idea issue reason it this that there here what something everything goal weather day es
    das dies
    c ce cela ça esto eso ciò isso dit dat это 这 那
""")


@lru_cache(maxsize=KEPT)
def tells_event(text: str) -> bool:
    return EVENT.search(text) is not None
