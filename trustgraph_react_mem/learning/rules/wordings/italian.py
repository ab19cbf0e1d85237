"""Italian."""

from .wording import Wording

ITALIAN = Wording(
    lead=(
        r"per favore|per piacere|ti prego|ciao|ehi|ok|va bene|bene|allora|e|ma|anche|inoltre|a proposito|senti|ricorda"
        r"|ricorda che|ricordati di|sì|grazie|cerca di|assicurati di"
    ),
    ask=r"(?:puoi|potresti|vuoi|può|potrebbe)(?: per favore)?",
    want=(
        r"(?:ti|le) (?:chiedo|chiederei|prego) di(?! scus)|(?:sarebbe|mi farebbe) (?:bello|meglio|piacere) (?:che"
        r"|se)(?: tu)?|(?:voglio|vorrei|preferisco|desidero|mi piacerebbe) che (?:tu|lei)?|(?:devi|dovresti|deve)"
    ),
    verb=(
        r"rispondi|rispondimi|risponda|rispondere|rispondermi|scrivi|scrivimi|scriva|scrivere|scrivermi|parla|parlami"
        r"|parli|parlare|parlarmi|chiami|chiamarmi|chiamare|chiamami|usa|usi|usare|utilizza|utilizzare|dai|dammi|dia"
        r"|dare|darmi|mantieni|tieni|spiega|spiegami|spiegare|spiegarmi|mostra|mostrami|aggiungi|aggiungere|menzionare"
        r"|menziona|nominare|nomina|citare|cita|chiedi|chiedere|chiedermi|chiedimi|dire|dirmi|di'|dimmi|proporre"
        r"|proponi|consiglia|consigliare|consigliami|consigliarmi|fai|fare|fammi|farmi|evita|evitare|dammi del"
        r"|darmi del|svegliare|svegliarmi|disturbare|disturbarmi|ricordami|conferma|sii|sia|accorcia|tradurre|traduci"
        r"|inizia|iniziare|finisci|saluta|prenotare|prenota|contattare|contattarmi|converti|convertire|inviare|mandare"
        r"|mandarmi|ripetere|scusarti|suggerisci|suggerire|suggerirmi|includi|includere|controlla|telefonarmi"
        r"|comincia|cominciare|termina|terminare|concludi|concludere|chiudi|chiudere|apri|finire"
    ),
    early=r"sempre|mai|solo|soltanto|esclusivamente|mai più|unicamente",
    phrase=(
        r"d'ora in poi|da ora in poi|d'ora in avanti|da ora in avanti|da adesso in poi|in futuro|per il futuro"
        r"|da oggi(?: in poi)?|di default|ogni volta|fino a nuovo ordine|(?:in|per|a) (?:tutte|tutti|ogni"
        r"|ciascuna)(?: le| i)?(?: tue| tuoi| mie)? ?(?:rispost[ae]|messaggi?|conversazion[ie]|domand[ae])"
    ),
    whenever=r"ogni volta che|tutte le volte che|ogniqualvolta",
    when=r"quando|se|qualora",
    never=r"non|mai|niente|senza",
    stop=(
        r"(?:smetti|smettila|smetta|basta|finiscila)(?: per favore)?(?: di| con)(?: i| le| gli)? \w+|niente più \w+"
        r"|basta (?:emoji|faccine)"
    ),
    name=r"(?:chiamami|mi chiami|puoi chiamarmi|può chiamarmi)(?: solo| pure| semplicemente)?",
    once=(
        r"questa volta|stavolta|per una volta|solo oggi|oggi$|domani|stasera|per ora|per adesso|adesso$|ora$|(?:questo"
        r"|questa|questi|queste|quest') ?(?:testo|frase|messaggio|domanda|mail|email|risposta|paragrafo|settimana"
        r"|lettera|articolo)|seguenti?|al mio (?:capo|amico|cliente|collega)|alla mia \w+|a mia (?:madre|sorella)"
        r"|a mio (?:padre|fratello)"
    ),
    report=(
        r"dice|diceva|disse|ha detto|dicono|scrisse|ha scritto|grida|consiglia sempre|secondo|motto|proverbio"
        r"|ripete che|insiste"
    ),
    intro=(
        r"(?:nuova |una |la mia )*(?:regola|istruzione|preferenza|nota|ricorda|importante|d'ora in poi|da ora in poi"
        r"|in futuro)"
    ),
)
