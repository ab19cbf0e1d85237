"""Units, months and patterns of quantities in seven languages.  The patterns match normalised text, see ``quantities``."""

import re
from fractions import Fraction

from . import further_numbers

WIDE = str.maketrans("：．，％＄￥", ":.,%$¥")


def _words(text: str) -> dict[str, str]:
    return {word: name for name, line in (row.split(": ") for row in text.strip().splitlines()) for word in line.split()}


# unit -> (dimension, factor to its base unit)
FACTORS: dict[str, tuple[str, Fraction]] = {
    name: (dimension, Fraction(factor))
    for dimension, row in {
        "mass": "ug:1/1000000 mg:1/1000 g:1 kg:1000 t:1000000 oz:28349523125/1000000000 lb:45359237/100000",
        "length": "mm:1/1000 cm:1/100 m:1 km:1000 mil:10000 mi:1609344/1000 ft:3048/10000 in:254/10000",
        "volume": "ml:1/1000 cl:1/100 dl:1/10 l:1",
        "area": "m2:1 ha:10000",
        "duration": "s:1 min:60 h:3600 day:86400 week:604800",
        "months": "month:1 year:12",
        "data": "kb:1/1000000 mb:1/1000 gb:1 tb:1000",
        "percent": "percent:1",
        "temperature": "celsius:1",
        "fahrenheit": "fahrenheit:1",
        "eur": "eur:1 cent:1/100",
        "usd": "usd:1",
        "gbp": "gbp:1",
        "jpy": "jpy:1",
        "chf": "chf:1",
        "inr": "inr:1",
        "pln": "pln:1",
        "rub": "rub:1",
        "cny": "cny:1",
        "krw": "krw:1",
    }.items()
    for name, factor in (pair.split(":") for pair in row.split())
}
CURRENCIES = frozenset({"eur", "usd", "gbp", "jpy", "chf", "inr", "pln", "rub", "cny", "krw"})
#: Words that are one of two units, by what is measured: キロ is a kilometre or a kilogram, a pound money or a mass.
AMBIGUOUS = {"キロ": ("km", "kg"), "킬로": ("km", "kg"), "фунт": ("gbp", "lb"), "фунта": ("gbp", "lb"), "фунтов": ("gbp", "lb"),
             "ポンド": ("gbp", "lb"), "파운드": ("gbp", "lb"), "¥": ("jpy", "cny")}  # fmt: skip
