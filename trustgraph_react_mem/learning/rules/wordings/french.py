"""French."""

from .wording import Wording

FRENCH = Wording(
    lead=(
        r"s'il (?:te|vous) pla[iî]t|stp|svp|bonjour|salut|ok|d'accord|alors|et|mais|aussi|bon|au fait|écoute"
        r"|note que|n'oublie pas|n'oublie pas de|retiens que|non,|oui|veuillez|pense à|prière de"
    ),
    ask=(
        r"(?:peux|pourrais|veux|voudrais)[- ]tu|(?:pouvez|pourriez|voulez)[- ]vous|est-ce que tu (?:peux|pourrais)"
        r"|tu (?:peux|pourrais)"
    ),
    want=(
        r"je (?:te|vous) (?:demande|prie|demanderais) (?:de |d')|merci (?:de |d')|(?:ce|ça) serait (?:bien|sympa|gentil"
        r"|cool) (?:de|que tu)"
        r"|(?:je (?:veux|voudrais|souhaite|préfère|aimerais)|j'aimerais) que (?:tu|vous)|(?:tu|vous) (?:ne )?(?:dois"
        r"|devrais|devez|devriez)|il faut que tu"
    ),
    verb=(
        r"réponds?|répondez|répondre|repond[sz]?|écris|écrivez|écrire|parle|parlez|parler|appelle|appelles|appelez"
        r"|appeler|m'appelle|m'appelez|m'appeler|utilise|utilisez|utiliser|emploie|employez|donne|donnez|donner|garde"
        r"|gardez|garder|explique|expliquez|expliquer|montre|montrez|ajoute|ajoutez|ajouter|mentionne|mentionnez"
        r"|mentionner|demande|demandez|demander|dis|dites|dire|propose|proposez|proposer|recommande|recommandez"
        r"|recommander|fais|faites|faire|évite|évitez|éviter|tutoie|tutoyez|tutoyer|vouvoie|vouvoyez|vouvoyer|réveille"
        r"|réveillez|réveiller|dérange|dérangez|déranger|rappelle|rappelez|confirme|confirmez|reste|restez|sois|soyez"
        r"|raccourcis|traduis|traduisez|traduire|formule|commence|commencez|termine|terminez|salue|réserve|réservez"
        r"|réserver|planifie|contacte|contactez|cite|citez|citer|arrondis|passe|passez|adresse|adresse-toi|convertis"
        r"|convertir|envoie|envoyez|excuse|répète|limite|limitez|me réponds|me parle|me tutoie|me réveille|me dérange"
        r"|me demande|me rappelle|me propose|vérifie|suggère|suggérez|suggérer"
        r"|débute|débutez|finis|finissez|finir|conclus|concluez|ouvre|ouvrez|commencer|terminer"
    ),
    tail=(
        r"(?:répondes|répondiez|écrives|écriviez|parles|parliez|utilises|appelles|mentionnes|donnes|fasses|tutoies"
        r"|vouvoies|demandes|proposes|expliques|évites)"
    ),
    early=r"toujours|jamais|uniquement|seulement|systématiquement|plus jamais|exclusivement|que",
    phrase=(
        r"à partir de maintenant|à partir d'aujourd'hui|désormais|dorénavant|à l'avenir|par défaut|à chaque fois"
        r"|chaque fois|dès maintenant|jusqu'à nouvel ordre|en toutes circonstances|(?:dans|pour|à) (?:toutes|tous"
        r"|chacune|chaque|chacun)(?: de| d')?(?: tes| vos| mes| les)? ?(?:réponses?|messages?|conversations?"
        r"|questions?)"
    ),
    whenever=r"chaque fois que|à chaque fois que|toutes les fois que",
    when=r"quand|lorsque|si",
    never=r"n(?:e |')(?:\w+['\s-]){0,5}?(?:jamais|pas|plus|aucun)|jamais|pas d[e']",
    stop=(
        r"(?:arrête|arrêtez|cesse|cessez)(?: s'il te plaît)? (?:de |d')\w+|plus d(?:e |')\w+(?:,)?(?: s'il te plaît"
        r"| stp| svp)|fini les|ça suffit (?:avec|les)"
    ),
    name=r"(?:appelle|appelez|nomme)[- ]moi(?: plutôt| juste| simplement)?|(?:tu peux|vous pouvez) m'appeler",
    once=(
        r"cette fois(?:-ci)?|pour une fois|une seule fois|aujourd'hui$|ce soir|demain|pour l'instant|pour le moment"
        r"|maintenant$|(?:ce|cet|cette|ces) (?:texte|phrase|message|question|mail|email|réponse|paragraphe|semaine"
        r"|lettre|article)|suivante?s?|ci-dessous|à (?:mon|ma|mes|son|sa) (?:chef|patron|mère|père|ami|amie|soeur|sœur"
        r"|frère|client|cliente|collègue)"
    ),
    report=(
        r"dit|disait|disent|écrit que|répète que|affirme|prétend|crie|cria|conseille|selon|devise|proverbe|citation"
        r"|d'après|m'a dit"
    ),
    intro=(
        r"(?:nouvelle |ma |une )*(?:règle|consigne|instruction|préférence|remarque|note|retiens(?: bien)?|important"
        r"|désormais|dorénavant|à l'avenir|à partir de maintenant)"
    ),
)
