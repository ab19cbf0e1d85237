"""What a statement says is not so, or not yet: what is wished, planned, possible, conditional, ended or nearly done."""

import re

from .statements import MAX_STATEMENT_CHARS, is_event, is_negated

# What is only wished or thought possible.
_WISH = re.compile(
    r"(?i)\b(?:(?:would|'d|’d) (?:really )?(?:like|love) to|(?:want|wanna|hope|wish|dream\w*|long) (?:to|of|for|we|i)|wanna"
    r"|might|(?<=\bi )may|(?<=\bwe )may|(?<=\bhe )may|(?<=\bthey )may|maybe|perhaps|should(?! (?:mention|say|add|note|tell)\b)"
    r"|(?:thinking|dreaming) (?:of|about)|considering|some ?day|würden? (?:\w+ )?gern\w*|hätten? gern\w*|möchten?"
    r"|vielleicht|eventuell"
    r"|könnten?|träumen? von|voudr(?:ais|ions)|aimer(?:ais|ions)|peut-être|pourrais|rêve de|quisiera|querría|me gustaría"
    r"|nos gustaría"
    r"|ojalá|quizás?|tal vez|a lo mejor|sueño con|vorre(?:i|mmo)|(?:mi|ci) piacerebbe|forse|magari|sogno di|gostaria|queria"
    r"|talvez"
    r"|quem sabe|oxalá|sonho em|zou(?:den)? (?:\w+ )?(?:graag|willen)|misschien|droom van|chciał(?:a)?bym|chcielibyśmy|może"
    r"|marzę o"
    r"|хотел[аи]? бы|может быть|возможно|мечтаю)\b|かもしれ|たいな|ほしいな|也许|可能会|希望能|싶|을지도"
)
# A claim with one of these does not say that it is so.
_WISHED = re.compile(
    r"(?i)\b(?:wants?|would|should|if|wish\w*|hop(?:es?|ing)|dreams?|might|may|maybe|perhaps|consider\w*|plans?"
    r"|thinks? (?:of|about)|thinking|interested"
    r"|möchte\w*|soll\w*|wenn|falls|wünscht|würde|träumt|vielleicht|überlegt|plant|veut|voudrait|aimerait|souhaite|rêve"
    r"|envisage|quiere|quisiera"
    r"|gustaría|desea|sueña|planea|vuole|vorrebbe|desidera|sogna|pensa|quer|gostaria|deseja|sonha|zou|wenst|droomt"
    r"|overweegt|chce"
    r"|chciał\w*|marzy|myśli|хоч\w*|хотел\w*|мечтает|думает)\b|たい|ほしい|願|想|希望|싶|원"
)
_WISHED_IN = {"de": re.compile(r"(?i)\bwill\b"), "nl": re.compile(r"(?i)\bwil\b")}  # "will" is the future of English
_IF = re.compile(
    r"(?i)^\W*(?:and |but |und |et |y |e |en )?(?:if|unless|in case|falls|wenn|sofern|s['’]ils?|indien|jeśli|jeżeli|если)\b"
    r"|^(?:もし|如果|要是|若|만약)|たら、|ば、|면\s"
)
_IF_IN = {
    code: re.compile(rf"(?i)^\W*{word}\b")
    for code, word in (("fr", "si"), ("es", "si"), ("it", "se"), ("pt", "se"), ("nl", "als"))
}
_PLAN = re.compile(
    r"(?i)\b(?:will|['’]ll|won['’]t|shall|going to|gonna|about to|plan(?:s|ning|ned)?|intend\w*|hop(?:e|es|ing)"
    r"|aim(?:s|ing)? to|want(?:s|ed)?|try(?:ing)? to|(?:apply|applying|applied) (?:for|to)"
    r"|should|ought to|supposed to|advised|recommended|told me to"
    r"|werden?|wird|habe? vor|plan\w*|beabsichtig\w*|soll\w*|woll(?:en|te)|(?<=ich )will"
    r"|vais|va|allons|compte|prévoi\w*|devrai[st]|dois"
    r"|voy a|va a|vamos a|planeo|pienso|debería|tengo que|vado a|sto per|intendo|dovrei|devo|vou|vai|vamos|pretendo|deveria|ga"
    r"|gaan|zal|zou|moet|ben van plan|zamierzam|planuję|mam zamiar|powin\w+|буду|будем|собираюсь|планирую|должен|должна"
    r"|almost|nearly|beinahe|presque|casi|quasi|quase|bijna|prawie|чуть не|почти)\b"
    r"|つもり|予定|ようと|べき|打算|计划|准备|应该|差点|계획|예정|려고|ㄹ 거|할 거|야 해"
)
# What was so before: "was fired" and "was moved to Friday" tell an event.
_PAST_STATE = re.compile(
    r"(?i)\b(?:(?:was|were)(?!\s+(?:\w+ly\s+)?(?:\w+ed|born|given|sent|taken|told|brought)\b)|used to|formerly|previously"
    r"|war(?:en)?(?! \w+ ge)|hatte|betrug|kostete|wohnte|lebte|arbeitete|früher|damals"
    r"|était|étaient|avait|habitait|vivait|travaillait|autrefois|era|eran|vivía|tenía|trabajaba|antes|aveva|viveva|abitava"
    r"|lavorava"
    r"|tinha|morava|trabalhava|woonde|werkte|vroeger|był[aoy]?|miał[ao]?|mieszkał[ao]?|dawniej|был[аои]?|жил[аи]?"
    r"|работал[аи]?|раньше)\b"
    r"|以前|かつて|曾经|以前|예전"
)
_AGAIN_ME = re.compile(r"\b(?:I|we|ich|wir|je|nous|yo|io|eu|ik)\b")
_ENDED = re.compile(
    r"(?i)\b(?:stopped|stop|quit|quitting|g[ia]v(?:e|en|ing) (?:\w+ ){0,3}?up|packed (?:\w+ ){0,3}?in|jacked (?:\w+ ){0,2}?in"
    r"|ditched|no longer|any ?more"
    r"|aufgehört|aufgegeben|abgewöhnt|hingeschmissen|nicht mehr|kein\w* (?:\w+ )?mehr"
    r"|arrêté|lâché|laissé tomber|abandonné|(?<!n['’])(?:ne |n['’])(?:\w+ )?\w+ plus"
    r"|dejó|dejé|dejado|dejamos|abandoné|ya no|smesso|mollato|abbandonato|non \w+ più"
    r"|parou|parei|deixou|deixei|larg(?:uei|ou)|desisti|abandonei|já não|não \w+ mais"
    r"|gestopt|stopte|opgegeven|opgehouden|niet meer|geen (?:\w+ )?meer"
    r"|przestał\w*|rzucił\w*|zrezygnował\w*|już nie|бросил\w*|перестал\w*|забросил\w*|завязал\w*|больше не)\b"
    r"|やめ|辞め|戒(?!指)|不再|끊었|그만|더 이상"
)
# What was so before, whoever is the subject.
_FORMERLY = re.compile(
    r"(?i)(?<!\bam )(?<!['’]m )(?<!\bis )(?<!\bare )(?<!\bget )(?<!\bgot )\bused to(?! (?:it|the|this|that|him|her|them)\b)"
    r"|\b(?:früher(?= \w+)(?! (?:auf|ins|als|oder)\b)|autrefois|antes(?! de\b)(?! del\b)|vroeger(?! (?:op|naar|dan)\b)"
    r"|kiedyś|dawniej"
    r"|раньше)\b|昔は|以前|曾经|예전에|옛날에"
)


