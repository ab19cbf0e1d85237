"""Spanish."""

from .wording import Wording

SPANISH = Wording(
    lead=(
        r"por favor|porfa|hola|oye|ok|vale|bueno|entonces|y|pero|también|además|por cierto|mira|recuerda|recuerda que"
        r"|sí|no,|gracias|asegúrate de|procura|acuérdate de"
    ),
    ask=r"(?:puedes|podrías|quieres|puede|podría)(?: por favor)?",
    want=(
        r"(?:te|le) (?:pido|ruego|pediría) que(?: por favor)?|quiero pedirte que|(?:estaría|sería) (?:bien|genial|bueno) que"
        r"|(?:quiero|quisiera|me gustaría|prefiero|necesito|espero) que(?: tú| usted)?|(?:debes|deberías|tienes que"
        r"|debe)"
    ),
    verb=(
        r"responde|responda|respóndeme|respondeme|responder|respondas|contesta|contéstame|contestame|conteste"
        r"|contestar|contestes|escribe|escríbeme|escribeme|escriba|escribir|escribas|habla|háblame|hablame|hable"
        r"|hablar|hables|llames|llame|llámame|llamame|llamar|usa|use|uses|usar|utiliza|utilice|utilices|utilizar|da"
        r"|dame|des|dar|mantén|manten|mantenga|explica|explícame|explicame|expliques|explicar|muestra|muéstrame"
        r"|muestres|añade|agrega|menciones|menciona|mencionar|pregunta|pregúntame|preguntes|di|dime|digas|decir|propón"
        r"|propongas|recomienda|recomiéndame|recomiendes|recomendar|haz|hagas|hacer|evita|evite|evitar|tutea|tutéame"
        r"|trátame|mandes|mande|envíes|envíe|despiertes|molestes|recuérdame|recuerdes|confirma|sé|sea|seas|acorta|traduzcas"
        r"|traduce|formula"
        r"|empieza|empieces|termina|saluda|reserves|reserva|contactes|cita|cites|convierte|conviertas|envíes|repitas"
        r"|disculpes|sugiere|sugieras|me llames|me llame|me escribas|me hables|me preguntes|me despiertes|me molestes"
        r"|me respondas|me contestes|me des|me digas|me recomiendes|vuelvas a \w+|vuelva a \w+|incluye|incluyas"
        r"|comprueba"
        r"|empiece|empezar|comienza|comience|comienzes|inicia|inicie|termine|terminar|acaba|acabe|finaliza|finalice|"
        r"cierra|cierre|firma"
    ),
    early=r"siempre|nunca|jamás|jamas|solo|sólo|únicamente|nunca más|exclusivamente",
    phrase=(
        r"a partir de ahora|de ahora en adelante|desde ahora|de aquí en adelante|en el futuro|en adelante|por defecto"
        r"|cada vez|a partir de hoy|desde hoy|hasta nuevo aviso|(?:en|a|para) (?:todas|todos|cada)(?: una"
        r"| uno)?(?: de)?(?: tus| mis| las| los)? ?(?:respuestas?|mensajes?|conversaciones|preguntas?)"
    ),
    whenever=r"cada vez que|siempre que",
    when=r"cuando|si",
    never=r"no|nunca|jamás|nunca más|sin",
    stop=r"(?:deja|deje|dejá|para|pare) de \w+|(?:ya )?no más \w+|basta de|nada de \w+(?:,)? por favor",
    name=(
        r"(?:llámame|llamame|llámeme|dime|díganme|puedes llamarme|puede llamarme|me puedes llamar|me llames)(?: solo"
        r"| simplemente)?"
    ),
    once=(
        r"esta vez|por esta vez|solo (?:por )?hoy|hoy|mañana(?! por)|esta noche|por ahora|de momento|ahora$|(?:este"
        r"|esta|estos|estas) (?:texto|frase|mensaje|pregunta|correo|respuesta|párrafo|semana|carta|artículo)"
        r"|siguientes?|a mi (?:jefe|jefa|madre|padre|amigo|amiga|hermana|hermano|cliente|colega)|una vez$"
    ),
    report=r"dice|decía|dijo|dicen|escribió|grita|gritó|aconseja|según|lema|refrán|cita de|me dijo|insiste",
    intro=(
        r"(?:nueva |mi |una )*(?:regla|norma|instrucción|preferencia|nota|recuerda|importante|a partir de ahora"
        r"|de ahora en adelante|en adelante)"
    ),
)
