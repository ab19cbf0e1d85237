"""Recognises the request for everything that is known of a person: "What do you know about me?", "Que sais-tu de moi ?".

Such a question names nothing that a memory could resemble, so its similarities say nothing.  It is answered with more memories
than others, all of them the person's own words.  A question that names a topic ("What do you know about my dog?") is no such
request.

Also recognises questions about several memories: "In which order did I visit the museums?", "Summarise how the project went".
They need more places than those about a single thing, and their memories are shown in the order of time.

Sources: common wordings of twelve languages.
"""

import re

LONGEST, SEVERAL_LONGEST = 140, 400  # characters read of a request, and of a question about several memories
_WORD = re.compile(r"[^\W\d_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that express the request; without one of them a sentence is none.
_ASKS = _words("""
    know known remember recall learned learnt stored saved told facts recap summary summarise summarize overview profile
    memories describe weißt wissen weisst erinnerst gemerkt gespeichert erzählt fakten zusammenfassung überblick profil
    fass fasse beschreibe sais savez souviens rappelles retenu enregistré dit résumé résume profil décris sabes sabe recuerdas
    recuerda
    guardado contado dicho resumen resume perfil describe sai sapete ricordi memorizzato detto raccontato riassunto riassumi
    profilo descrivi lembra lembras guardado guardaste contei disse resumo perfil descreve weet weten herinner onthouden
    opgeslagen verteld samenvatting overzicht profiel beschrijf wiesz pamiętasz zapamiętałeś zapamiętałaś zapisałeś
    powiedziałem powiedziałam mówiłem mówiłam podsumuj podsumowanie profil opisz знаешь знаете помнишь помните запомнил
    запомнила запомнили сохранил сохранила рассказал рассказала говорил говорила резюме профиль опиши перечисли
""")
_ABOUT = _words("""
    me myself i mich mir ich mein meine mon moi je m j mi mí yo io ho me mim eu mij mezelf ik mnie mi mój
    mówiłem mówiłam powiedziałem powiedziałam sobie мне меня я себе обо
""")
# Words that may stand beside them.
_BESIDE = _words("""
    what which everything all anything who do did does have has had you your can could would will please give show list tell
    made make summed sum up write the a an of on about regarding concerning far until till now already currently
    actually still really
    short brief quick complete full in few words things stuff information info details data that is are there here my ve
    s re and memory file mind else again to with from am us
    was welche alles alle wer du dir sie ihnen dein deine hast haben habe hab kannst können könntest würdest bitte gib zeig
    nenne liste sag erzähl mal auf über von zu bisher bis jetzt schon eigentlich noch kurz kurze zusammen eine einen ein das
    die den der dinge informationen infos daten und ist sind bin alles gedächtnis was denn nochmal
    que quoi qu quelles quels tout toutes tous qui est ce tu te vous as avez peux pouvez peux-tu s il te plaît plait donne
    montre liste dis fais de d du sur à au propos déjà jusqu ici maintenant encore un une le la les des en choses
    informations infos données et suis ai bref sujet quoi
    qué cuál cuáles todo todas todos quién tú te ha has he puedes puedas por favor dame muestra lista dime haz hazme de lo
    del sobre acerca ya hasta ahora aún un una el la los las cosas información datos y soy lo breve
    che cosa cosa quali tutto tutte tutti chi tu ti hai ho puoi per favore dammi mostra elenca dimmi fai di del su
    riguardo già finora fino adesso ora ancora un una il la lo le gli cose informazioni dati e sono quello
    o que qual quais tudo todas todos quem tu você te tem tens tenho pode podes por favor dá me mostra lista diz faz de do
    sobre acerca já até agora ainda um uma os as coisas informações dados e sou foi
    wat welke alles alle wie je jij u heb hebt kun kan wil geef toon noem som vertel eens op over van tot nu toe al
    eigenlijk nog kort een het de dingen informatie gegevens en ben is zijn allemaal
    co jakie wszystko wszystkie kto ty masz możesz proszę podaj pokaż wymień o do tej pory dotąd już jeszcze teraz krótko
    rzeczy informacje dane i jestem to ci na temat mój
    что какие всё все кто ты вы тебе вам можешь можете пожалуйста дай покажи расскажи о про до сих пор уже ещё еще сейчас
    кратко вещи информация информацию данные и это об краткое список
""")
_VOCABULARY = _ASKS | _ABOUT | _BESIDE
# Whole requests that consist of other words.
_WHOLE = re.compile(
    r"\W*(?:(?:and|so|then|please|tell me|say|sag mir|dis-moi|dime|dimmi),?\s+)?(?:who am i|wer bin ich|qui suis-je|quién soy"
    r"|chi sono|quem sou(?: eu)?|wie ben ik|kim jestem|кто я|(?:tell me|talk) (?:everything |all )?about (?:me|myself)"
    r"|erzähl mir (?:alles |was )?(?:über|von) mi(?:r|ch)|parle-moi de moi|háblame de mí|parlami di me|fale sobre mim"
    r"|vertel me (?:alles )?over mij(?:zelf)?|opowiedz mi o mnie|расскажи мне обо мне)\W*",
    re.IGNORECASE,
)
_WITHOUT_SPACES = re.compile(
    r"(?:关于|对)我[^的，。]{0,6}(?:知道|了解|记得|记住)|(?:知道|了解|记得|记住)了?(?:关于)?我(?:的)?(?:哪些|什么|多少|一切|所有)"
    r"|(?:总结|概括|列出|说说|介绍)[^，。]{0,8}(?:关于我|我的(?:信息|情况|资料|一切))|我都?(?:跟|和|对|向)?你?(?:说|告诉)过?你?(?:哪些|什么|些什么)"
    r"|我是谁|私(?:の|に関する)?(?:こと|について)[^の、。]{0,10}(?:知って|覚えて|記憶|教え|まとめ)|私(?:の|に関する)情報"
    r"|私が(?:これまで|今まで)?に?(?:話した|言った|教えた)こと|私は誰"
    r"|(?:나|저|내|제)에 ?(?:대해|관해)서? ?[^,.]{0,10}(?:알고|기억|아는|알아|말해)"
    r"|(?:나|저)에 대한 ?(?:모든 )?(?:정보|기억|것)"
    r"|내가 ?(?:지금까지 )?(?:말한|알려준|얘기한) ?(?:모든 )?(?:것|거|내용)|(?:내가|제가) 누구"
)


def asks_for_recap(question: str) -> bool:
    """Whether the question asks for everything that is known of the person.

    >>> asks_for_recap("What do you know about me?"), asks_for_recap("What do you know about my dog?")
    (True, False)
    """
    text = question.replace("’", "'").strip()
    if not 4 <= len(text) <= LONGEST:
        return False
    if _WHOLE.fullmatch(text) or _WITHOUT_SPACES.search(text):
        return True
    words = _WORD.findall(text.casefold().replace(" so far", ""))
    return len(words) >= 3 and _VOCABULARY.issuperset(words) and not _ASKS.isdisjoint(words) and not _ABOUT.isdisjoint(words)


_SEVERAL = re.compile(
    # Lists and counts
    r"\b(?:list|name|enumerate|collect|gather|compare) (?:me )?(?:all|every|the|my|our|each|some|\w+ ?things|different|both)\b"
    r"|\b(?:all|any|each|every one) of (?:the|my|our|his|her|their)\b|\ball (?:the|my|our|his|her|their|\w+ that|different)\b"
    r"|\bevery (?:time|place|book|film|movie|trip|thing|one|occasion)|\beverything\b"
    r"|\bhow often\b|\bhow many (?:\w+ )?(?:times|different|kinds|types)\b"
    r"|\bhow many\b.{1,80}\b(?:across|altogether|in total|so far|over the|throughout|until now)\b"
    r"|\b(?:what|which) (?:are|were) (?:all|the (?:different|various|main)|some of)\b|\bwhat else\b"
    r"|\b(?:several|various|different) (?:\w+ )?(?:aspects|things|ways|topics|kinds|types|places|times|occasions|features)\b"
    # Summaries, order, course of time
    r"|\bsumm?ar(?:y|ies|i[sz]e[ds]?|i[sz]ing)\b|\bsum up\b|\b(?:recap|overview|timeline|chronolog\w+)\b"
    r"|\bin (?:what|which) (?:order|sequence)\b|\b(?:order|sequence) (?:in which|of (?:the |my |our )?\w+)\b|\bin order\b"
    r"|\bwalk me through\b|\bstep by step\b|\bfrom (?:first|start|beginning|oldest) to\b"
    r"|\b(?:history|course|evolution|development|progress) of (?:the|my|our|his|her|their)\b"
    r"|\bover (?:time|the (?:years|months|weeks))\b"
    r"|\b(?:across|throughout|in all) (?:my|our|all|the|these) (?:\w+ )?"
    r"(?:conversations?|sessions?|chats?|messages?|discussions?|talks)\b"
    # German
    r"|\b(?:liste|zähle?|nenne?|sammle) (?:mir )?(?:bitte )?(?:alle[sn]?|sämtliche|meine|die)\b|\balle (?:meine|die|unsere)\b"
    r"|\bwie oft\b|\bjedes mal\b|\bfasse?\b.{1,80}\bzusammen\b|\bzusammenfass\w+|\büberblick\b|\breihenfolge\b|\bchronolog\w+"
    r"|\bder reihe nach\b|\bverlauf\b|\bim laufe?\b"
    # French, Spanish, Italian, Portuguese
    r"|\b(?:tou(?:s|tes) (?:les|mes|nos)|combien de fois|chaque fois|résum\w+|dans quel ordre|chronolog\w+|au fil)\b"
    r"|\b(?:tod[oa]s (?:l[oa]s|mis)|cuántas veces|cada vez|resum\w+|en qué orden|cronol\w+|a lo largo)\b"
    r"|\b(?:tutt[ie] (?:i|le|gli)|quante volte|ogni volta|riassum\w+|riassunto|in che ordine|in quale ordine|nel corso)\b"
    r"|\b(?:tod[oa]s (?:os|as)|quantas vezes|em que ordem|em qual ordem|ao longo)\b"
    # Dutch, Polish, Russian
    r"|\b(?:alle (?:mijn|de|onze)|hoe vaak|elke keer|vat .{1,80} samen|samenvat\w+|in welke volgorde|verloop)\b"
    r"|\b(?:wszystkie|ile razy|za każdym razem|podsum\w+|w jakiej kolejności|chronolog\w+)\b"
    r"|\b(?:все (?:мои|наши|книги|места|раз\w*)|сколько раз|каждый раз|подытож\w+|в каком порядке|хронолог\w+|перечисли\w*)\b"
    # Chinese, Japanese
    r"|所有|每次|多少次|几次|总结|概括|列出|顺序|先后|すべて|全て|全部|何回|毎回|まとめて|要約|順番|時系列|一覧",
    re.IGNORECASE,
)
# Each wording above contains one of these beginnings of words.  To search for all wordings takes a millisecond.
_BEGINNING_WORDS = """
    list name enumerat collect gather compare all any each every often many else main some several various different sum recap
    overview timeline chronolog order sequence walk step first start beginning oldest history course evolution development
    progress time years months weeks conversation session chat message discussion talk
    zähl nenn samml oft mal fass zusammen überblick reihe verlauf lauf jede tous toutes fois résum ordre fil todos todas veces
    vez resum orden cronol largo tutt volt riassun ordin corso vezes ordem longo vaak keer vat samen volgorde verloop wszystk
    raz podsum kolejno все раз подытож порядк хронолог перечисл
"""
_BEGINNINGS = tuple(_BEGINNING_WORDS.split())
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def asks_for_several(question: str) -> bool:
    """Whether a question is about several memories.

    >>> asks_for_several("In which order did I visit the museums?")
    True
    >>> asks_for_several("Which museum did I visit first?")
    False
    """
    text = question[:SEVERAL_LONGEST]
    words = _WORD.findall(text.lower())
    if not any(word.startswith(_BEGINNINGS) for word in words) and not _SPACELESS.search(text):
        return False
    return _SEVERAL.search(text) is not None
