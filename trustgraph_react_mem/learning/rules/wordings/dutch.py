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
    every=(
        r"(?:begin|start|eindig|sluit|besluit|open)t? (?:elk|ieder|al|alle)(?: van)?(?: je)? antwoord(?:en)?|(?:begin|"
        r"einde?|slot) van (?:elk|ieder|al|alle)(?: je)? antwoord(?:en)?"
    ),
    whenever=r"elke keer (?:dat|als|wanneer)|telkens (?:als|wanneer)|iedere keer (?:dat|als)|altijd (?:als|wanneer)",
    when=r"als|wanneer|indien",
    talk=(
        r"ik (?:\w+ ){0,6}(?:vraag|schrijf|zeg|praat|noem|stuur|zoek|wil)|je (?:\w+ ){0,6}(?:antwoordt|schrijft"
        r"|uitlegt|voorstelt|aanraadt|niet weet|niet zeker bent|citeert)"
    ),
    never=r"(?:\w+ ){1,4}(?:niet|geen)\b|nooit|geen",
    again=r"meer|nooit|ooit|nog een keer|ongevraagd|(?:voor|na|tussen) (?:\d|negen|tien|acht|zeven|zes|elf|twaalf)\w*",
    stop=(
        r"(?:stop|hou op|houd op)(?: alsjeblieft)? met (?:het )?\w+|geen \w+(?: \w+)? meer|genoeg met|laat (?:de|die"
        r"|het) \w+ (?:weg|achterwege)"
    ),
    permit=r"(?:je|u) (?:mag|kunt|kan) (?:.{1,120} )?weer\b.{0,60}",
    form=(
        r"(?:hou|houd|maak)(?: alsjeblieft)? (?:je|uw|de) (?:antwoorden|berichten|uitleg)(?: alsjeblieft)? \w+.{0,30}"
        r"|(?:geen|zonder|vermijd|gebruik geen)(?: \w+)? (?:emoji'?s?|emoticons?|smileys?|opsommingen|uitroeptekens"
        r"|jargon|anglicismen|tabellen|afkortingen)\b.{0,60}|gebruik(?: alleen)? (?:het metrische|metrische|celsius"
        r"|graden celsius|imperiale).{0,40}|(?:wees|blijf)(?: \w+)? (?:kort|beknopt|bondig|formeel|informeel|direct"
        r"|beleefd|korter)(?: .{0,30})?|(?:zeg|spreek) (?:maar )?(?:je|jij|u) (?:tegen|aan) mij|(?:tutoyeer"
        r"|vousvoyeer) me(?: .{0,30})?|(?:korte|kortere|beknopte|uitgebreide) (?:antwoorden|uitleg),? (?:graag"
        r"|alsjeblieft|aub)|ik (?:wil|heb|zie) (?:graag|liever) (?:\w+ )?(?:antwoorden|uitleg)\b.{0,40}"
    ),
    name=r"noem (?:me|mij)(?: maar| gewoon| alsjeblieft| voortaan)*|(?:je mag|je kunt|u mag) (?:me|mij)",
    answer=r"(?:antwoord|schrijf|spreek|praat)(?: me| mij| met mij| alleen| altijd| alsjeblieft| maar)*",
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
