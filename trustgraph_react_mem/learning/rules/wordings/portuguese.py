"""Portuguese."""

from .wording import Wording

PORTUGUESE = Wording(
    lead=(
        r"por favor|olá|oi|ei|ok|bem|bom|então|e|mas|também|além disso|a propósito|olha|lembre-se|lembra-te"
        r"|lembre-se de|lembre-se que|sim|obrigad[oa]|tente|certifique-se de|se faz favor"
    ),
    ask=r"(?:pode|poderia|podes|podias|você pode|você poderia|consegue)(?: por favor)?",
    want=(
        r"(?:te peço|peço(?:[- ](?:te|lhe))?) (?:que|para)(?: você)?|seria (?:bom|ótimo|legal) se você|(?:quero|queria"
        r"|gostaria|prefiro|preciso|desejo) que (?:você|tu)?|(?:você |tu )?(?:deve|deveria|deves"
        r"|tem que|tens de)"
    ),
    verb=(
        r"responda|responde|responder|responda-me|responde-me|escreva|escreve|escrever|escreva-me|fale|fala|falar"
        r"|fala-me|ligue|ligues|ligar|chame|chames|chamar|use|usa|usar|utilize|utiliza|utilizar|dê|dá|dar|dá-me"
        r"|mantenha|mantém|explique|explica|explicar|mostre|mostra|adicione|acrescente|mencione|menciones|mencionar"
        r"|pergunte|pergunta|perguntar|diga|diz|dizer|proponha|recomende|recomenda|recomendar|faça|faz|fazer|faças"
        r"|evite|evita|evitar|trate|trata|tratar|trate-me|trata-me|acorde|acordes|incomode|incomodes|lembre-me"
        r"|confirme|seja|sê|encurte|traduza|formule|comece|começa|termine|cumprimente|reserve|contacte|contate|cite"
        r"|converta|envie|repita|peça desculpas?|sugira|sugere|inclua|verifique|me ligue|me ligues|me chame"
        r"|me responda|me escreva|me acorde|me incomode|me pergunte|me trate|me dê|volte a \w+|voltes a \w+|uses|fales"
        r"|escrevas|respondas|utilizes|digas"
        r"|começar|inicie|inicia|termina|terminar|acabe|acaba|encerre|encerra|finalize|finaliza|conclua|conclui"
    ),
    early=r"sempre|nunca|jamais|só|somente|apenas|nunca mais|exclusivamente",
    phrase=(
        r"a partir de agora|de agora em diante|daqui em diante|daqui para a frente|daqui pra frente|no futuro"
        r"|doravante|por padrão|por defeito|toda vez|todas as vezes|a partir de hoje|de hoje em diante|até nova ordem"
        r"|(?:em|para|a) (?:todas|todos|cada)(?: uma| um)?(?: das| dos| de)?(?: as| os)?(?: suas| tuas"
        r"| minhas)? ?(?:respostas?|mensagens?|mensagem|conversas?|perguntas?)"
    ),
    whenever=r"sempre que|toda vez que|cada vez que|todas as vezes que",
    when=r"quando|se|caso",
    never=r"não|nunca|jamais|nunca mais|sem",
    stop=r"(?:pare|para|deixe|deixa) de \w+|chega de|nada de \w+(?:,)? por favor|não quero mais \w+",
    name=(
        r"(?:me chame|me chama|chama-me|chame-me|pode me chamar|podes chamar-me|pode chamar-me)(?: só| apenas)?(?: de"
        r"| por)?"
    ),
    once=(
        r"desta vez|dessa vez|só (?:por )?hoje|hoje$|amanhã|esta noite|por agora|por enquanto|agora$|(?:este|esta|esse"
        r"|essa|estes|estas) (?:texto|frase|mensagem|pergunta|email|e-mail|resposta|parágrafo|semana|carta|artigo)"
        r"|seguintes?|(?:ao|para o|para a|à) (?:meu|minha) (?:chefe|mãe|pai|amigo|amiga|irmã|irmão|cliente|colega)"
        r"|ao meu \w+|à minha \w+"
    ),
    report=r"diz que|dizia|disse|dizem|escreveu|grita|gritou|aconselha|segundo|lema|provérbio|sempre diz|insiste|me disse",
    intro=(
        r"(?:nova |uma |minha )*(?:regra|instrução|preferência|nota|lembre-se|importante|a partir de agora"
        r"|de agora em diante|doravante)"
    ),
)
