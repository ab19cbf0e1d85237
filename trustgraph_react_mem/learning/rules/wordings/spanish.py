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
    every=(
        r"(?:empi[ec]|empez|comien|inici|termin|finali|acab|cierr)\w* (?:cada(?: una de)?|todas)(?: tus| sus| las)?"
        r" respuestas?|(?:principio|comienzo|inicio|final) de (?:cada|todas)(?: tus| sus| las)? respuestas?"
    ),
    whenever=r"cada vez que|siempre que",
    when=r"cuando|si",
    talk=(
        r"(?:te )?(?:pregunte|pregunto|escriba|escribo|diga|digo|hable|hablo|pida|pido|mencione|menciono|busque|busco)"
        r"|(?:respondas|escribas|expliques|recomiendes|no sepas|no sabes|respondes|escribes|recomiendas)"
    ),
    never=r"no|nunca|jamás|nunca más|sin",
    again=(
        r"más|mas|nunca|jamás|nunca más|otra vez|de nuevo|vuelvas|vuelva|sin preguntar(?:me)?|(?:antes"
        r"|después) de las? \w+"
    ),
    stop=r"(?:deja|deje|dejá|para|pare) de \w+|(?:ya )?no más \w+|basta de|nada de \w+(?:,)? por favor",
    permit=r"(?:puedes|ya puedes) (?:.{1,120} )?(?:otra vez|de nuevo)\b.{0,60}|(?:ya )?puedes? volver a .{1,80}",
    form=(
        r"(?:mantén|manten|mantenga|haz|haga)(?: por favor)? (?:tus|sus|las) (?:respuestas|mensajes"
        r"|explicaciones) .{2,40}|(?:sin|evita|evite|no uses|no use|no utilices|nada de)(?: usar)?(?: los"
        r"| las)? (?:emojis?|emoticonos?|caritas|viñetas|signos de exclamación|jerga|anglicismos|tablas"
        r"|abreviaturas)\b.{0,60}|(?:usa|use|utiliza)(?: solo| únicamente)? (?:el sistema métrico|unidades métricas"
        r"|las unidades métricas|grados celsius|el sistema imperial|celsius).{0,40}|(?:sé|sea|se)(?: más"
        r"| muy)? (?:breve|conciso|concisa|directo|directa|formal|informal|escueto)(?: conmigo| en .{1,30})?"
        r"|(?:mejor )?(?:tutéame|tuteame|trátame de (?:tú|usted|vos)|háblame de (?:tú|usted))(?: .{0,30})?"
        r"|respuestas? (?:más )?(?:cortas?|breves?|concisas?),? por favor|(?:prefiero|quiero|me gustan) (?:las "
        r"|tus )?(?:respuestas|explicaciones) .{2,40}"
    ),
    name=(
        r"(?:llámame|llamame|llámeme|dime|díganme|puedes llamarme|puede llamarme|me puedes llamar|me llames)(?: solo"
        r"| simplemente)?"
    ),
    answer=(
        r"(?:responde|respóndeme|respondeme|responda|contesta|contéstame|contestame|conteste|escribe|escríbeme"
        r"|escribeme|habla|háblame|hablame)(?: conmigo| solo| siempre| únicamente)*"
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
