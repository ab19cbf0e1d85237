"""Decides whether a message states something.

Questions, greetings, acknowledgements, "I do not know" and repetitions of what was just said are stored like everything that is
said, and help to find the messages around them.  They take no place among the memories shown, because they answer nothing.

The rules are forms of sentences in the languages of ``tokenizer.LANGUAGES`` and some others.  A message states something if one
of its sentences does, and a sentence that has no known form is a statement: a lost statement is worse than a shown question.
"""

import re
from collections.abc import Mapping

from ..memory.ports import JsonValue
from ..memory.records import is_by_assistant
from .chatter import LONGEST_PHRASE, is_chatter, without_comments
from .repeats.normal_form import is_form, without_address
from .small_talk import (
    AS_SAID,
    ECHO_START,
    MOST_OF_SPACELESS_THANKS,
    MOST_OF_THANKS,
    OFFER_START,
    REPORTS_BACK,
    THANKS,
    UNKNOWN,
    UNKNOWN_START,
    spell_out,
)
from .text.asides import is_aside
from .text.taken_for_granted import takes_for_granted
from .text.tasks import is_mere_task
from .tokenizer import is_spaceless, terms
from .turn_taking import without_fillers

STATES = "states"  # key of the payload: whether the record states something
LONGEST = 1000  # characters; a longer message states something
REPEATED = 0.8  # share of an assistant's words that occur in the message before, from which its sentence is a repetition
LONGEST_REMARK, LONGEST_SPACELESS_REMARK = 3, 8  # words, and characters of scripts without spaces, of an assistant's remark
SHORTEST_CLAUSE = 3  # words of a clause that states something

