"""Dutch."""

from .wording import Wording

_BEN = "ben/zijn|is"

DUTCH = Wording(
    code="nl",
    mine="mijn|m'n|onze|ons",
    theirs="zijn|haar|hun|jouw|je",
    article="de|het",
    copula=r"(?:is|zijn|heet|begint) (?:(?:nu|tegenwoordig|inmiddels|bij|om|op|een|de|het) )*",
    changed=r"van {noun} (?:veranderd|gewisseld)",
    called=r"(?:hij|zij|ze|die)? ?(?:heet|genaamd|is)",
    is_mine=r"(?:is|werd) (?:nu |tegenwoordig )?(?:mijn|onze)",
    have=r"(?:heb|hebben)(?: ik| we)? (?:nu )?een (?:nieuwe?|andere?)",
    new="nieuwe?",
    as_mine="als (?:mijn|onze)",
    ends="en|maar|omdat|sinds|als|voor|die|dat|waar|wanneer|nu|tegenwoordig|met|in plaats|inmiddels|meer"
    "|begonnen|samen|getrouwd",
    nouns="""
manager: baas, bazin, leidinggevende, manager, teamleider, chef
employer: werkgever, bedrijf
job: baan, beroep, functie
partner: vriendin, vriend, partner, man, vrouw, verloofde
car: auto, wagen
phone number: nummer, telefoonnummer, mobiele nummer
email: mail, e-mail, email, mailadres, e-mailadres
doctor: huisarts, dokter
dentist: tandarts
therapist: therapeut, psycholoog
landlord: huisbaas
school: school, universiteit
bank: bank, rekening
phone contract: provider, telefoonabonnement
pet: hond, kat, poes, konijn, paard
gym: sportschool
flatmate: huisgenoot, huisgenote
birthday: verjaardag, geboortedatum
salary: salaris
password: wachtwoord
""",
    says=f"""
manager: rapporteer ik? nu? aan {{}}
employer: werk/werken|werkt ik? we? nu? tegenwoordig? ~ bij/voor {{}}; {_BEN} ~ bij {{}} begonnen
job: werk|werkt ik? nu? ~ als {{}}
partner: {_BEN} ik? nu? ~ samen met {{}}; {_BEN} getrouwd met {{}}; date ik? nu? {{}}
car: rijd/rij|rijdt ik? nu? in? een {{}}
doctor: {_BEN} nu? ingeschreven bij {{}}
study: studeer|studeert ik? nu? {{}}
gym: sport/train|traint ik? nu? ~ bij/in {{}}
weight: weeg ik? nu? {{}}
salary: verdien ik? nu? {{}}
birthday: geboren op {{}}
""",
    fixed=f"""
diet vegan: {_BEN} ik? ~ veganist/veganistisch/vegan; eet ik? nu? veganistisch/vegan
diet vegetarian: {_BEN} ik? ~ vegetariër/vegetarisch; eet ik? nu? vegetarisch; eet ik? geen vlees
diet omnivore: eet ik? ~ weer vlees; eet ik? alles
commute car: ga/rijd ~ met de auto naar het/mijn? werk/kantoor
commute bike: fiets ~ naar het? mijn? werk/kantoor; ga ~ met de fiets naar het? werk/kantoor
commute train: ga ~ met de trein naar het? werk/kantoor
commute bus: ga ~ met de bus naar het? werk/kantoor
workplace home: werk ik? ~ thuis; werk ik? ~ vanuit huis
workplace office: werk ik? ~ op kantoor
smoking yes: rook ik?
smoking no: gestopt met roken; rook ik? niet
relationship single: {_BEN} ik? ~ single/vrijgezel; {_BEN} ~ gescheiden
relationship dating: heb een vriendin/vriend
relationship engaged: {_BEN} ~ verloofd
relationship married: {_BEN} ~ getrouwd
""",
    measured="""
dose: slik/neem ik? nu? {} (topic)
price: betaal ik? nu? {} (topic)
""",
    favourite_keys="liev favo",
    favourites=r"""
(?:mijn|onze) (?:nieuwe )?(?:lievelings|favoriete )(?P<topic>[\w-]+) is (?:nu )?(?P<value>.+)
""",
    typed="""
language: engels, duits, frans, spaans, italiaans, portugees, japans, chinees, russisch, arabisch
job: leraar, lerares, verpleegkundige, verpleger, bakker, kok, ingenieur, programmeur, ontwikkelaar, advocaat, ober, student
""",
    typed_says=f"""
car: heb/hebben ik? nu? een {{}}; gekocht een {{}}; rijd/rij ik? nu? in? een {{}}
phone: heb/gebruik ik? nu? een {{}}
bank: {_BEN} ik? ~ overgestapt naar/op {{}}; zit ik? nu? bij {{}}
phone contract: {_BEN} ik? ~ overgestapt naar/op {{}}; zit ik? nu? bij {{}}
language: leer|leert ik? nu? {{}}
job: {_BEN} ik? nu? een? {{}}
""",
)
