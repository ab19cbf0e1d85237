"""Function words by language: they identify the language of a text, and are not used as search terms."""

# Function words that are also names of people.
ALSO_NAMES = frozenset(
    "ale ben bo dan din ela eli ella han hans jo kim mia min ona sen una wen".split()  # noqa: SIM905
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": _words("""
        a about above after again against all also am an and any are aren as at be because been before being below
        between both but by can could couldn did didn do does doesn doing don down during each few for from further
        get got had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn
        it its itself just ll ma me might more most must my myself no nor not now of off on once only or other our
        ours out over own re same she should shouldn so some such than that the their theirs them themselves then
        there these they this those through to too under until up upon us ve very was wasn we were weren what when
        where which while who whom whose why will with won would wouldn you your yours yourself
    """),
    "de": _words("""
        aber als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein deine deinem deinen deiner
        dem den denn der des dessen dich die dies diese dieser dieses dir doch dort du durch ein eine einem einen
        einer eines er es euch euer für gegen hab habe haben hast hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre
        ihrem ihren ihrer im in ins ist ja jede jeder jedes jetzt kann kannst kein keine können machen man mein meine
        meinem meinen meiner mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem
        seinen seiner seit sich sie sind so über um und uns unser unsere unter viel vom von vor wann war waren warst
        warum was weil welche welcher welches wem wen wenn wer werde werden wie wieder will wir wird wirst wo wurde
        wurden zu zum zur zwischen
    """),
    "fr": _words("""
        ai as au aussi aux avait avec avez avoir avons c ce cela ces cet cette ceux chez comme comment d dans de des
        donc du elle elles en es est et été était être eu eux fait il ils j je l la là le les leur leurs lui m ma mais
        me même mes moi mon n ne nos notre nous on ont ou où par pas pendant plus pour pourquoi qu quand que quel
        quelle quelles quels qui quoi s sa sans se sera ses si son sont sous suis sur t ta te tes toi ton tu un une
        vers vos votre vous y à ça
    """),
    "es": _words("""
        a al algo como con cual cuando cuándo cuál cuánto cómo de del desde donde dónde dos durante e el él ella ellas
        ellos en entre era eran es esa ese eso esta está están estaba estas este esto estos fue fueron fui ha había
        hace hay han has he hasta la las le les lo los más me mi mis mucho muy nada ni no nos nosotros o os otra otro
        para pero por porque qué que quien quién se sea ser si sí sin sobre son soy su sus también te tenía tiene
        tengo ti tu tus tú un una uno unos usted y ya yo
    """),
    "it": _words("""
        a ad ai al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle di dove due e ed è
        era erano gli ha hai hanno ho i il in io la le lei lo loro lui ma mi mia mio ne nel nella no noi non o per
        perché più quale quando quanto quella quello questa questo se sei si sia sono sta su sua sul sulla suo ti tra
        tu tua tuo un una uno vi voi
    """),
    "pt": _words("""
        a à ao aos as até com como da das de dela dele do dos e é ela elas ele eles em entre era essa esse esta está
        este eu foi foram há isso isto já lhe mais mas me meu meus minha muito na não nas nem no nos nós o os ou para
        pela pelo por porque qual quando quanto que quem são se sem ser seu seus só sua suas também te tem tenho teu
        tua um uma você vocês onde
    """),
    "nl": _words("""
        aan al als ben bij daar dan dat de deze die dit doch doen door een en er ge geen geweest haar had heb hebben
        heeft hem het hier hij hoe hun ik in is ja je jij jullie kan kon maar me meer men met mij mijn moet na naar
        niet nog nu of om omdat onder ons ook op over te toen tot u uit van veel voor waar waarom wanneer want waren
        was wat we wel welke werd wie wij wil worden zal ze zei zelf zich zij zijn zo zou
    """),
    "ru": _words("""
        а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть ещё же за
        и из или им их к как какой какая какие когда который кто куда ли мне мной моего моей моём мои мой мою моя моё мы на нам
        нас не него нее
        ней нет ни них но о об он она они оно от по под почему при с сам свой себя со так там то тоже только ты тебе
        тебя у уже чего чей чем что чтобы эта эти это этот я
    """),
    "sv": _words("""
        alla att av blev bli de dem den denna det detta dig din ditt du där efter ej eller en er ett från för ha hade han
        hans har hennes här honom hos hur hon i icke ingen inte jag kan kunde man med mellan men mig min mina mitt mot
        mycket ni nu när någon något några och om oss på samma sedan sig sin sitt ska skulle som så till under upp ut
        utan vad var vara varför vem vi vid vilken vår än är över
    """),
    "da": _words("""
        af alle at blev blive da de dem den denne der deres det dette dig din disse dog du efter eller en er et for fra
        ham han hans har havde have hende hendes her hos hun hvad hvem hvor hvordan hvorfor hvornår hvis i ikke ind jeg
        jer kan kunne man mange med meget men mig min mine mit mod ned noget nogle nu når og også om op os over på selv
        sig sin skal skulle som sådan til ud under var vi vil ville vor være været
    """),
    "no": _words("""
        alle at av ble bli da de deg dem den denne der deres det dette din disse du eller en enn er et etter for fordi
        fra ha hadde han hans har henne hennes her hos hun hva hvem hvor hvordan hvorfor hvis i ikke ingen inn jeg kan
        kunne man med meg men mer min mine mitt mot mye noe noen nå når og også om opp oss over på seg selv sin skal
        skulle som så til under ut var vi vil ville være vært
    """),
    "fi": _words("""
        ei eli emme en ennen et että eivät he hän hänen ja jo joka jos kanssa kuin kuka kun me mihin mikä miksi milloin
        minkä minä minun minut minulla mitä missä mukaan mutta myös ne niin nyt oli olen olet on ovat se sen siellä sinä
        sinun sitten tai te tämä tämän vai vain voi
    """),
    "hu": _words("""
        a az abban ahol aki akkor ami az be csak de egy el én és ez ezt fel hogy hol hogyan ha is itt ki kell le lesz ma
        meg mert mi mikor mint mit már most ne nekem neked nem ő ők én on ott pedig sem szerint te ti után van vagy vagyok
        volt voltam
    """),
    "ro": _words("""
        a ai al ale am ar are așa au avea ca că care când ce cel cine cu cum da dar de deci din după e ea ei el ele eu este
        fi fost în îl îmi își la le lui mă mai mea mei meu mi nici nu o ori pe pentru prin sa sau să se și sunt suntem ta
        te tu un una unde unei unui va voi vor
    """),
    "tr": _words("""
        acaba ama ancak bana bazı belki ben beni benim bir biri biz bu bunu burada çok çünkü da daha de değil diye en gibi
        hangi hem hep her hiç için ile ise kadar ki kim mi mı mu mü nasıl ne neden nerede o olan olarak oldu ona onu onun
        sana şey sen seni siz şu ve veya ya
    """),
    "pl": _words("""
        a aby ale bardzo bez bo był była było być bym ci co czy dla do gdy gdzie go i ich ile im ja jak jako jej jego jest
        jestem kiedy kto która które który ma mam mi mnie moja moje mój mu my na nad nie nim o od on ona oni po pod przed
        przez przy są się sobie swój ta tak także tam te tego ten to tu tym ty w we wszystko z za ze że
    """),
}

# Verbs and nouns of any subject: a question and a memory that share only these are not about the same thing.
GENERAL_WORDS: dict[str, frozenset[str]] = {
    "en": _words("""
        work works working make makes making made go goes going come comes use used uses using take takes taking give
        need needs want mean means meaning happen happens help helps start starts become know think say tell find put
        keep let try look thing things way ways kind people person
    """),
    "de": _words("""
        funktioniert funktionieren machen macht mache gehen geht gehe kommen kommt brauchen braucht benutzen bedeutet
        passiert heißt geben gibt nehmen nimmt finden denken wissen sagen Ding Dinge Leute Mensch Menschen Art
    """),
    "fr": _words(
        "fonctionne fonctionner marche marcher faire fais font aller va vont utiliser prendre donner signifie chose gens"
    ),
    "es": _words("funciona funcionan funcionar hacer hago hacen ir va van usar usa tomar dar significa cosa cosas gente"),
    "it": _words(
        "funziona funzionano funzionare fare faccio fanno andare va vanno usare usa prendere dare significa cosa gente"
    ),
    "pt": _words("funciona funcionam funcionar fazer faço faz fazem ir vai vão usar usa dar significa coisa coisas gente"),
    "nl": _words("werkt werken werk maken maakt gaan gaat komen gebruiken nemen geven betekent ding dingen mensen"),
    "pl": _words("działa działają działać robić robi robią iść używać brać dać znaczy oznacza rzecz rzeczy ludzie"),
    "ru": _words("работает работают работать делать делает делают идти использовать брать дать значит означает вещь люди"),
}

# Frequent Japanese and Chinese character pairs that have a grammatical function and no content.
STOP_PAIRS = _words("""
    です ます まし した して てい いる ある あり から まで こと もの との には では ので
    のに ない なか かっ った たの のは のが のを する され れた いま せん でし だっ って
    たい ませ よう なに いつ どこ だれ どれ 什么 怎么 哪里 哪儿 我们 你们 他们 她们 这个
    那个 是不 没有 时候 多少
""")
