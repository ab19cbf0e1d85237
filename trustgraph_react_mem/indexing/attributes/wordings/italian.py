"""Italian."""

from .wording import Wording

_SONO = "sono/siamo|è"

ITALIAN = Wording(
    code="it",
    inflected=True,
    mine="(?:il |la |lo |i |le )?(?:mio|mia|miei|mie|nostr[oa])",
    theirs="(?:il |la )?(?:suo|sua|tuo|tua|loro)",
    article="il|la|lo",
    copula=r"(?:adesso |ora )?(?:è|sono|si chiama|comincia|inizia) (?:(?:ora|adesso|ormai|attualmente|alle|il|la|un|una) )*",
    changed=r"cambiato {noun}",
    called=r"(?:si chiama|di nome|è)",
    is_mine=r"(?:adesso |ora )?è (?:ora |adesso )?(?:il |la )?(?:mio|mia|nostr[oa])",
    have=r"(?:ho|abbiamo) (?:ora |adesso )?(?:un|una|un')? ?(?:nuov[oa]|altr[oa])",
    new="nuov[oa]",
    as_mine="come",
    ends="e|ma|perché|da|come|per|che|dove|quando|prima|dopo|adesso|ora|ormai|con|invece|ultimamente",
    nouns="""
manager: capo, responsabile, superiore, manager
employer: azienda, ditta
job: lavoro, professione, mestiere
partner: ragazza, ragazzo, fidanzata, fidanzato, moglie, marito, compagna, compagno
car: macchina, auto
phone number: numero, numero di telefono, cellulare
email: mail, e-mail, email, indirizzo email
doctor: medico, dottore, medico di base
dentist: dentista
therapist: psicologo, psicologa, terapeuta
landlord: padrone di casa
school: scuola, università, liceo
bank: banca, conto
phone contract: operatore
pet: cane, gatto, gatta, coniglio, cavallo
gym: palestra
flatmate: coinquilino, coinquilina
birthday: compleanno, data di nascita
salary: stipendio
password: password
""",
    says=f"""
manager: rispondo|risponde ora? adesso? a {{}}; riporto ora? adesso? a {{}}
employer: lavoro/lavoriamo|lavora ora? adesso? ~ per/da/alla/al/in {{}}; {_SONO} stato/stata assunto/assunta da/in {{}}
employer: iniziato ~ da/in/alla {{}}
job: lavoro|lavora ora? adesso? ~ come {{}}; faccio ora? adesso? il/la {{}}
partner: sto ora? adesso? con {{}}; esco ora? adesso? con {{}}; {_SONO} fidanzato/fidanzata/sposato/sposata con {{}}
car: guido ora? adesso? una/un {{}}
doctor: vado ora? adesso? dal dottor/dottoressa {{}}
gym: mi alleno ora? adesso? ~ alla/da/al {{}}
weight: peso ora? adesso? {{}}
salary: guadagno ora? adesso? {{}}
birthday: nato/nata il {{}}
""",
    fixed=f"""
diet vegan: {_SONO} ~ vegano/vegana; diventato/diventata vegano/vegana
diet vegetarian: {_SONO} ~ vegetariano/vegetariana; diventato/diventata vegetariano/vegetariana; non mangio carne
diet omnivore: mangio ~ carne di nuovo; mangio ~ di tutto
commute car: vado ~ lavoro/ufficio in macchina/auto
commute bike: vado ~ lavoro/ufficio in bici/bicicletta
commute train: vado ~ lavoro/ufficio in treno
commute bus: vado ~ lavoro/ufficio in autobus
commute foot: vado ~ lavoro/ufficio a piedi
workplace home: lavoro ~ da casa
workplace office: lavoro ~ in ufficio
smoking yes: fumo
smoking no: smesso di fumare; non fumo
relationship single: {_SONO} ~ single; {_SONO} ~ divorziato/divorziata
relationship engaged: {_SONO} ~ fidanzato/fidanzata
relationship married: {_SONO} ~ sposato/sposata
""",
    measured="""
dose: prendo ora? adesso? {} di (topic)
price: pago ora? adesso? {} di (topic)
""",
    favourite_keys="pref",
    favourites=r"""
(?:il |la |i |le )?mi(?:[oae]|ei) (?P<topic>[\w-]+) preferit[oaie] (?:ora |adesso )?(?:è|sono) (?:ora |adesso )?(?P<value>.+)
""",
    typed="""
language: inglese, tedesco, francese, spagnolo, portoghese, giapponese, cinese, coreano, russo, arabo
job: insegnante, infermiere, infermiera, medico, cameriere, cameriera, cuoco, cuoca, ingegnere, programmatore, avvocato
job: studente
""",
    typed_says=f"""
car: ho/abbiamo ora? adesso? una/un ~ {{}}; comprato una/un {{}}; guido ora? adesso? una/un {{}}
phone: ho/uso ora? adesso? un {{}}
bank: {_SONO} ora? adesso? con {{}}; {_SONO} passato/passata a {{}}
phone contract: {_SONO} ora? adesso? con {{}}; {_SONO} passato/passata a {{}}
language: studio/imparo ora? adesso? il? lo? le? {{}}; sto imparando/studiando il? lo? le? {{}}
job: {_SONO} ora? adesso? un? una? {{}}; faccio ora? adesso? il/la {{}}
""",
)