_SENTENCES = re.compile(r"[^.!?。！？؟…\n]+[.!?。！？؟…]*")
_CLAUSES = re.compile(r"[,;:，、；：]| [-–—] ")
_WORD = re.compile(r"[^\W_]+")
_AROUND = re.compile(r"^\W+|\W+$")
_QUESTION_START = re.compile(
    r"\W*(?:(?:and|but|so|ok|okay|hi|hey|hello|then|also|now|please|well|und|aber|also|et|mais|alors|y|pero|e|ma|en|maar|а"
    r"|и)\b\W*)*"
    r"(?:what|what's|whats|where|where's|when|when's|who|who's|whose|whom|which|why|how|how's"
    r"|(?:do|does|did|can|could|would|will|should|is|are|was|were|am|have|has|may|shall) (?:i|you|we|he|she|it|they|my|your"
    r"|our|his"
    r"|her|their|there|the|this|that|any|anyone|someone)"
    r"|(?:tell|remind) me (?:again )?(?:what|where|when|who|which|why|how|about|my|the|your)|do you (?:know|remember)"
    r"|c'est (?:quoi|où|qui|quand|comment|combien)|y a-t-il|ken je|kent u|kennst du"
    r"|(?:got |have you got )?any (?:ideas?|tips?|advice|suggestions?|recommendations?|thoughts|clue|news)\b(?! of (?:my|our))"
    # Of these only what ends as a question: "Any dairy gives me a rash."
    r"|(?:(?:got |have you got )?any(?:thing|one|body)?|tu (?:connais|sais|peux|as une idée|saurais)|conosci"
    r"|conosce|c'è qualche"
    r"|conoces|conheces?|znasz|(?:ты )?знаешь|gibt(?:'s| es)|hay algún|há algum)(?=\s.{0,300}[?？]\W*$)"
    r"|(?:i(?:'m| am| was)? |just )?wonder(?:ing)? (?:what|where|when|who|which|why|how|if|whether|about)"
    r"|i(?:'d| would) (?:like|love) to know|i (?:can't|cannot|don't) remember (?:what|where|when|who|which|how)"
    r"|i(?:'ve)? forg[oe]t(?:ten)? (?:what|where|when|who|which) (?:my|our|the|i|we)"
    r"|ich (?:frage mich|wüsste gerne?|möchte wissen|habe vergessen,)|je me demande|j'(?:aimerais savoir"
    r"|ai oublié (?:où|quand"
    r"|comment|qui|quel\w*))|me pregunto|(?:quisiera|me gustaría) saber|mi chiedo|vorrei sapere|pergunto-me|gostaria de saber"
    r"|ik vraag me af|zastanawiam się|интересно"
    r"|was|wo|wann|wer|wen|wem|wessen|welche[rsnm]?|warum|wieso|weshalb|wie|wieviel|wohin|woher|womit|wofür|worüber"
    r"|(?:ist|sind|war|hast|habe|hat|kannst|kann|weißt|magst|wirst|soll|darf|muss) (?:ich|du|er|sie|es|wir|ihr|mein\w*"
    r"|dein\w*|der|die|das)"
    r"|weißt du|sag mir|erinnerst du"
    r"|que|quel(?:le)?s?|qui|quoi|où|quand|pourquoi|comment|combien|est-ce|qu'est-ce|as-tu|es-tu|peux-tu|sais-tu|dis-moi"
    r"|qué|quién(?:es)?|cuál(?:es)?|dónde|adónde|cuándo|cómo|cuánt[oa]s?|por qué|sabes|recuerdas|dime"
    r"|cosa|che cosa|chi|quale|quali|dove|dov'è|quando|perché|come|quant[oiae]|qual è|sai|ricordi|dimmi"
    r"|o que|quem|qual|quais|onde|quando|como|quant[oa]s?|por que|você sabe|lembra"
    r"|wat|waar|wanneer|wie|welke?|waarom|hoe|hoeveel|weet (?:je|jij|u)|kun je|heb ik"
    r"|co|gdzie|kiedy|kto|kogo|który|która|które|jaki|jaka|jakie|dlaczego|jak|ile|czy"
    r"|(?:скажи|подскажи|напомни|назови)(?:те)?,?(?: мне| пожалуйста)*,? (?:как\w*|где|что|когда|кто|кого|сколько|имя"
    r"|название"
    r"|адрес|номер|дату|мо[йяеию]\w*|наш\w*)|(?:nenne?|verrate?)(?: mir)?(?: bitte| noch mal| nochmal)* (?:wie|wo|was"
    r"|wann|wer"
    r"|mein\w*|unser\w*|den|die|das)|(?:rappelle|redis|donne)-moi (?:comment|où|quand|qui|quel\w*|ce que|le nom|l'adresse"
    r"|mon|ma|mes)|(?:recuérdame|dame) (?:cómo|dónde|cuándo|quién|cuál|qué|el nombre|mi|mis)|ricordamelo|(?:ricordami|dammi)"
    r" (?:come|dove|quando|chi|qual\w*|cosa|il nome|il mio|la mia)|(?:diga-me|me diga|lembra-me|me lembre) (?:como|onde"
    r"|quando"
    r"|quem|qual|o que|o nome|o meu|a minha)|(?:zeg|vertel) me (?:hoe|waar|wanneer|wie|wat|de naam|mijn)"
    r"|(?:powiedz|przypomnij|podaj)(?: mi| proszę)* (?:jak\w*|gdzie|kiedy|kto|co|imię|adres|numer|mo\w+)"
    r"|что|где|когда|кто|кого|какой|какая|какое|какие|почему|зачем|как|сколько|куда|откуда|чей|ты (?:знаешь|помнишь))(?!\w)",
    re.IGNORECASE,
)
_QUESTION_WITHOUT_SPACES = re.compile(
    r"(?:か|だっけ|かな)[。？?]?\s*$|[吗呢][。？?]?\s*$|什么|哪里|哪儿|几点|多少|怎么|为什么|谁"
    # "병원에 가요" (goes to a hospital) and "내일 만나요" (meet tomorrow) have these endings and are no questions.
    r"|(?:까|(?<=[가-힣])(?<![만떠어끝각억])나요|(?<=[인은는한간던운큰된런신온난])가요)[。.？?]?\s*$"
    r"|(?:何|なに|なん|どこ|いつ|誰|だれ|いくら|どれ)(?:だ|です)?[。？]?\s*$"
    r"|(?:뭐|무엇|뭔|어디|언제|누구|얼마)(?:이)?(?:야|지|니|냐|예요|에요|였지|였더라|더라)[.]?\s*$"
)
# A clause that only begins like a question: "When I was nine we lived in Karachi.", "What I love is tea."
_SUBORDINATE = re.compile(
    r"\W*(?:(?:and|but|so|und|aber|et|mais|y|pero|e|ma|en|maar|i|a|и|а)\W+)?(?:what|where|when|who|which|why|how"
    r"|was|wo|wann|wer|wie|warum|wohin|welche\w*|quand|où|comment|quando|come|como|dove|cuando|donde|wat|waar|wanneer|hoe"
    r"|kiedy|jak|gdzie|когда|как|где)\s+"
    r"(?:i|we|he|she|they|you|my|our|ich|wir|er|sie|mein\w*|unser\w*|du|man|je|j'\w+|nous|on|mon|ma|mes|notre|io|noi|mi[oa]"
    r"|ero|eravamo|yo|era|éramos|mi|mis|eu|meu|minha|ik|wij|we|mijn|byłem|byłam|byliśmy|mój|moja|я|мы|мой|моя)(?!\w)",
    re.IGNORECASE,
)
SHORTEST_SUBORDINATE = 6  # words of a sentence that holds a subordinate clause
# What comes before a question in one sentence of a language that joins them: "무릎이 아픈데 …?", "引っ越すんだけど…？".
_JOINS = re.compile(
    r"(?<=[가-힣])(?:데|니까|거든요?|지만|라서)요?[,，]?\s+|(?<=[가-힣])때문에[,，]?\s+|(?<=[가-힣])고요?[,，]\s*"
    r"|(?<=[たるいだすん])(?:だ|です)?(?:よ|ね)?、(?=知って|覚えて|わかる|いい)|けれども?、?|けど、?"
    r"|(?<=[^のそこまえちときひ])ので、?|(?:(?<=です)|(?<=ます)"
    r"|(?<=[だたいるうくすつぬむぶぐん]))から、?(?=.)|(?:(?<=です)|(?<=ます)|(?<=[だたいる]))[がし]、"
    r"|(?<=[るたい])のに、?|ていて、|[，,。；]"
)
# A clause of such a language that only leads to the question or sets its scene: "すみませんけど", "请问", "如果下雨".
_LEADS_TO_QUESTION = re.compile(
    r"^\W*(?:請問|请问|不好意思|打扰|我?(?:就|还)?想(?:请教|问|知道|了解|咨询)|我?有个?问题|问(?:一下|你)|顺便|另外|如果|要是"
    r"|假如|假设|当|关于|对于|至于|等"
    r"|你|您|(?:그런|근|그러|어떤|그렇긴 한)데|그(?:래서|러니까|렇지만|게)|그러면|만약|혹시|すみません|すいません|(?:だ"
    r"|です)(?:けど|から|が)|もし|それ(?:で|から))"
    r"|(?:的话|的时候|时|之前|之后|以后|上)\W*$|물어|질문|여쭤|궁금|미안|죄송|실례|알고 싶|부탁|聞きたい|質問|教えて"
    r"|知りたい|お願い|申し訳"
    r"|悪い(?:ん)?(?:だ|です)?けど|什么|哪|几[点个]|多少|怎么|为什么|谁|何|なに|どこ|いつ|誰|いくら|どれ|どう|뭐|무엇"
    r"|뭔|어디|언제|누구|얼마|왜|어떻게|무슨|몇 시"
)
_SPACELESS_OR_KOREAN = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_LEAST_JOINED = 4  # characters of a clause that states something before such a question
# The question comes last: "the boat, where is it".
_QUESTION_LAST = re.compile(
    r"\W*(?:(?:do|did) (?:you|u) (?:know|remember)|weißt du|weet (?:je|jij|u)|sais-tu|tu sais|sabes|sai"
    r"|wiesz|ты (?:знаешь|помнишь)"
    r"|(?:what|where|when|who|how|why)(?:'s| is| are| was| were| do| does| did| can)|(?:wie|wo|wann|was|wer|warum) (?:ist"
    r"|sind|war|heißt|heißen|liegt)|(?:où|quand|comment|qui) (?:est|sont|était)|(?:dónde|cuándo|cómo|qué|quién) (?:está|es"
    r"|son|fue|se)|(?:dov'è|com'è|chi è|quando è)|(?:onde|quando|como|quem) (?:é|está|fica)|(?:waar|wanneer|hoe|wie) (?:is"
    r"|zijn|heet))(?!\w).{0,40}$",
    re.IGNORECASE,
)
# A clause with one of these beginnings states something, also within a question: "I moved to Oslo, what is the weather there?"
_DECLARES = re.compile(
    r"\W*(?:(?:and|but|so|since|because|as|given that|now that|when|after|because|if|weil|da|wenn|nachdem|seit|parce que"
    r"|puisque|comme"
    r"|porque|ya que|como|poiché|siccome|perché|porque|já que|omdat|nu|ponieważ|skoro|потому что|так как)\W+)?"
    r"(?:i|i'm|i've|i'll|i'd|we|we're|we've|my|our|ich|wir|mein\w*|unser\w*|j'\w+|je|nous|mon|ma|mes|notre|nos|yo|nosotros"
    r"|mi|mis|soy"
    r"|tengo|vivo|trabajo|estoy|io|noi|mio|mia|miei|mie|sono|ho|abito|lavoro|eu|nós|meu|minha|sou|tenho|moro|trabalho|ik"
    r"|wij|mijn|onze"
    r"|ja|mój|moja|moje|mam|jestem|mieszkam|pracuję|я|мы|мой|моя|моё|мои|у меня)(?!\w)"
    r"|^\W*(?:私|僕|俺|わたし|我(?!的[^，。]{0,8}(?:是|叫)什么)|저는|나는|제|내)",
    re.IGNORECASE,
)
# How a comment on the message before judges it, in a word of its own: "A house in Fife sounds dreamy."
_JUDGES = re.compile(
    r"\b(?:sounds?|looks?|must be|what an?|how|klingt|hört sich|muss|was für|ça a l'air|doit être|quel(?:le)?|suena|parece|debe"
    r"|qué|sembra|suona|dev'essere|deve|che|soa|klinkt|lijkt|moet|wat een|brzmi|wygląda|musi|звучит|выглядит|должно)(?!\w)",
    re.IGNORECASE,
)
# How an assistant begins a sentence or clause that only shows sympathy with what it was told, or wishes well.
_SYMPATHISES = re.compile(
    r"(?:^|[,;:–—-]\s)\W*(?:(?:oh|ah|wow|ach|och|ay|ah bon|ой|ого|well|great|okay|ok)\W+)*"
    r"(?:how (?!to\b|much|many|long|old|about)\w+"
    r"|what an?|(?:that|it|this) must"
    r"|you must|you(?:'ll| will) (?:love|enjoy|have)|i (?:really |do )?hope|hopefully|i(?:'m| am) (?:so |very "
    r"|really )?(?:glad|happy|sorry|thrilled"
    r"|delighted|pleased)|enjoy|good luck|best of luck|congrat\w+|have (?:fun|a (?:nice|good|great|lovely"
    r"|wonderful|safe|fantastic))|happy|get well|well done|take care"
    r"|lucky you|poor"
    r"|wie (?:schön|toll|süß|nett|schade|spannend|aufregend|ärgerlich)|was für|das muss|du musst|ich hoffe|hoffentlich"
    r"|ich freue mich|viel (?:erfolg"
    r"|glück|spaß|freude)|herzlichen|gratulation|ich gratuliere|gute besserung|ich drücke|schön, dass|tut mir leid"
    r"|quelle? \w+|comme c'est|ça doit|cela doit|j'espère|je suis (?:ravi|content|désolé|heureu)\w*|félicitations|bravo"
    r"|bonne? \w+|profite"
    r"|qué|debe|espero|ojalá|me alegr\w+|lo siento|felicidades|enhorabuena|mucha suerte|suerte|disfruta|que (?:te|lo"
    r"|disfrut)\w*"
    r"|che|dev'essere|spero|sono (?:content|felic|lieto|lieta)\w*|mi dispiace|congratulazioni|complimenti|auguri|buon\w*"
    r"|goditi|in bocca"
    r"|que|deve|fico|sinto muito|parabéns|boa sorte|aproveit\w+"
    r"|wat (?:een|fijn|leuk|mooi|jammer|vervelend|spannend|lief)|dat moet|ik hoop|hopelijk|gefeliciteerd|veel (?:plezier"
    r"|succes|geluk)|succes"
    r"|geniet|beterschap|jak (?:miło|pięknie|cudownie|fajnie)|co za|to musi|mam nadzieję|gratul\w+|powodzenia|cieszę się"
    r"|przykro|udanej"
    r"|как(?:ой|ая|ое|ие)?|надеюсь|рада?|жаль|поздравля\w+|удачи|поправляй\w+|желаю)(?!\w)"
    r"|^\W*(?:恭喜|祝|希望|加油|真是?|太|好[美棒可]|一定很)|(?:でしょうね|そうですね|といいですね|嬉しいです|おめでとう\S*"
    r"|くださいね)[。！!]?\s*$"
    r"|^\W*(?:축하|정말 |참 |너무 )|(?:겠네요|겠어요|겠군요|바랄게요|바라요)[.!]?\s*$",
    re.IGNORECASE,
)
# What follows thanks, if it is about the one who is thanked: "Thanks, you rock".
_PRAISES = re.compile(
    r"\W*(?:(?:you|you're|u|ur|du|sie|ihr|tu|t'es|vous|eres|usted|sei|lei|você|és|je|jij|jesteś|ты|вы)(?!\w)|[你您])",
    re.IGNORECASE,
)
MOST_OF_SYMPATHY, MOST_OF_SPACELESS_SYMPATHY = 12, 24  # words, and characters of scripts without spaces
_EXPLAINS = re.compile(
    r"\b(?:who|which) (?:is|are|has|have|was|lives?|works?|can't|cannot|doesn't|hates?|loves?)\b|\b(?:because|given that"
    r"|now that)\b"
    r"|\b(?:since|as) (?:i|i'm|my|we|he|she|they)\b|\bthat i (?:am|have|live|work|moved|bought|got)\b|\bi(?:'m"
    r"| am) (?:allergic|vegan"
    r"|vegetarian|diabetic)\b|, (?:der|die|das) \w+ (?:ist|hat|wohnt)\b|\bweil\b|\bparce que\b|\bqui (?:est|a|habite)\b"
    r"|\bporque\b"
    # A relative clause about a person or thing that the speaker names: "meinem Vater, der Tauben züchtet".
    r"|\b(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|mis?|nuestr[oa]s?|mio|mia|miei|mie|meus?|minhas?|mijn|onze|mój|moj\w+"
    r"|мо[йяеию]\w*|наш\w*)\b[^?.!,]{1,40},\s*(?:who|which|der|die|das|dem|den|qui|que|che|dat|któr\w+|котор\w+)\s+\w+"
    r"|\b(?:my|our) (?:\w+ ){1,3}who \w+|\b(?:mon|ma|mis?|mio|mia|meu|minha|mijn) \w+(?: \w+)? (?:qui|que|che|die|dat) \w+"
    r"|\bque (?:es|tiene|vive)\b|\bche (?:è|ha|vive)\b|\bomdat\b|\bponieważ\b|\bпотому что\b|\bкотор(?:ый|ая|ое|ые)\b",
    re.IGNORECASE,
)
# The first clause of a question that states nothing: where, when, if, about what, or what the other person did.
_SETS_THE_SCENE = re.compile(
    r"\W*(?:in|on|at|for|from|with|about|regarding|concerning|before|after|during|since|until|if|when|whenever|of|by|as for"
    r"|you|you're"
    r"|auf|an|am|im|bei|für|von|vom|mit|über|vor|nach|seit|während|wenn|falls|du|ihr|dans|en|à|au|pour|avec|sur|avant|après"
    r"|pendant"
    r"|depuis|si|quand|tu|vous|sobre|para|con|antes|después|durante|cuando|tú|nel|nella|per|su|prima|dopo|quando|se|em|no"
    r"|na|com|depois"
    r"|op|voor|met|over|na|als|w|na|o|dla|z|przed|po|jeśli|в|на|о|для|с|до|после|если|когда|ты|вы)(?!\w)",
    re.IGNORECASE,
)


