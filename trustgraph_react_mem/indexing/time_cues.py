"""Times and numbers: whether a question asks for one, and whether a record contains one.

These are columns of the ranking, computed for every record, so they are lookups and not the grammar of the other modules.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WHEN = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:date|year|month|day|time|week)\b|\bin which\b"
    r"|\bhow many (?:years|months|weeks|days)\b"
    r"|\bwann\b|\bwie lange\b|\bseit wann\b|\bwelche[mnrs]? (?:jahr|monat|tag|datum)\b|\bquand\b|\bcombien de temps\b"
    r"|\bquel(?:le)? (?:jour|mois|année|date)\b|\bcuándo\b|\bcuánto tiempo\b|\bqué (?:día|mes|año|fecha)\b"
    r"|\bquando\b|\bquanto tempo\b|\bwanneer\b|\bhoe lang\b|\bkiedy\b|\bjak długo\b|\bкогда\b|\bкак долго\b"
    r"|언제|며칠|몇 [년월일]"
    r"|いつ|何[年月日時]|何曜日|什么时候|何时|几[月号点]|哪[年天]|多久",
    re.IGNORECASE,
)
# Single words are looked up in a set: a pattern with two hundred alternatives takes ten times as long for every record.
_TIME_WORDS = _words(
    """
    yesterday today tonight tomorrow ago last next recently since weekend weekends birthday anniversary
    gestern heute morgen vorgestern übermorgen letzte letzten letzter letztes letztem nächste nächsten nächster
    nächstes nächstem
    seit wochenende geburtstag hier demain dernier dernière prochain prochaine depuis anniversaire
    ayer hoy mañana anoche pasado pasada pasados pasadas próximo próxima próximos próximas desde cumpleaños
    ieri oggi domani scorso scorsa prossimo prossima settimana mese anno lunedì martedì mercoledì giovedì venerdì sabato
    domenica gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre compleanno
    ontem hoje amanhã passado passada semana mês janeiro fevereiro março junho julho setembro outubro novembro dezembro
    aniversário
    gisteren vandaag eergisteren vorige vorig volgende volgend geleden maandag dinsdag woensdag donderdag vrijdag zaterdag
    zondag januari februari maart augustus verjaardag
    wczoraj dzisiaj dziś jutro zeszły zeszłym tydzień tygodniu miesiąc miesiącu roku temu poniedziałek wtorek środa środę
    czwartek piątek sobota sobotę niedziela niedzielę urodziny
    вчера сегодня завтра позавчера прошлый прошлую прошлой прошлом назад неделю неделе месяц месяце году понедельник вторник
    среда среду четверг пятница пятницу суббота субботу воскресенье январе феврале марте апреле мае июне июле августе сентябре
    октябре ноябре декабре
    january januar janvier enero jänner february februar février febrero fevrier march märz mars marzo maerz april avril abril
    may mai mayo june juni juin junio july juli juillet julio august août agosto aout september septembre septiembre sept
    october oktober octobre octubre november novembre noviembre december dezember décembre diciembre decembre
    monday montag lundi lunes tuesday dienstag mardi martes wednesday mittwoch mercredi miércoles thursday donnerstag jeudi
    jueves friday freitag vendredi viernes saturday samstag samedi sábado sunday sonntag dimanche domingo
    spring frühling printemps primavera summer sommer été verano autumn fall herbst automne otoño winter hiver invierno
    day days tag tage tagen jour jours día días dia dias week weeks woche wochen semaine semaines semana semanas
    month months monat monate monaten mois meses year years jahr jahre jahren ans année années año años
    """
)
_TIME_SIGNS = re.compile(
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2}(?:st|nd|rd|th))\b|\bthis morning\b|\bvor kurzem\b|\baujourd'hui\b|\bil y a\b"
    r"|昨日|今日|明日|先週|来週|先月|来月|去年|今年|来年|\d[年月日]|昨天|今天|明天|上周|下周|上个月|下个月|明年"
    r"|어제|오늘|내일|그저께|지난주|다음 ?주|지난달|작년|올해|내년|요일",
    re.IGNORECASE,
)
_LOOSE_WORD = re.compile(r"[^\W\d_]+")
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|often|old|far|tall|big)\b|\bwhat (?:number|age|price)\b|\bwie (?:viele?|oft|alt|weit|groß|teuer)\b"
    r"|\bquant[iaeo]s?\b|\bhoeveel\b|\bile\b|\bilu\b|\bсколько\b|몇|얼마"
    r"|\bcombien\b|\bquel âge\b|\bcuánt[oa]s?\b|いくつ|いくら|何[人個回歳枚本匹]|几[个次岁只]|多少|多大",
    re.IGNORECASE,
)
_NUMBER_WORDS = _words(
    """
    once twice dozen hundred first second third einmal zweimal hundert erste erster erstes ersten zweite zweiter zweites
    zweiten premier première deuxième primero primera segundo segunda
    one two zwei deux dos couple three drei trois tres four vier quatre cuatro five fünf cinq cinco six sechs seis
    seven sieben sept siete eight acht huit ocho nine neun neuf nueve ten zehn dix diez
    """
)
_FIGURE = re.compile(r"[\d一二三四五六七八九十百]")


def asks_number(question: str) -> bool:
    return _HOW_MANY.search(question) is not None


def contains_number(text: str) -> bool:
    """Whether a text contains a digit or a number word.  Articles that also mean "one" do not count."""
    return _FIGURE.search(text) is not None or not _NUMBER_WORDS.isdisjoint(_LOOSE_WORD.findall(text.lower()))


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def mentions_time(text: str) -> bool:
    return not _TIME_WORDS.isdisjoint(_LOOSE_WORD.findall(text.lower())) or _TIME_SIGNS.search(text) is not None
