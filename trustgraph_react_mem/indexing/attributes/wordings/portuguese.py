"""Portuguese."""

from .wording import Wording

_SOU = "sou/somos|é"
_ESTOU = "estou/estamos|está"

PORTUGUESE = Wording(
    code="pt",
    inflected=True,
    mine="(?:o |a |os |as )?(?:meu|minha|meus|minhas|noss[oa])",
    theirs="(?:o |a )?(?:seu|sua|teu|tua|dele|dela)",
    article="o|a",
    copula=r"(?:agora )?(?:é|está|são|se chama|chama-se|começa|fica) (?:(?:agora|atualmente|às|um|uma|o|a|na|no) )*",
    changed=r"(?:mudei|troquei) de {noun}",
    called=r"(?:se chama|chama-se|chamad[oa]|é)",
    is_mine=r"(?:agora )?é (?:agora )?(?:o |a )?(?:meu|minha|noss[oa])",
    have=r"(?:tenho|temos) (?:agora )?(?:um|uma) (?:nov[oa]|outr[oa])",
    new="nov[oa]",
    as_mine="como",
    ends="e|mas|porque|desde|como|para|que|onde|quando|antes|depois|agora|com|em vez|ultimamente",
    nouns="""
manager: chefe, chefa, gerente, supervisor, supervisora, gestor, gestora
employer: empresa, patrão
job: trabalho, emprego, profissão
partner: namorada, namorado, mulher, marido, esposa, esposo, noiva, noivo, companheira, companheiro
car: carro
phone number: número, telefone, celular, telemóvel, número de telefone
email: email, e-mail
doctor: médico, médica, médico de família
dentist: dentista
therapist: psicólogo, psicóloga, terapeuta
landlord: senhorio, senhoria
school: escola, universidade, faculdade, colégio
bank: banco, conta
phone contract: operadora
pet: cachorro, cachorra, gato, gata, cão, coelho
gym: academia, ginásio
flatmate: colega de quarto, colega de apartamento
birthday: aniversário, data de nascimento
salary: salário
password: senha
""",
    says=f"""
manager: respondo|responde agora? a/ao/à {{}}; reporto agora? a/ao/à {{}}
employer: trabalho/trabalhamos|trabalha agora? ~ na/no/para/em/pra {{}}
employer: {_ESTOU} agora? ~ trabalhando/trabalhar na/no/em/para {{}}; comecei na/no/em {{}}
employer: fui contratado/contratada pela/pelo {{}}; agora estou na/no {{}}
job: trabalho|trabalha agora? ~ como {{}}
partner: namoro ~ com? a? o? {{}}; {_ESTOU} agora? ~ namorando com? a? o? {{}}; {_SOU} casado/casada com {{}}
car: dirijo/conduzo|dirige agora? um/uma {{}}
study: estudo agora? {{}}; curso agora? {{}}
gym: treino agora? ~ na/no {{}}
weight: peso agora? {{}}
salary: ganho agora? {{}}
birthday: nasci ~ em/no {{}}
""",
    fixed=f"""
diet vegan: {_SOU} ~ vegano/vegana; virei vegano/vegana
diet vegetarian: {_SOU} ~ vegetariano/vegetariana; virei vegetariano/vegetariana; não como carne
diet omnivore: como carne de novo; como ~ de tudo
commute car: vou ~ trabalho/escritório de carro
commute bike: vou ~ trabalho/escritório de bicicleta/bike
commute train: vou ~ trabalho/escritório de trem/comboio
commute bus: vou ~ trabalho/escritório de ônibus/autocarro
commute foot: vou ~ trabalho/escritório a pé
workplace home: trabalho ~ de casa
workplace office: trabalho ~ no escritório
smoking yes: fumo
smoking no: parei de fumar; não fumo; deixei de fumar
relationship single: {_SOU}/{_ESTOU} ~ solteiro/solteira; {_SOU}/{_ESTOU} ~ divorciado/divorciada
relationship engaged: {_SOU}/{_ESTOU} ~ noivo/noiva
relationship married: {_SOU}/{_ESTOU} ~ casado/casada
""",
    measured="""
dose: tomo agora? {} de (topic)
price: pago agora? {} de (topic)
""",
    favourite_keys="favo pref",
    favourites=r"""
(?:o |a )?(?:meus?|minhas?) (?P<topic>[\w-]+) (?:favorit|preferid)[oa]s? (?:agora )?(?:é|são) (?:agora )?(?P<value>.+)
""",
    typed="""
language: inglês, alemão, francês, espanhol, italiano, japonês, chinês, coreano, russo, árabe
job: professor, professora, enfermeiro, enfermeira, médico, médica, garçom, cozinheiro, cozinheira, engenheiro, engenheira
job: programador, advogado, advogada, estudante
""",
    typed_says=f"""
car: tenho/temos agora? um/uma ~ {{}}; comprei um/uma {{}}; dirijo/conduzo agora? um/uma {{}}
phone: tenho/uso agora? um {{}}
bank: {_ESTOU} agora? no/na/com {{}}; mudei/passei para/pro/pra o? a? {{}}
phone contract: {_ESTOU} agora? no/na/com {{}}; mudei/passei para/pro/pra o? a? {{}}
language: aprendo/estudo agora? {{}}; {_ESTOU} agora? aprendendo/estudando {{}}
job: {_SOU} agora? {{}}
""",
)
