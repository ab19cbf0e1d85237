"""Spanish."""

from .wording import Wording

_SOY = "soy/somos|es"
_ESTOY = "estoy/estamos|está"

SPANISH = Wording(
    code="es",
    inflected=True,
    mine="mi|mis|nuestr[oa]s?",
    theirs="su|sus|tu|tus",
    article="el|la",
    copula=r"(?:ahora )?(?:es|está|son|se llama|empieza|ha pasado a ser) (?:(?:ahora|actualmente|en|a las|el|la|de) )*",
    changed=r"cambi(?:é|ado) de {noun}",
    called=r"(?:se llama|llamad[oa]|es)",
    is_mine=r"(?:ahora )?es (?:ahora )?(?:mi|nuestr[oa])",
    have=r"(?:tengo|tenemos) (?:ahora )?(?:un|una|otro|otra)? ?(?:nuev[oa]|otr[oa])?",
    new="nuev[oa]",
    as_mine="como mi",
    ends="y|pero|porque|desde|como|para|que|donde|cuando|antes|después|ahora|con|en vez|últimamente|también",
    nouns="""
manager: jefe, jefa, supervisor, supervisora, gerente, encargado, encargada, superior
employer: empresa, empleador
job: trabajo, profesión, puesto
partner: novia, novio, pareja, mujer, marido, esposa, esposo, prometida, prometido
car: coche, carro, auto
phone number: número, número de teléfono, teléfono, móvil, celular
email: correo, email, e-mail, correo electrónico
doctor: médico, médica, médico de cabecera, doctora, doctor
dentist: dentista
therapist: psicólogo, psicóloga, terapeuta
landlord: casero, casera
school: colegio, escuela, instituto, universidad
bank: banco, cuenta
insurance: seguro
phone contract: compañía, operadora
pet: perro, perra, gato, gata, conejo, caballo
gym: gimnasio
flatmate: compañero de piso, compañera de piso
birthday: cumpleaños, fecha de nacimiento
salary: sueldo, salario
password: contraseña
""",
    says=f"""
manager: reporto|reporta ahora? a {{}}; respondo ante {{}}
employer: trabajo/trabajamos|trabaja ahora? ~ en/para {{}}; {_ESTOY} ahora? trabajando en/para {{}}
employer: empecé/empezado en/con {{}}; fichado por {{}}; curro ahora? en/para {{}}
job: trabajo|trabaja ahora? ~ como/de {{}}
partner: salgo ahora? con {{}}; {_ESTOY} ahora? saliendo/casado/casada/prometido/prometida con {{}}; {_ESTOY} ahora con {{}}
car: conduzco/manejo|conduce ahora? un/una {{}}
doctor: me atiende ahora? {{}}
study: estudio|estudia ahora? {{}}
gym: entreno ahora? ~ en {{}}; voy al gimnasio {{}}
flatmate: comparto ~ piso con {{}}; vivo ahora? con {{}}
weight: peso ahora? {{}}
salary: gano ahora? {{}}; cobro ahora? {{}}
birthday: nací el {{}}
""",
    fixed=f"""
diet vegan: {_SOY} ~ vegano/vegana; vuelto vegano/vegana; hecho vegano/vegana
diet vegetarian: {_SOY} ~ vegetariano/vegetariana; vuelto vegetariano/vegetariana; no como ~ carne
diet omnivore: como carne otra/de vez/nuevo; como ~ de todo
commute car: voy ~ trabajo/oficina en coche/carro/auto
commute bike: voy ~ trabajo/oficina en bici/bicicleta
commute train: voy ~ trabajo/oficina en tren
commute bus: voy ~ trabajo/oficina en bus/autobús
commute foot: voy ~ trabajo/oficina andando/caminando
workplace home: trabajo ~ desde casa; teletrabajo
workplace office: trabajo ~ en la oficina
smoking yes: fumo
smoking no: dejado de fumar; dejé de fumar; no fumo
relationship single: {_ESTOY}/{_SOY} ~ soltero/soltera; {_ESTOY}/{_SOY} ~ divorciado/divorciada
relationship dating: tengo novia/novio
relationship engaged: {_ESTOY} ~ prometido/prometida
relationship married: {_ESTOY} ~ casado/casada
""",
    measured="""
dose: tomo ahora? {} de (topic)
price: pago ahora? {} de (topic); mi/el/la (topic) cuesta/es ahora? {}
""",
    favourite_keys="favo pref",
    favourites=r"""
(?:mi|mis) (?P<topic>[\w-]+) (?:favorit[oa]s?|preferid[oa]s?) (?:ahora )?(?:es|son) (?:ahora )?(?P<value>.+)
""",
    typed="""
language: inglés, alemán, francés, italiano, portugués, japonés, chino, coreano, ruso, árabe
job: profesor, profesora, enfermero, enfermera, médico, camarero, camarera, cocinero, cocinera, ingeniero, ingeniera
job: programador, programadora, abogado, abogada, estudiante
""",
    typed_says=f"""
car: tengo/tenemos ahora? un/una ~ {{}}; compré/comprado un/una {{}}; conduzco/manejo ahora? un/una {{}}
phone: tengo/uso ahora? un {{}}
bank: cuenta en el? {{}}; {_ESTOY} ahora? en/con {{}}; cambié/cambiado ~ a/al {{}}; pasé/pasado a {{}}
phone contract: {_ESTOY} ahora? en/con {{}}; cambié/cambiado ~ a {{}}; pasé/pasado a {{}}
language: aprendo/estudio ahora? {{}}; {_ESTOY} ahora? aprendiendo/estudiando {{}}
job: {_SOY} ahora? {{}}
""",
)
