"""German."""

from .wording import Wording

_BIN = "bin/sind|ist"
_HABE = "habe/hab/haben|hat"
_FAHRE = "fahre/fahr/fahren|fährt"
_ZUR_ARBEIT = "zur/zum/ins arbeit/büro/job"

GERMAN = Wording(
    code="de",
    inflected=True,
    mine=r"meine[rnms]?|mein|unsere[rnms]?|unser",
    theirs=r"seine[rnms]?|sein|ihre[rnms]?|ihr|deine[rnms]?|dein",
    article="der|die|das",
    copula=r"(?:ist|sind|heißt|heisst|lautet|beträgt|wurde) (?:(?:jetzt|nun|inzwischen|mittlerweile|neuerdings"
    r"|aktuell|seit \w+|bei|beim|am|um) )*",
    changed=r"(?:den|die|das|mein(?:en?)?) {noun} gewechselt",
    called=r"(?:er|sie|es|der|die|das)? ?(?:heißt|heisst|namens|ist|lautet)|und zwar",
    is_mine=r"(?:ist|wurde) (?:jetzt |nun |inzwischen |seit \w+ )?(?:meine?|unsere?)",
    have=r"(?:habe?|haben|gibt)(?: ich| wir)? (?:jetzt |nun |inzwischen |mittlerweile )?(?:eine[nmr]?"
    r"|ein)(?: (?:neue[nrs]?|andere[nrs]?))?",
    new=r"neue[rsn]?",
    as_mine=r"als (?:meine[nr]?|mein|unsere[nr]?)",
    ends="und|aber|weil|seit|als|für|der|die|das|wo|wenn|während|bis|nach|vor|statt|jetzt|nun|inzwischen"
    "|mittlerweile|neuerdings|mehr|mit"
    r"|angefangen|gewechselt|angestellt|beschäftigt|zusammen|verheiratet|verlobt|in behandlung|versichert"
    r"|registriert|angemeldet|geworden",
    nouns="""
manager: chef, chefin, vorgesetzter, vorgesetzte, vorgesetzten, teamleiter, teamleiterin, teamlead, abteilungsleiter
manager: abteilungsleiterin, führungskraft, boss
employer: arbeitgeber, arbeitgeberin, firma
job: beruf, job, stelle
project: projekt
team: team
partner: freundin, freund, partner, partnerin, mann, ehemann, frau, ehefrau, verlobter, verlobte, lebensgefährte
partner: lebensgefährtin
car: auto, wagen
phone number: nummer, telefonnummer, handynummer, rufnummer, festnetznummer
phone: handy, smartphone
laptop: laptop, rechner, computer
email: mail, e-mail, email, mailadresse, e-mail-adresse, emailadresse
doctor: hausarzt, hausärztin, arzt, ärztin
dentist: zahnarzt, zahnärztin
therapist: therapeut, therapeutin, psychologe, psychologin
hairdresser: friseur, friseurin, frisör
landlord: vermieter, vermieterin
teacher: lehrer, lehrerin
coach: trainer, trainerin
school: schule, uni, universität, hochschule, kita, kindergarten
class teacher: klassenlehrer, klassenlehrerin
study: studiengang, studienfach, hauptfach
bank: bank, konto, girokonto, hausbank
insurance: versicherung, krankenkasse, krankenversicherung
phone contract: handyvertrag, mobilfunkanbieter, handyanbieter
energy: stromanbieter
pet: katze, kater, hund, hündin, hase, kaninchen, pferd, hamster, wellensittich
gym: fitnessstudio, studio, gym
flatmate: mitbewohner, mitbewohnerin
birthday: geburtstag, geburtsdatum
diet: ernährung
salary: gehalt, lohn
weight: gewicht
height: größe
shoe size: schuhgröße
password: passwort, pin
""",
    says=f"""
teacher: hat/hab/habe {{}} als lehrer/lehrerin/klassenlehrer/klassenlehrerin; hat/hab/habe {{}} in der ~ klasse
manager: berichte/berichten|berichtet ich? wir? jetzt? nun? direkt? an {{}}; unterstehe ich? jetzt? {{}}
manager: {{}} ist/leitet jetzt? mein/meine chef/chefin/vorgesetzte/vorgesetzter
employer: arbeite/arbeit/arbeiten|arbeitet ich? wir? jetzt? nun? inzwischen? ~ bei/beim/für {{}}
employer: {_HABE} jetzt? ~ bei/zu/zur/zum {{}} angefangen/gewechselt
employer: {_BIN} ich? jetzt? ~ bei/beim {{}} angestellt/beschäftigt/tätig; {_BIN} zu/zur/zum {{}} gewechselt
employer: habe/hab/fange bei {{}} angefangen; schaffe ich? jetzt? bei/beim {{}}
job: arbeite/arbeiten|arbeitet ich? wir? jetzt? nun? ~ als {{}}
partner: {_BIN} ich? jetzt? ~ mit {{}} zusammen/verheiratet/verlobt; date ich? jetzt? {{}}
car: {_FAHRE} ich? wir? jetzt? nun? einen/ein/eine {{}}
doctor: {_BIN} ich? jetzt? bei {{}} in behandlung; gehe jetzt? zu {{}} als hausarzt
school: geht|gehe jetzt? ~ auf/in die/das/den {{}}; studiere|studiert jetzt? ~ an der {{}}
study: studiere|studiert ich? jetzt? nun? {{}}
bank: konto ~ bei/beim {{}}
insurance: {_BIN} ich? jetzt? bei/beim {{}} versichert
gym: trainiere/trainier|trainiert ich? jetzt? nun? ~ im/bei/beim/in {{}}; gehe ich? jetzt? ins {{}}
flatmate: wohne/lebe ich? jetzt? mit {{}} zusammen
weight: wiege/wieg|wiegt ich? jetzt? nun? noch? nur? {{}}
salary: verdiene/verdien|verdient ich? jetzt? nun? {{}}
birthday: geboren am {{}}; habe/hab am {{}} geburtstag
""",
    fixed=f"""
diet vegan: {_BIN} ich? ~ vegan/veganer/veganerin; ernähre ich? mich ~ vegan; lebe/esse ich? jetzt? vegan; vegan geworden
diet vegetarian: {_BIN} ich? ~ vegetarier/vegetarierin/vegetarisch; ernähre ich? mich ~ vegetarisch
diet vegetarian: lebe/esse ich? jetzt? vegetarisch; esse ich? jetzt? kein fleisch
diet omnivore: esse ich? ~ wieder fleisch; esse ich? alles
commute car: {_FAHRE} ~ mit dem auto {_ZUR_ARBEIT}; {_ZUR_ARBEIT} {_FAHRE} ~ mit dem auto
commute bike: {_FAHRE} ~ mit dem rad/fahrrad {_ZUR_ARBEIT}; {_ZUR_ARBEIT} {_FAHRE} ~ mit dem rad/fahrrad
commute bike: radle ich? jetzt? {_ZUR_ARBEIT}
commute train: {_FAHRE} ~ mit dem/der zug/bahn/s-bahn {_ZUR_ARBEIT}; {_ZUR_ARBEIT} {_FAHRE} ~ mit dem/der zug/bahn/s-bahn
commute bus: {_FAHRE} ~ mit dem bus {_ZUR_ARBEIT}; {_ZUR_ARBEIT} {_FAHRE} ~ mit dem bus
commute foot: gehe/laufe ~ zu fuß {_ZUR_ARBEIT}; {_ZUR_ARBEIT} gehe/laufe ~ zu fuß; laufe ich? jetzt? {_ZUR_ARBEIT}
workplace home: arbeite ich? ~ von zuhause; arbeite ich? ~ im homeoffice; {_BIN} ich? ~ im homeoffice
workplace office: {_BIN} ich? ~ wieder im büro; arbeite ich? ~ im büro
smoking yes: rauche ich?; {_BIN} raucher/raucherin
smoking no: rauche ich? nicht; {_BIN} nichtraucher/nichtraucherin; rauchen aufgehört
relationship single: {_BIN} ich? ~ single; {_BIN} ich? ~ geschieden; haben uns ~ getrennt
relationship dating: {_HABE} eine/einen freundin/freund; {_BIN} ich? ~ mit {{}} zusammen
relationship engaged: {_BIN} ~ verlobt
relationship married: {_BIN} ~ verheiratet; haben geheiratet
""",
    measured="""
dose: nehme|nimmt ich? jetzt? {} (topic)
price: zahle/zahl/zahlen ich? wir? jetzt? {} (topic); meine/unsere/die (topic) kostet/beträgt jetzt? {}
price: meine/unsere/die (topic) ist ~ auf {} gestiegen/gesunken/erhöht
""",
    favourite_keys="lieb mag mein",
    favourites=r"""
(?:meine?|unsere?) (?:neue[rs]? )?lieblings-?(?P<topic>\w+) ist (?:jetzt |nun )?(?P<value>.+)
""",
    typed="""
language: englisch, französisch, spanisch, italienisch, portugiesisch, japanisch, chinesisch, koreanisch, russisch, arabisch
language: niederländisch, polnisch, schwedisch, norwegisch, dänisch, türkisch, griechisch
job: lehrer, lehrerin, krankenpfleger, krankenschwester, arzt, ärztin, bäcker, koch, köchin, ingenieur, ingenieurin
job: programmierer, entwickler, entwicklerin, verkäufer, verkäuferin, schreiner, tischler, elektriker, anwalt, anwältin
job: student, studentin
""",
    typed_says=f"""
car: {_HABE} ich? wir? jetzt? einen/ein/eine {{}}; {_HABE} mir? einen/ein/eine {{}} gekauft; auf einen/ein {{}} umgestiegen
phone: nutze/benutze ich? jetzt? ein/einen/das {{}}; {_HABE} ich? jetzt? ein/einen/das {{}}
bank: {_BIN} ich? jetzt? bei/beim {{}}; {_BIN}/{_HABE} ~ zu/zur/zum {{}} gewechselt
phone contract: {_BIN} ich? jetzt? bei/beim {{}}; {_BIN}/{_HABE} ~ zu/zur/zum {{}} gewechselt
insurance: {_BIN} ich? jetzt? bei/beim {{}}; {_BIN}/{_HABE} ~ zu/zur/zum {{}} gewechselt
language: lerne/lern|lernt ich? jetzt? nun? gerade? {{}}
job: {_BIN} ich? jetzt? {{}}; arbeite jetzt? als {{}}
editor: nutze/benutze ich? jetzt? {{}}
browser: nutze/benutze ich? jetzt? {{}}
""",
)