def states_something(content: str, *, by_assistant: bool = False, before: str = "") -> bool:
    """Whether a message states something.

    ``by_assistant``: the assistant said it, who repeats what it was told.  ``before``: the message before it.
    """
    if len(content) > LONGEST:
        return True
    text = content.replace("’", "'")
    known = set(terms(before)) if by_assistant and before else None
    answers = bool(before) and any(map(_wants_answer, _SENTENCES.findall(before[-LONGEST:].replace("’", "'"))))
    return any(
        _states(sentence, by_assistant, known, answers)
        for sentence in _SENTENCES.findall(text)
        if not (by_assistant and before and not answers and _is_remark(sentence))
    )


def record_states(payload: Mapping[str, JsonValue]) -> bool:
    """Whether an indexed record states something.  Records of earlier versions do not have the key."""
    stored = payload.get(STATES)
    if isinstance(stored, bool):
        return stored
    kind = payload.get("kind") or "semantic"
    if kind not in ("turn", "semantic"):
        return True
    said_by = is_by_assistant(str(payload.get("trust") or ""), payload.get("metadata") or {})  # type: ignore[arg-type]
    by_assistant = kind == "turn" and said_by
    return states_something(str(payload.get("content") or ""), by_assistant=by_assistant)


def _states(sentence: str, by_assistant: bool, known: set[str] | None, answers: bool) -> bool:
    """``known``: terms of the message before, of the one that an assistant says; ``answers``: it follows a question."""
    if not _WORD.search(sentence):
        return False
    if _is_small_talk(sentence) or (not answers and _is_thanks(sentence)):
        return False
    if UNKNOWN.fullmatch(spell_out(sentence)):
        return False
    if by_assistant and (UNKNOWN_START.match(sentence) or ECHO_START.match(sentence) or OFFER_START.match(sentence)):
        return False
    if by_assistant and REPORTS_BACK.search(sentence):
        return False
    if _is_question(sentence):
        return not by_assistant and (_question_states(sentence) or takes_for_granted(sentence))
    if not by_assistant and is_mere_task(sentence):
        return False
    if known is not None:
        said = without_address(sentence)  # "Perfect, your neighbour is called Otto."
        own = set(terms(without_comments(said)))
        if not own and terms(said):
            return False  # praise alone
        # An answer repeats most words of its question, and has one of its own.
        shared = sum(any(is_form(word, each) for each in known) for word in own)
        if not own or answers:
            return not own or shared < len(own)
        least = REPEATED * len(own)
        return shared < (min(least, max(len(own) - 1, 1)) if _JUDGES.search(sentence) else least)
    return True