IMPERIAL = ("mi", "ft", "in", "lb", "oz")
UNITS = _words("""
ug: µg μg ug mcg mikrogramm micrograms
mg: mg milligram milligrams milligramm milligramme milligrammes miligramo miligramos milligrammi miligrama miligramas
mg: miligramów мг миллиграмм миллиграмма миллиграммов ミリグラム 毫克 밀리그램
g: g gram grams gramm gramme grammes gramo gramos grammo grammi grama gramas gramm gramów gramy грамм грамма граммов
g: グラム 克 그램
kg: kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos chilo chili quilo quilos
kg: kilogramów kilogramy кг килограмм килограмма килограммов кило キログラム 公斤 千克 킬로그램
lb: lb lbs libbre libbra libras libra
oz: oz ounce ounces
mm: mm millimeter millimetres millimeters мм ミリ ミリメートル 毫米 밀리미터
cm: cm centimeter centimeters centimetres zentimeter centimetre centimètres centimètre centímetros centímetro
cm: centimetri zentimetern centymetrów centymetry см сантиметр сантиметра сантиметров センチ センチメートル 厘米 公分 센티미터
cm: 센티
m: meter meters metres metre mètres mètre metros metro metri metern metrów metry м метр метра метров メートル 米 미터
km: km kilometer kilometers kilometres kilometre kilomètres kilómetros quilómetros quilômetros chilometri kilometern
km: kilometr kilometry kilometrów км километр километра километров キロメートル 公里 千米 킬로미터
mi: mile miles meile meilen milla millas miglia miglio milha milhas mijl mijlen миля мили миль マイル 英里 마일
ft: ft feet foot fuß pieds piedi pés voet stóp stopy фут фута футов フィート 英尺 피트
in: inch inches zoll pouce pouces pulgada pulgadas pollice pollici polegada polegadas cali cale дюйм дюйма дюймов インチ
in: 英寸 인치
mil: mil
m2: m² m2 qm sqm ㎡
ha: ha hectares hectare hektar hectáreas ettari
ml: ml milliliter milliliters millilitres mililitros mililitrów мл миллилитр миллилитра миллилитров ミリリットル 毫升 밀리리터
cl: cl
l: l liter liters litre litres litro litros litri litern litr litra litry litrów л литр литра литров リットル 公升 升 리터
s: second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondi seconden sekundy sekund секунда
s: секунды секунд
min: min mins minute minutes minuten minuto minutos minuti minuut minuta minuty minut минута минуту минуты минут 分钟 分間
h: h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur std godzina godzinę godziny godzin час часа
h: часов 小时 個小時 时间 時間 시간
day: day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen dzień dni день дня дней
week: week weeks woche wochen semaine semaines semana semanas settimana settimane weken tydzień tygodnie tygodni неделя
week: неделю недели недель 週間
month: month months monat monate monaten mois mes meses mese mesi mês maand maanden miesiąc miesiące miesięcy месяц
month: месяца месяцев 个月 ヶ月 か月 개월
year: year years jahr jahre jahren an ans année années año años anno anni ano anos jaar rok lata lat год года лет
kb: kb kilobyte kilobytes
mb: mb megabyte megabytes
gb: gb gigabyte gigabytes
tb: tb terabyte terabytes
percent: % percent prozent pourcent procent procenta процент процента процентов パーセント 퍼센트
celsius: °c celsius
fahrenheit: °f fahrenheit
eur: € eur euro euros eura евро ユーロ 欧元 유로
cent: cent cents cts
usd: $ usd dollar dollars bucks dólares dolary dolarów dollari dólar доллар доллара долларов ドル 美元 달러
gbp: £ gbp pound pounds quid sterline funty funtów
jpy: ¥ jpy yen 円
chf: chf franken francs
inr: ₹ inr rupees rs
pln: zł pln złoty złote złotych
rub: ₽ rub руб рубль рубля рублей
cny: 元 块 块钱 人民币 rmb
krw: ₩ krw 원
""")
MULTIPLIERS = {
    word: factor
    for factor, line in {
        1000: "k thousand tausend tsd mille mil mila duizend",
        1_000_000: "m mn mio million millions millionen millón millones milione milioni milhão milhões miljoen",
        1_000_000_000: "bn billion milliarde milliarden milliard milliards mrd miljard",
    }.items()
    for word in line.split()
}
MULTIPLIERS |= {"万": 10_000, "萬": 10_000, "만": 10_000}
MULTIPLIERS |= {word: int(factor) for code in further_numbers.LANGUAGES for word, factor in further_numbers.large(code).items()}
del MULTIPLIERS["bin"]  # Turkish; also a word of English and German
SHORT = frozenset({"k", "m", "mn"})  # multipliers only if attached to the number: "10k", but not "10 m"
MONTHS = {
    name: number
    for number, line in enumerate(
        (
            "january januar janvier enero gennaio janeiro januari jan jänner января январь stycznia styczeń ocak tammikuuta",
            "february februar février febrero febbraio fevereiro februari feb февраля февраль lutego luty şubat helmikuuta",
            "march märz mars marzo março maart mar марта март marca marzec mart maaliskuuta",
            "april avril abril aprile apr апреля апрель kwietnia kwiecień nisan huhtikuuta",
            "may mai mayo maggio maio mei мая май maja maj mayıs toukokuuta",
            "june juni juin junio giugno junho jun июня июнь czerwca czerwiec haziran kesäkuuta",
            "july juli juillet julio luglio julho jul июля июль lipca lipiec temmuz heinäkuuta",
            "august août agosto augustus aug августа август sierpnia sierpień augusti ağustos elokuuta",
            "september septembre septiembre settembre setembro sep sept сентября сентябрь września wrzesień eylül syyskuuta",
            "october oktober octobre octubre ottobre outubro oct okt октября октябрь października październik ekim lokakuuta",
            "november novembre noviembre novembro nov ноября ноябрь listopada listopad kasım marraskuuta",
            "december dezember décembre diciembre dicembre dezembro dec dez декабря декабрь grudnia grudzień aralık joulukuuta",
        ),
        1,
    )
    for name in line.split()
}
MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
YEAR = r"(?:19|20)\d\d"
BEFORE_DAY = "on|by|since|until|le|el|il|am|vom|bis|zum|op|dal|al|do|от|до|с"
DATES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), order)
    for pattern, order in (
        (rf"(?<!\d)({YEAR})[-/.](\d\d?)[-/.](\d\d?)(?!\d)", "ymd"),
        (rf"({YEAR})\s?年\s?(\d\d?)\s?月(?:\s?(\d\d?)\s?[日号])?", "ymd"),
        (r"(?<!\d)(\d\d?)\s?月\s?(\d\d?)\s?[日号]", "md"),
        (rf"\b(\d\d?)[./](\d\d?)[./]({YEAR})\b", "dmy"),
        (r"(?<![\d.])(\d\d?)\.\s?(\d\d?)\.(?!\d)", "dm"),
        (rf"(?:\b(?:{BEFORE_DAY})\s|\A)(\d\d?)/(\d\d?)(?![\d/]|\.\d|\s\w)", "dm"),
        (
            rf"\b(\d\d?)(?:st|nd|rd|th|er|º|°|\.)?\s+(?:(?:of|de|di)\s+)?({MONTH})\b\.?(?:,?\s*(?:de\s+|del\s+"
            rf"|of\s+)?({YEAR}))?",
            "dmy",
        ),
        (rf"\b({MONTH})\.?\s+(\d\d?)(?:st|nd|rd|th)?\b(?![.,]?\d|:)(?:,?\s*({YEAR}))?", "mdy"),
        (rf"\b({MONTH})\.?,?\s+(?:(?:of|de|del)\s+)?({YEAR})\b", "my"),
        (rf"\b({YEAR})-(\d\d)\b(?!-)", "ym"),
    )
)
LONE_MONTH = re.compile(rf"\b(?:{MONTH})\b", re.IGNORECASE)
EVENING = (
    r"(?:in the (?:evening|afternoon)|at night|p\.?m\b\.?|abends|nachmittags|nachts|am (?:abend|nachmittag)|du soir"
    r"|de l['’]apr[eè]s-midi|de la (?:tarde|noche)|di sera|del pomeriggio|da (?:tarde|noite)|['’]s (?:avonds|middags))"
)
MORNING = (
    r"(?:in the morning|a\.?m\b\.?|morgens|vormittags|früh|am (?:morgen|vormittag)|du matin|de la mañana|di mattina"
    r"|del mattino|da manhã|['’]s (?:ochtends|morgens))"
)
CLOCK = re.compile(
    r"(?:(?:(?P<later>午後|下午|晚上|오후)|(?P<earlier>午前|上午|早上|오전))\s?)?"
    r"(?P<before>\b(?:at|by|around|from|to|until|till|von|bis"
    r"|um|gegen|à|a las?|alle|às|om)\s+)?(?<![\d.,:/])(?P<hour>[01]?\d|2[0-4])(?!\d|[ \u00a0\u202f]\d{3}(?!\d))"
    r"(?:(?P<colon>:|\s?h\s?(?=[0-5]\d(?!\d))|\.(?=\d\d\s*(?:uhr|pm|am|p\.m"
    r"|a\.m)))(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:]))?"
    r"(?P<word>\s*(?:o['’]clock|uhr|heures?|horas|uur|ore|hours|h)(?![^\W\d_])|\s*(?:時(?![間半])|点(?!半)|시(?!간|\s?반)))?"
    rf"(?:\s*(?P<evening>{EVENING})|\s*(?P<morning>{MORNING}))?",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:(?P<half>half past|half)|(?P<after>(?:a )?quarter past|viertel nach|kwart over|kvart (?:över|over))"
    r"|(?P<to>(?:a )?quarter to|viertel vor|kwart voor|kvart (?:i|på))|(?P<toward>halb|halv))\s+(?P<hour>\d\d?)\b",
    re.IGNORECASE,
)
# "six heures et demie", "las dos y media", "le cinque meno un quarto": a time of day, and with "half" also an amount.
PAST_AFTER = re.compile(
    r"\b(?P<hour>\d\d?)(?P<word>\s?(?:heures?|h|horas?|ore))?\s+(?:(?P<half>et demie?|y medi[oa]|e mezz[oa]|e mei[oa])"
    r"|(?P<after>et quart|y cuarto|e un quarto|e 1 quarto)|(?P<to>moins (?:le )?quart|menos cuarto|meno (?:un|1) quarto))\b",
    re.IGNORECASE,
)
NOON = re.compile(
    r"\b(?:(noon|midday|mittags|à midi|mediodía|mezzogiorno|meio-dia)|(midnight|mitternacht|minuit|medianoche))\b", re.I
)
PHONE = re.compile(r"(?<![\w.,])\+?\(?\d[\d()]{0,5}(?:[ ./()-]{1,2}\d{2,}){1,6}(?![\w]|[.,]\d)")
CODE = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w{2,24}\b")
VERSION = re.compile(r"\b(?!\d{1,3}(?:\.\d{3})+\b)\d+(?:\.\d+){2,}\b")  # "1.250.000" is a number
NUMBER = re.compile(
    r"(?P<currency>[€$£¥₹₩₽]|\b(?:EUR|USD|GBP|CHF)\b)?\s?(?:(?P<sign>(?<![\w)])[-−–])|\bminus )?"
    # Not after a letter or within digits; scripts without spaces between words have no space before a number.
    r"(?<![^\W_぀-ヿ㐀-䶿一-鿿豈-﫿가-힣฀-๿])"
    r"(?P<digits>\d+(?:[.,'’](?=\d)\d+|[ \u00a0\u202f]\d{3}(?!\d))*)"
    r"(?P<ordinal>st|nd|rd|th|er|ème|(?-i:re|e)(?![^\W\d_])|[ºª])?",
    re.IGNORECASE,
)
_SPACELESS_UNITS = "|".join(sorted((word for word in (*UNITS, *AMBIGUOUS) if "぀" <= word[0] <= "힣"), key=len, reverse=True))
TAIL = re.compile(rf"(?P<gap>[ -]?)(?P<word>%|°\s?[CF]\b|[€$£¥₹₽₩万萬만]|(?:{_SPACELESS_UNITS})|[^\W\d_]+)", re.IGNORECASE)
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
HALF_MORE = re.compile(
    r"(?<![\d.,/])(\d{1,6})(?: and (?:a|1) half| und (?:ein\w{0,2}|1) halb\w{0,2}| en (?:een|1) halve?| i pół| с половиной|\s?½"
    r"| 1/2(?![\d/]))(?!\w)",
    re.IGNORECASE,
)
HALF = re.compile(
    r"\bhalf an?\s(?=[^\W\d_])"
    r"|\b(?:(?:ein\w{0,2} )?halb\w{1,2}\s|(?:een )?halve?\s|demie?[- ]|medi[oa]\s|mezz(?:[oa]\s|['’])|mei[oa]\s)"
    rf"(?=(?:{_UNIT}|tablet\w*|pill\w*|pastilla|compr\w+)\b)",
    re.IGNORECASE,
)
AND_A_HALF = re.compile(r"(?i)\b([^\W\d_]{3,7})einhalb(?=\W|$)")  # German: "viereinhalb"
FRACTION = re.compile(r"(?<![\d/.,])([13])/([248])(?=\s+[^\W\d_])")
FRACTIONS = {"½": "0.5", "¼": "0.25", "¾": "0.75"}
SHORT_YEAR = re.compile(r"(?<=\s)['’](\d\d)(?![\d'’]|\w)")
AND = re.compile(r",?\s*(?:(?:and|und|et|y|e|en)\s+)?")  # between the parts of "2 hours and 5 minutes"
TO = re.compile(r"\s*(?:-|–|to|bis|à|a|tot|até|oder|or|ou|o|of)\s*")
CURRENCY = re.compile(r"(?i)\b(?:swiss francs?|schweizer franken|francs? suisses?|francos? suizos?|franchi svizzeri)\b")
DEGREES = re.compile(
    r"\b(?:degrees?|grad|degrés?|grados?|gradi|graus?|graden|grader|stopni) (celsius|fahrenheit|[CF])\b", re.IGNORECASE
)
SQUARE_METRES = re.compile(
    r"(?i)\b(?:square met(?:er|re)s?|quadratmetern?|mètres? carrés?|metros? cuadrados?|metri quadr(?:i|ati)|metros? quadrados?"
    r"|vierkante meter|metrów kwadratowych|квадратных метр\w*)\b|平方米|平米|제곱미터"
)
# "half of my students": a share, which can also be given in percent.
SHARE = re.compile(
    r"(?i)\b(?:(?P<half>half|(?:die )?hälfte|la moitié|la mitad|la metà|metade|de helft|połow\w|половин\w)"
    r"|(?P<third>a third|ein drittel|un tiers|un tercio|un terzo|um terço|een derde)"
    r"|(?P<quarter>a quarter|ein viertel|un quart|un cuarto|un quarto|um quarto|een kwart))"
    r" (?:of|von|der|des|meiner|de|du|d['’]|di|del|della|dei|da|do|van)\b"
)
SHARES = {"half": 50, "third": 33, "quarter": 25}
PERCENT = re.compile(r"\b(?:per cent|pour cent|por ciento|por cento|per cento)\b", re.IGNORECASE)
