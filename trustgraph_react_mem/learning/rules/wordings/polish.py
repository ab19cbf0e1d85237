"""Polish.  The imperfective imperative ("odpowiadaj") asks for a habit, the perfective one ("odpowiedz") for a single act."""

from .wording import Wording

POLISH = Wording(
    lead=(
        r"proszę(?: cię| pana| panią)?|hej|cześć|halo|dzień dobry|ok|okej|dobrze|dobra|więc|ale|słuchaj|przy okazji"
        r"|zapamiętaj(?:,? że)?|pamiętaj(?:,? że| o tym,? żeby)?|tak|nie,|dzięki|dziękuję|jeszcze jedno"
    ),
    ask=r"(?:czy )?(?:możesz|mógłbyś|mogłabyś|mogłoby|może pan|może pani|zechcesz)(?: proszę)?",
    want=(
        r"(?:prosił(?:a)?bym (?:cię|ciebie|pana|panią),? )?(?:żebyś|abyś)|(?:chcę|chciał(?:a)?bym|wolę|wolał(?:a)?bym"
        r"|proszę|życzę sobie),? (?:żebyś|abyś|byś|żeby pan|żeby pani)"
        r"|(?:powinieneś|powinnaś|musisz|masz)"
    ),
    verb=(
        r"odpowiadaj|pisz|mów(?! nigdy)|rozmawiaj|używaj|stosuj|zwracaj się|nazywaj|dzwoń|podawaj|wspominaj|pytaj|zadawaj"
        r"|proponuj"
        r"|polecaj|doradzaj|przypominaj|budź|przeszkadzaj|pokazuj|dodawaj|zaczynaj|kończ|tłumacz|wyjaśniaj|streszczaj|unikaj"
        r"|planuj|rezerwuj|cytuj|zaokrąglaj|sprawdzaj|potwierdzaj|powtarzaj|przepraszaj|formatuj|wypisuj|umawiaj|dawaj"
        r"|przeliczaj|pomijaj|skracaj|bądź|żartuj|wysyłaj|zgaduj|poruszaj|informuj|uprzedzaj|trzymaj się|kontaktuj się|rób"
        r"|zacznij|rozpoczynaj|rozpocznij|zakończ|zakańczaj"
    ),
    tail=(
        r"(?:odpowiadać|pisać|mówić|używać|podawać|dzwonić|wspominać|pytać|proponować|polecać|wyjaśniać|unikać"
        r"|odpowiada(?:ł|ła)"
        r"|pisa(?:ł|ła)|mówi(?:ł|ła)|używa(?:ł|ła)|podawa(?:ł|ła)|dzwoni(?:ł|ła)|wspomina(?:ł|ła)|pyta(?:ł|ła)"
        r"|proponowa(?:ł|ła))"
    ),
    early=r"zawsze|nigdy|nigdy więcej|tylko|wyłącznie|jedynie|stale",
    phrase=(
        r"od teraz|od tej pory|odtąd|od dziś|od dzisiaj|od tej chwili|na przyszłość|w przyszłości|domyślnie|za każdym razem"
        r"|do odwołania|(?:w|na|do|przy) (?:każdej|każde|każdym|wszystkich|wszystkie)(?: swoich| swoje| moje| moich)?"
        r" (?:odpowiedzi(?:ach)?|wiadomości(?:ach)?|pytani\w+|rozmow\w+)"
    ),
    whenever=r"za każdym razem,? gdy|za każdym razem,? kiedy|ilekroć|zawsze,? (?:gdy|kiedy)",
    when=r"gdy|kiedy|jeśli|jeżeli|jak",
    never=r"nigdy(?: więcej)?(?: już)?(?: mi| mnie)?(?: nie)?|(?:już )?(?:więcej )?nie|nie",
    stop=(
        r"(?:przestań|skończ|dość|koniec)(?: z| już| ciągle| stale| mnie| mi)* \w+(?:ć|ania|enia|iem|em|ami)\b.{0,80}"
        r"|żadnych \w+ więcej|koniec z \w+"
    ),
    name=(
        r"(?:mów(?:cie)? (?:mi|do mnie)|nazywaj(?:cie)? mnie|zwracaj się do mnie)(?: po prostu| proszę)*"
        r"|(?:możesz|może pan|może pani) (?:mi mówić|do mnie mówić|mówić mi|mówić do mnie|mnie nazywać"
        r"|nazywać mnie)(?: po prostu)?"
    ),
    once=(
        r"tym razem|teraz$|na razie|dzisiaj|dziś|jutro|wieczorem|jednorazowo|raz|t(?:o|ą|ę|ym|ej|en|emu) (?:pytani\w+|tekst\w*"
        r"|list\w*|wiadomoś\w+|zdani\w+|akapit\w*|artykuł\w*|odpowied\w+|mail\w*)|następn\w+|poniższ\w+|(?:jemu|jej|im"
        r"|szef\w+|klient\w+|(?:mojemu|mojej|swojemu|swojej) \w+)"
    ),
    report=(
        r"mówi|mawia|powiedział(?:a)?|pisze|napisał(?:a)?|radzi|poradził(?:a)?|twierdzi|krzyczy|krzyknął|krzyknęła|prosi"
        r"|poprosił(?:a)?|kazał(?:a)?|przysłowie|motto|cytat|według"
    ),
    intro=(
        r"(?:nowa |moja |ważna |jeszcze jedna )*(?:zasada|reguła|prośba|instrukcja|uwaga|życzenie|zapamiętaj|pamiętaj|ważne"
        r"|od teraz|od tej pory|na przyszłość)"
    ),
)