def _is_remark(sentence: str) -> bool:
    """Whether a sentence of an assistant, which answers no question, states nothing: "Lovely name.", "How nice of her!"."""
    if any(map(str.isdigit, sentence)):
        return False
    words = _WORD.findall(sentence)
    sympathises = len(sentence) <= LONGEST_PHRASE and _SYMPATHISES.search(sentence) is not None
    if is_spaceless(sentence):
        return sum(map(len, words)) <= (MOST_OF_SPACELESS_SYMPATHY if sympathises else LONGEST_SPACELESS_REMARK)
    return len(words) <= (MOST_OF_SYMPATHY if sympathises else LONGEST_REMARK)


def _is_small_talk(sentence: str) -> bool:
    if len(sentence) > LONGEST_PHRASE:
        return False
    clauses = filter(_WORD.search, _CLAUSES.split(sentence))
    return is_chatter(sentence) or all(
        is_aside(_AROUND.sub("", each)) or is_chatter(each) or _is_unknown(each) for each in clauses
    )


def _is_unknown(clause: str) -> bool:
    """Whether a clause only says that something is not known: "tja, geen idee eigenlijk"."""
    return UNKNOWN.fullmatch(without_fillers(spell_out(clause).casefold())) is not None


def _is_thanks(sentence: str) -> bool:
    """Whether a sentence only thanks: its clause that does so is short, and speaks neither of the person nor of a number."""
    if not THANKS.match(sentence) or any(map(str.isdigit, sentence)):
        return False
    words = _WORD.findall(sentence)
    thanks, *others = filter(_WORD.search, _CLAUSES.split(sentence))
    if is_spaceless(sentence) or len(words) == 1:
        short = sum(map(len, words)) <= MOST_OF_SPACELESS_THANKS
    else:
        short = len(words) <= MOST_OF_THANKS and not _DECLARES.match(thanks)
    return short and all(THANKS.match(each) or _PRAISES.match(each) or _is_small_talk(each) for each in others)


