"""What instructions are about, in all languages."""

#: Names of languages by ISO 639-1 code, for "answer in ...".
LANGUAGE_NAMES = {
    "en": r"english|englisch|anglais|inglés|ingles|inglese|inglês|engels",
    "de": r"german|deutsch|allemand|alemán|aleman|tedesco|alemão|duits",
    "fr": r"french|französisch|français|francais|francés|frances|francese|francês|frans",
    "es": r"spanish|spanisch|espagnol|español|espanol|castellano|spagnolo|espanhol|spaans",
    "it": r"italian|italienisch|italien|italiano|italiaans",
    "pt": r"portuguese|portugiesisch|portugais|portugués|portugues|portoghese|português|portugees",
    "nl": r"dutch|niederländisch|holländisch|néerlandais|neerlandés|holandés|olandese|holandês|nederlands",
    "pl": r"polish|polnisch|polonais|polaco|polacco|polonês|pools",
    "ru": r"russian|russisch|russe|ruso|russo",
    "uk": r"ukrainian|ukrainisch|ukrainien|ucraniano|ucraino|oekraïens",
    "tr": r"turkish|türkisch|turc|turco|turks",
    "ar": r"arabic|arabisch|arabe|árabe|arabo",
    "zh": r"chinese|mandarin|chinesisch|chinois|chino|cinese|chinês|chinees",
    "ja": r"japanese|japanisch|japonais|japonés|giapponese|japonês|japans",
    "ko": r"korean|koreanisch|coréen|coreano|koreaans",
    "sv": r"swedish|schwedisch|suédois|sueco|svedese|zweeds",
    "da": r"danish|dänisch|danois|danés|danese|dinamarquês|deens",
    "no": r"norwegian|norwegisch|norvégien|noruego|norvegese|norueguês|noors",
    "fi": r"finnish|finnisch|finnois|finlandés|finlandese|finlandês|fins",
    "el": r"greek|griechisch|grec|griego|greco|grego|grieks",
    "cs": r"czech|tschechisch|tchèque|checo|ceco|tsjechisch",
    "ca": r"catalan|katalanisch|catalán|catalano|catalão|catalaans",
    "la": r"latin|latein|latín|latino|latim|latijn",
    "hi": r"hindi",
}

#: Stems of verbs of answering: with the name of a language they make an instruction about the language.
ANSWERING = (
    r"answer|repl|respon|writ|speak|talk|communicat|antwort|antwoord|schreib|sprech|sprich|red|répon|repon|écri"
    r"|ecri|parl|h[aá]bl|cont[eé]st|resp[oó]nd|escr[ií]b|rispon|scriv|fal|escrev|praat|prat|spre|schrijf|schrijv"
    r"|switch|stick|continue"
)

#: Subjects of which one instruction at a time can hold: a newer one replaces the former.
SUBJECTS = {
    "length": (
        r"short|brief|concise|succinct|terse|detailed|longer?|shorter|kurz\w*|knapp\w*|ausführlich\w*|court\w*|bref"
        r"|brèves?|concis\w*|détaillé\w*|brev\w*|cort\w*|detallad\w*|dettagliat\w*|curt\w*|detalhad\w*|beknopt\w*"
        r"|bondig|uitgebreid\w*|kort|korte|kortere|one sentence|two sentences"
    ),
    "units": r"metric|imperial|metrisch\w*|imperial\w*|métriques?|métric\w*|metrich?\w*|celsius|fahrenheit",
    "formality": (
        r"formal\w*|informal\w*|casual|duze?n?|sieze?n?|förmlich|formell|tutoie|tutoyez|tutoyer|vouvoie|vouvoyez"
        r"|vouvoyer|tutéame|tuteame|usted|del tu|del lei|tutoyeer"
    ),
}
