"""French."""

from .wording import Wording

_SUIS = "suis/sommes|est"

FRENCH = Wording(
    code="fr",
    mine="mon|ma|mes|notre|nos",
    theirs="son|sa|ses|leur|leurs|ton|ta|votre",
    article="le|la",
    copula=r"(?:est|sont|s'appelle|c'est|commence|a été) (?:(?:maintenant|désormais|à présent|actuellement|chez|à|au|le|la) )*",
    changed=r"changé (?:de |d')(?:mon |ma )?{noun}",
    called=r"(?:il|elle|ça)? ?(?:s'appelle|est)|nommée?|appelée?|c'est",
    is_mine=r"(?:est|devient) (?:maintenant |désormais )?(?:mon|ma|notre)",
    have=r"(?:j'ai|ai|avons|a) (?:maintenant |désormais )?une? (?:nouve(?:au|lle|l)|autre)",
    new="nouve(?:au|lle|l)",
    as_mine="comme",
    ends="et|mais|parce|depuis|comme|pour|qui|que|où|quand|avant|après|maintenant|désormais|ces jours-ci|avec"
    "|plus|à la place|au lieu|en tant",
    nouns="""
manager: chef, cheffe, patron, patronne, manager, supérieur, supérieure, responsable, n+1
employer: employeur, boîte, entreprise
job: métier, travail, boulot, poste, profession
partner: copine, copain, compagne, compagnon, mari, femme, fiancé, fiancée, petite amie, petit ami, conjoint, conjointe
car: voiture, bagnole
phone number: numéro, numéro de téléphone, portable
email: mail, e-mail, email, adresse mail, adresse e-mail
doctor: médecin, médecin traitant, généraliste
dentist: dentiste
therapist: psy, psychologue, thérapeute
landlord: propriétaire, proprio
school: école, lycée, collège, université, fac
bank: banque, compte
insurance: assurance, mutuelle
phone contract: opérateur, forfait
pet: chat, chatte, chien, chienne, lapin, cheval
gym: salle de sport, salle
flatmate: colocataire, coloc
birthday: anniversaire, date de naissance
salary: salaire
password: mot de passe
""",
    says=f"""
manager: rends compte à {{}}; dépends de {{}}; {{}} est devenu/devenue mon/ma chef/responsable
employer: travaille|travaille maintenant? désormais? chez/pour {{}}; bosse maintenant? désormais? chez/pour {{}}
employer: {_SUIS} maintenant? désormais? ~ employée?/embauchée? chez/par {{}}; ai rejoint {{}}; commencé chez {{}}
employer: {_SUIS} maintenant? chez {{}}
job: travaille/bosse maintenant? désormais? comme {{}}
partner: sors maintenant? désormais? avec {{}}; {_SUIS} maintenant? ~ avec {{}}; {_SUIS} marié/mariée à/avec {{}}
car: roule maintenant? désormais? en {{}}; conduis maintenant? désormais? une/un {{}}
doctor: {_SUIS} maintenant? suivi/suivie par {{}}
gym: m'entraîne maintenant? ~ chez/à {{}}
study: étudie maintenant? la/le/les? {{}}
weight: pèse maintenant? {{}}
salary: gagne maintenant? {{}}
birthday: né/née le {{}}
""",
    fixed=f"""
diet vegan: {_SUIS} ~ végane/vegan/végan/végétalien/végétalienne; devenu/devenue végane/vegan/végan/végétalien/végétalienne
diet vegetarian: {_SUIS} ~ végétarien/végétarienne; devenu/devenue végétarien/végétarienne; mange pas/plus de viande
diet omnivore: mange ~ viande à nouveau; remange de la viande
commute car: vais/va ~ travail/bureau en voiture
commute bike: vais/va ~ travail/bureau à/en vélo
commute train: vais/va ~ travail/bureau en train
commute bus: vais/va ~ travail/bureau en bus
commute foot: vais/va ~ travail/bureau à pied
workplace home: {_SUIS} en télétravail; travaille ~ chez moi
workplace office: {_SUIS} ~ au bureau
smoking yes: fume|fume; {_SUIS} fumeur/fumeuse
smoking no: arrêté de fumer; fume plus
relationship single: {_SUIS} ~ célibataire; {_SUIS} ~ divorcé/divorcée
relationship dating: ai une/un copine/copain
relationship engaged: {_SUIS} ~ fiancé/fiancée
relationship married: {_SUIS} ~ marié/mariée
""",
    measured="""
dose: prends maintenant? {} de (topic)
price: paie/paye maintenant? {} de (topic); mon/ma/le/la (topic) est/coûte/passe ~ {}
""",
    favourite_keys="préf pref",
    favourites=r"""
(?:mon|ma|mes) (?P<topic>[\w-]+) préférée?s? (?:est|sont|c'est) (?:maintenant |désormais )?(?P<value>.+)
""",
    typed="""
language: anglais, allemand, espagnol, italien, portugais, japonais, chinois, coréen, russe, arabe
job: professeur, prof, infirmier, infirmière, boulanger, cuisinier, ingénieur, développeur, développeuse, avocat, avocate
job: serveur, serveuse, étudiant, étudiante
car: 208, 308, 2008, 3008, c3, c4
""",
    typed_says=f"""
car: ai maintenant? une/un ~ {{}}; acheté une/un {{}}; voiture est maintenant? une/un {{}}; roule maintenant? en {{}}
car: conduis maintenant? une/un {{}}
phone: ai maintenant? un {{}}; utilise maintenant? un {{}}
bank: {_SUIS} maintenant? chez/à {{}}; {_SUIS} ~ passé/passée chez/à {{}}
phone contract: {_SUIS} maintenant? chez {{}}; {_SUIS} ~ passé/passée chez {{}}
language: apprends maintenant? le/la? {{}}; apprends maintenant? l'* {{}}
job: {_SUIS} maintenant? {{}}
""",
)