def _is_question(sentence: str) -> bool:
    sentence = spell_out(sentence)
    marked = sentence.rstrip(" \"')]»”")[-1:] in ("?", "？", "؟")
    if marked or _QUESTION_WITHOUT_SPACES.search(sentence):
        return True
    if sentence.rstrip()[-1:] in ("!", "！"):
        return False
    while (after := _CLAUSES.search(sentence)) and _is_small_talk(sentence[: after.start()]):
        sentence = sentence[after.end() :]  # "Que bom, passei na prova"
    if begun := AS_SAID.match(sentence):
        sentence = sentence[begun.end() :]
    if _SUBORDINATE.match(sentence) and len(_WORD.findall(sentence)) >= SHORTEST_SUBORDINATE:
        return False
    return _QUESTION_START.match(sentence) is not None or _QUESTION_LAST.match(_CLAUSES.split(sentence)[-1]) is not None


def _wants_answer(sentence: str) -> bool:
    """Whether a sentence is a question that an answer tells something about, unlike "How are you?\"."""
    return _is_question(sentence) and not _is_small_talk(sentence) and not takes_for_granted(sentence)


def _question_states(sentence: str) -> bool:
    """Whether a question states something, too: "My dog is sick, what should I do?", "What can Leila, who is vegan, eat?"."""
    asked = _QUESTION_START.match(sentence)
    if _EXPLAINS.search(sentence, asked.end() if asked else 0) or _states_before(sentence):
        return True
    clauses = [clause for clause in _CLAUSES.split(sentence) if clause.strip()]
    if len(clauses) < 2:
        return False
    if len(clauses) == 2 and _DECLARES.match(clauses[0]) and _is_tag(clauses[1]):
        return True
    for place, clause in enumerate(clauses):
        if len(_WORD.findall(clause)) < SHORTEST_CLAUSE or _QUESTION_START.match(clause):
            continue
        if _DECLARES.match(clause) or (place == 0 and not _SETS_THE_SCENE.match(clause) and not _is_small_talk(clause)):
            return True
    return False


def _is_tag(clause: str) -> bool:
    """Whether a clause only asks whether what comes before it is known or true: "I'm left-handed, right?"."""
    plain = _AROUND.sub("", clause)
    return is_chatter(plain) or is_aside(plain)


def _states_before(question: str) -> bool:
    """Whether a clause before a Korean, Japanese or Chinese question in the same sentence states something."""
    if not _SPACELESS_OR_KOREAN.search(question):
        return False
    ends = [found.end() for found in _JOINS.finditer(question)]
    clauses = (question[start:end] for start, end in zip([0, *ends], ends, strict=False))
    return any(
        sum(map(str.isalnum, clause)) >= _LEAST_JOINED and not _LEADS_TO_QUESTION.search(clause) and not _is_small_talk(clause)
        for clause in clauses
    )