def is_wish(text: str, language: str = "") -> bool:
    """Whether a clause only wishes for something, thinks it possible, or makes it a condition: "we'd like to buy a boat"."""
    return _WISH.search(text[:MAX_STATEMENT_CHARS]) is not None or _is_condition(text, language)


def is_plan(text: str, language: str) -> bool:
    """Whether a clause tells what is planned, advised or nearly happened."""
    return _PLAN.search(text[:MAX_STATEMENT_CHARS]) is not None or is_wish(text, language)


def asserts(claim: str, language: str) -> bool:
    """Whether a claim says that something is so, not that somebody wants, plans or considers it."""
    own = _WISHED_IN.get(language)
    text = claim[:MAX_STATEMENT_CHARS]
    if is_wish(text, language):
        return False
    return _WISHED.search(text) is None and not _is_condition(text, language) and (own is None or own.search(text) is None)


def asserts_event(claim: str) -> bool:
    """Whether a claim says that something has happened: "Ann bought a boat"."""
    return is_event(claim) and _PLAN.search(claim[:MAX_STATEMENT_CHARS]) is None


def tells_past(text: str) -> bool:
    """Whether a statement tells what was so before: "Ann's rent was 800 euros"."""
    return _PAST_STATE.search(text[:MAX_STATEMENT_CHARS]) is not None


def ends_state(text: str) -> bool:
    """Whether a clause says that somebody has stopped doing something, or did it before."""
    text = text[:MAX_STATEMENT_CHARS]
    found = _ENDED.search(text)
    if found is not None and not _AGAIN_ME.search(text, found.end()):  # "since I quit coffee I drink tea"
        return True
    return _FORMERLY.search(text) is not None


def after_end(clause: str) -> str:
    """What follows the word of a clause that says that something has ended."""
    found = _ENDED.search(clause[:MAX_STATEMENT_CHARS]) or _FORMERLY.search(clause[:MAX_STATEMENT_CHARS])
    return clause[found.end() : MAX_STATEMENT_CHARS] if found else ""


def asserts_state(claim: str, language: str) -> bool:
    """Whether a claim says that something is still so: "Ann smokes", not "Ann quit smoking" or "Ann does not smoke"."""
    return not ends_state(claim) and is_negated(claim, language) is not True and not is_event(claim)


def _is_condition(text: str, language: str) -> bool:
    own = _IF_IN.get(language)
    return _IF.match(text) is not None or (own is not None and own.match(text) is not None)
