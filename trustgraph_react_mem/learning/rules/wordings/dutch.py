"""Dutch."""

from .wording import Wording

DUTCH = Wording(
    lead=(
        r"alsjeblieft|alstublieft|aub|graag|hoi|hallo|hé|ok|oké|goed|dus|en|maar|ook|trouwens|luister|onthoud"
        r"|onthoud dat|denk eraan|ja|nee|bedankt|laten we"
    ),
    ask=r"(?:kun|kan|zou|wil) (?:je|jij|u)(?: alsjeblieft| alstublieft)?(?: kunnen| willen)?",
    want=(
        r"ik vraag (?:je|u)(?: om)?|het zou fijn zijn als (?:je|u)|ik (?:wil|zou graag willen|wens|verwacht"
        r"|heb liever) dat (?:je|jij|u)|(?:je|jij|u) (?:moet|mag|dient)"
    ),
    verb=(
        r"antwoord|antwoordt|beantwoord|schrijf|spreek|praat|noem|bel|gebruik|geef|hou|houd|leg|toon|laat|voeg|vermeld"
        r"|vraag|zeg|stel|raad|doe|vermijd|tutoyeer|wek|stoor|herinner|bevestig|blijf|wees|kort|vertaal|formuleer"
        r"|begin|eindig|groet|boek|plan|contacteer|citeer|rond|zet|maak|reken|stuur|herhaal|app|mail|check|controleer"
        r"|adviseer|spreek me|excuseer"
        r"|start|sluit|besluit|open|onderteken"
    ),
    tail=(
        r"(?:\w*antwoorden|\w*schrijven|\w*spreken|\w*praten|noemen|bellen|gebruiken|\w*geven|\w*houden|uitleggen"
        r"|vermelden|vragen|voorstellen|aanraden|vermijden|wekken|storen|weglaten|boeken|maken|\w*antwoordt|schrijft"
        r"|spreekt|belt|gebruikt|noemt|geeft|vraagt|zegt)"
    ),
    early=r"altijd|nooit|nooit meer|alleen|alleen nog|uitsluitend|steeds|enkel",
    phrase=(
        r"vanaf nu|van nu af aan|voortaan|in de toekomst|in het vervolg|standaard|elke keer|iedere keer|vanaf vandaag"
        r"|tot nader order|(?:in|bij|op|voor) (?:al|alle|elke|ieder)(?: je| mijn)?(?: toekomstige)? (?:antwoord(?:en)?"
        r"|berichten?|vragen|gesprekken)"
    ),
    whenever=r"elke keer (?:dat|als|wanneer)|telkens (?:als|wanneer)|iedere keer (?:dat|als)|altijd (?:als|wanneer)",
    when=r"als|wanneer|indien",
    never=r"(?:\w+ ){1,4}(?:niet|geen)\b|nooit|geen",
    stop=(
        r"(?:stop|hou op|houd op)(?: alsjeblieft)? met (?:het )?\w+|geen \w+(?: \w+)? meer|genoeg met|laat (?:de|die"
        r"|het) \w+ (?:weg|achterwege)"
    ),
    name=r"noem (?:me|mij)(?: maar| gewoon| alsjeblieft| voortaan)*|(?:je mag|je kunt|u mag) (?:me|mij)",
    once=(
        r"deze keer|dit keer|voor één keer|voor een keer|vandaag(?! af)|morgen|vanavond|voorlopig|nu$|(?:deze|dit|die"
        r"|dat) (?:tekst|zin|bericht|vraag|mail|antwoord|alinea|week|brief|artikel)|volgende|hieronder|(?:mijn|zijn"
        r"|haar) (?:baas|moeder|vader|vriend|vriendin|zus|broer|klant|collega)"
    ),
    report=r"zegt|zei|zeggen|schreef|schrijft|roept|riep|adviseert|volgens|motto|spreekwoord|beweert|luidt",
    intro=(
        r"(?:nieuwe |mijn |een |belangrijke )*(?:regel|instructie|voorkeur|opmerking|onthoud|belangrijk|vanaf nu"
        r"|voortaan|let op)"
    ),
)
