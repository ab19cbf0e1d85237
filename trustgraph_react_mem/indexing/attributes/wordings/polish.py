"""Polish."""

from .wording import Wording

_JESTEM = "jestem/jesteśmy|jest"

POLISH = Wording(
    code="pl",
    inflected=True,
    mine="mój|moja|moje|moim|moją|nasz|nasza|nasze",
    theirs="jego|jej|ich|twój|twoja",
    copula=r"(?:jest|to|są|nazywa się|ma na imię) (?:(?:teraz|obecnie|w|o|u|to) )*",
    changed=r"zmienił[ae]m {noun}",
    called=r"(?:nazywa się|ma na imię|to|imieniem)",
    is_mine=r"(?:jest|został\w*|to) (?:teraz )?(?:mój|moja|moim|moją|nasz|naszą|naszym)",
    have=r"(?:mam|mamy) (?:teraz )?(?:now[yąaeę]go|now[yąaeę]|inn[yąaeę])",
    new="now[yae]",
    ends="i|ale|bo|od|jako|dla|który|która|gdzie|kiedy|teraz|obecnie|zamiast|z",
    nouns="""
manager: szef*, szefow*, przełożon*, kierownik*, kierowniczk*, menedżer*
employer: pracodawc*, firm*
job: zawód, praca
partner: dziewczyn*, chłopak*, partner*, żon*, mąż, narzeczon*
car: samochód, auto
phone number: numer, numer telefonu, telefon
email: mail, e-mail, email
doctor: lekarz*, lekark*
dentist: dentyst*
school: szkoł*, uczelni*
bank: bank, konto
pet: pies, suka, kot, kotka, królik
gym: siłowni*
birthday: urodziny, data urodzenia
salary: pensja
""",
    says=f"""
manager: podlegam|podlega teraz? {{}}; raportuję teraz? do {{}}
employer: pracuję/pracujemy|pracuje teraz? ~ w/we/dla/u {{}}; zacząłem/zaczęłam ~ w/we {{}}; dołączyłem/dołączyłam do {{}}
job: pracuję|pracuje teraz? ~ jako {{}}
partner: spotykam się teraz? z/ze {{}}; {_JESTEM} teraz? z/ze {{}}
car: jeżdżę|jeździ teraz? {{}}
language: uczę się teraz? {{}}
study: studiuję|studiuje teraz? {{}}
gym: trenuję/ćwiczę teraz? ~ w {{}}
weight: ważę teraz? {{}}
salary: zarabiam teraz? {{}}
""",
    fixed=f"""
diet vegan: {_JESTEM} ~ weganinem/weganką
diet vegetarian: {_JESTEM} ~ wegetarianinem/wegetarianką; nie jem mięsa
diet omnivore: jem ~ znowu/znów mięso; jem ~ wszystko
commute car: jeżdżę ~ do pracy samochodem/autem
commute bike: jeżdżę ~ do pracy rowerem
commute train: jeżdżę ~ do pracy pociągiem
commute bus: jeżdżę ~ do pracy autobusem
smoking yes: palę
smoking no: rzuciłem/rzuciłam palenie; nie palę
relationship single: {_JESTEM} ~ singlem/singielką/sam/sama
relationship married: {_JESTEM} ~ żonaty/mężatką
relationship engaged: {_JESTEM} ~ zaręczony/zaręczona
""",
    favourite_keys="ulub",
    favourites=r"""
(?:mój|moja|moje) ulubion[yae] (?P<topic>[\w-]+) (?:to|jest) (?:teraz )?(?P<value>.+)
""",
    typed="""
car: opel, oplem, opla, toyota, toyotę, toyotą, skoda, skodę, skodą, fiat, fiatem, fiata, forda, fordem, kię, kią, audi, bmw
car: dacię, dacią
job: nauczycielem, nauczycielką, pielęgniarką, kucharzem, kelnerem, inżynierem, programistą, lekarzem, prawnikiem
""",
    typed_says=f"""
car: mam/mamy teraz? {{}}; kupiłem/kupiłam/kupiliśmy {{}}; jeżdżę teraz? {{}}
job: {_JESTEM} teraz? {{}}
""",
)
