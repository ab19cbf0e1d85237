"""Number words of languages whose words have many endings, each in all its forms: a form is separated by a slash."""

from itertools import product

_ONE_TO_TWELVE = {
    "ru": "один/одна/одно/одного/одной два/две/двух/двумя три/трёх/трех/тремя четыре/четырёх/четырех пять/пяти шесть/шести"
    " семь/семи восемь/восьми девять/девяти десять/десяти одиннадцать/одиннадцати двенадцать/двенадцати",
    "pl": "jeden/jedna/jedno/jednego/jednej dwa/dwie/dwóch/dwoma/dwaj trzy/trzech/trzema cztery/czterech pięć/pięciu"
    " sześć/sześciu siedem/siedmiu osiem/ośmiu dziewięć/dziewięciu dziesięć/dziesięciu jedenaście/jedenastu"
    " dwanaście/dwunastu",
    "cs": "jeden/jedna/jedno dva/dvě/dvou tři/tří čtyři/čtyř pět/pěti šest/šesti sedm/sedmi osm/osmi devět/devíti"
    " deset/deseti jedenáct/jedenácti dvanáct/dvanácti",
    "sv": "en/ett två tre fyra fem sex sju åtta nio tio elva tolv",
    "da": "en/et/én/ét to tre fire fem seks syv otte ni ti elleve tolv",
    "fi": "yksi/yhden kaksi/kahden/kahta kolme/kolmen neljä/neljän viisi/viiden kuusi/kuuden seitsemän kahdeksan yhdeksän"
    " kymmenen yksitoista kaksitoista",
    "tr": "bir iki üç dört beş altı yedi sekiz dokuz on onbir oniki",
}
_TEENS = {  # from 13
    "ru": "тринадцать/тринадцати четырнадцать/четырнадцати пятнадцать/пятнадцати шестнадцать/шестнадцати"
    " семнадцать/семнадцати восемнадцать/восемнадцати девятнадцать/девятнадцати",
    "pl": "trzynaście/trzynastu czternaście/czternastu piętnaście/piętnastu szesnaście/szesnastu siedemnaście/siedemnastu"
    " osiemnaście/osiemnastu dziewiętnaście/dziewiętnastu",
    "cs": "třináct/třinácti čtrnáct/čtrnácti patnáct/patnácti šestnáct/šestnácti sedmnáct/sedmnácti osmnáct/osmnácti"
    " devatenáct/devatenácti",
    "sv": "tretton fjorton femton sexton sjutton arton nitton",
    "da": "tretten fjorten femten seksten sytten atten nitten",
    "fi": "kolmetoista neljätoista viisitoista kuusitoista seitsemäntoista kahdeksantoista yhdeksäntoista",
    "tr": "onüç ondört onbeş onaltı onyedi onsekiz ondokuz",
}
_TENS = {  # from 20
    "ru": "двадцать/двадцати тридцать/тридцати сорок/сорока пятьдесят/пятидесяти шестьдесят/шестидесяти"
    " семьдесят/семидесяти восемьдесят/восьмидесяти девяносто/девяноста",
    "pl": "dwadzieścia/dwudziestu trzydzieści/trzydziestu czterdzieści/czterdziestu pięćdziesiąt/pięćdziesięciu"
    " sześćdziesiąt/sześćdziesięciu siedemdziesiąt/siedemdziesięciu osiemdziesiąt/osiemdziesięciu"
    " dziewięćdziesiąt/dziewięćdziesięciu",
    "cs": "dvacet/dvaceti třicet/třiceti čtyřicet/čtyřiceti padesát/padesáti šedesát/šedesáti sedmdesát/sedmdesáti"
    " osmdesát/osmdesáti devadesát/devadesáti",
    "sv": "tjugo trettio fyrtio femtio sextio sjuttio åttio nittio",
    "da": "tyve tredive fyrre/førti halvtreds/femti tres/seksti halvfjerds/sytti firs/åtti halvfems/nitti",
    "fi": "kaksikymmentä kolmekymmentä neljäkymmentä viisikymmentä kuusikymmentä seitsemänkymmentä kahdeksankymmentä"
    " yhdeksänkymmentä",
    "tr": "yirmi otuz kırk elli altmış yetmiş seksen doksan",
}
_HUNDREDS = {  # from 100
    "ru": "сто/ста двести/двухсот триста/трёхсот/трехсот четыреста/четырёхсот пятьсот/пятисот шестьсот/шестисот"
    " семьсот/семисот восемьсот/восьмисот девятьсот/девятисот",
    "pl": "sto/stu dwieście/dwustu trzysta/trzystu czterysta/czterystu pięćset/pięciuset sześćset/sześciuset"
    " siedemset/siedmiuset osiemset/ośmiuset dziewięćset/dziewięciuset",
    "cs": "sto",
    "sv": "etthundra tvåhundra trehundra fyrahundra femhundra sexhundra sjuhundra åttahundra niohundra",
}
_HUNDRED = {  # after another number
    "ru": "", "pl": "", "cs": "stě/sta/set", "sv": "hundra", "da": "hundrede/hundred/hundre", "fi": "sata/sataa", "tr": "yüz",
}  # fmt: skip
_LARGE = {
    "ru": "тысяча/тысячи/тысяч/тыс миллион/миллиона/миллионов миллиард/миллиарда/миллиардов",
    "pl": "tysiąc/tysiące/tysięcy/tys milion/miliony/milionów miliard/miliardy/miliardów",
    "cs": "tisíc/tisíce milion/miliony/milionů miliarda/miliardy/miliard",
    "sv": "tusen miljon/miljoner miljard/miljarder",
    "da": "tusind/tusinde/tusen million/millioner milliard/milliarder",
    "fi": "tuhat/tuhatta miljoona/miljoonaa miljardi/miljardia",
    "tr": "bin milyon milyar",
}
#: What stands between tens and units that are written as one word, and which come first.
_JOINED = {"sv": ("", False), "da": ("og", True), "fi": ("", False)}
LANGUAGES = tuple(_ONE_TO_TWELVE)


def units(language: str) -> dict[str, float]:
    """The words that are a number by themselves, with their values."""
    found: dict[str, float] = {}
    for line, first, step in (
        (_ONE_TO_TWELVE[language], 1, 1),
        (_TEENS[language], 13, 1),
        (_TENS[language], 20, 10),
        (_HUNDREDS.get(language, ""), 100, 100),
    ):
        found |= {word: float(first + step * place) for place, forms in enumerate(line.split()) for word in forms.split("/")}
    if language in _JOINED:
        between, units_first = _JOINED[language]
        small = [(word, value) for word, value in found.items() if value < 10]
        tens = [(word, value) for word, value in found.items() if 20 <= value < 100]
        for (unit, one), (ten, many) in product(small, tens):
            found[f"{unit}{between}{ten}" if units_first else f"{ten}{between}{unit}"] = one + many
    if language == "sv":  # "tvåhundrafemtio"
        above = [(word, value) for word, value in found.items() if value >= 100]
        found |= {word + rest: value + more for (word, value), (rest, more) in product(above, [*found.items()]) if more < 100}
    return found


def hundreds(language: str) -> frozenset[str]:
    return frozenset(filter(None, _HUNDRED[language].split("/")))


def large(language: str) -> dict[str, float]:
    """Thousand, million and billion, in all forms."""
    return {word: 1000.0 ** (place + 1) for place, forms in enumerate(_LARGE[language].split()) for word in forms.split("/")}
