"""The relatives, friends and colleagues that a statement speaks of, by what they are to someone, in several languages."""

import re
from collections.abc import Set
from itertools import islice

MOST_RELATIVES = 20  # of a text
# What they are to someone: the words for it.  A word that says less has several meanings before the colon, as does one that
# means something else in another language.
_LINES = r"""
mother father: parents? eltern padres genitori pais ouders rodzice родители 両親 父母 부모
mother: mothers? mums? moms? mommy mummy mama mamma mamá maman mutti? mutter mères? madre mãe moeder mamę matk[aię] мам[аеуы] мать матери 母 妈妈? 媽媽 어머니 엄마
father: fathers? dads? daddy papa papà vaters? pères? padre pai vader ojciec ojca отец отца пап[аеуы] tat[aęyo] tatuś 父 爸爸? 아버지 아빠
brother: brothers? bro frangin frérot bruders? brüdern? frères? hermanos? fratell[oi] irmãos? broers? bror brat brata braci брат брата братья 兄 弟 哥哥 오빠 남동생
sister: sisters? sis frangine schwestern? s[œo]e?urs? hermanas? sorell[ae] irmãs? zus zussen syster søster siostr\w+ сест[ре]\w+ 姉 妹 姐姐 누나 언니 여동생
brother sister: siblings? geschwistern? 동생
son: (?:(?<=my\s)|(?<=our\s)|(?<=his\s)|(?<=her\s)|(?<=the\s)|(?<=your\s)|(?<=their\s)|(?<=['’]s\s)|(?<=s['’]\s)|(?<=dest\s)|(?<=gest\s)|(?<=\ba\s))sons? sohn sohn(?:e?s) söhnen? fils hijos? figlio figli filhos? zoon zonen syn syna сын сына 息子 儿子 兒子 아들
daughter: daughters? tochter töchtern? filles? hijas? figli[ae] filhas? dochters? dotter datter córk\w дочь дочери (?<!姑)娘 女儿 女兒 딸(?!기)
son daughter child: child children kids? kind kindes kindern? enfants? niñ[oa]s bambin[oiae] crianças kinderen dziecko dzieci дети 子供 孩子 아이들
husband: husbands? hubby mann mannes ehemann(?:es)? maris? marido marito echtgenoot (?<=mijn\s)man man(?=\svan\b) mąż mężem mężowi męża муж мужа (?<!大)丈夫 (?<![丈工])夫(?!人) 老公 남편
wife: wife wives missus frau(?!\s(?-i:[A-ZÄÖÜ])) ehefrau femme esposa moglie mulher vrouw echtgenote żon[aąęy] жен[аеуы] 妻 老婆 아내
husband wife boyfriend girlfriend: partners? partnerin spouse fiancée?
boyfriend: boyfriends? novio namorado
girlfriend: girlfriends? novia namorada
friend boyfriend: freund freund(?:e?s) amis? vriend
friend girlfriend: freundin freundinnen amies? vriendin
friend: friends? freunde freunden amig[oa]s? amic[oai] amiche vrienden vän przyjaci\w+ друг друга подруг[аеуи] 朋友 友達 친구
aunt: aunts? auntie tanten? tantes? tías? zi[ae] tias? cioci[aęi] тёт[яиею] 阿姨 이모(?!티) 고모
uncle: uncles? onkels? oncles? tíos? zi[oi] tios? oom wuj(?:ek|ka)? дяд[яиею] 叔叔 舅舅 おじさん 삼촌
cousin: cousins? cousinen? cousines? cugin[oia] 사촌
grandmother: grandmothers? grandmas? grann(?:y|ies) gran nans? nana omas? großmutter grand-mère abuelas? abuelita mamie nonn[ae] avó vovó babci[aęi] бабушк\w 奶奶 外婆 姥姥 祖母 おばあちゃん 할머니
grandfather: grandfathers? grandpa gran(?:d)?dad opas? großvater grand-père papi abuelo abuelito nonno nonni avô vovô dziad(?:ek|ka|kiem) дедушк\w 爷爷 祖父 할아버지
nephew: nephews? neffen? neveux? sobrinos? sobrinhos?
niece: nieces? nièces? sobrinas? sobrinhas?
boss: boss bosses chefs? chefin patronn?e? jef[ea] chefe baas szef szefowa начальник 老板 上司 사장
colleague: colleagues? coworkers? kolleg\w+ collègues? colegas? collegh?[aei] коллег\w 同事 同僚 동료
ex: ex exes
flatmate: flatmates? roommates? housemates? mitbewohner mitbewohnerin coloc colocs colocataires? coinquilin[oaie]
neighbour: neighbou?rs? nachbar\w* voisine?s? vecin[oa]s? vicin[oa] vizinh[oa]s? buurman buurvrouw sąsiad\w* сосед\w* 邻居 隣人 이웃
"""  # noqa: E501
_ROWS = tuple(row.split(": ") for row in _LINES.strip().splitlines())
_MEANINGS = tuple(frozenset(meant.split()) for meant, _ in _ROWS)
RELATIVE = re.compile(
    "|".join(
        "(" + "|".join(word if re.search("[⺀-퟿]", word) else rf"\b{word}\b" for word in words.split()) + ")"
        for _, words in _ROWS
    ),
    re.IGNORECASE,
)


def first_relative(text: str) -> frozenset[str]:
    """What the first relative, friend or colleague of a text can be to someone; empty if it speaks of none.

    >>> first_relative("La madre di Anna"), sorted(first_relative("my partner's sister"))
    (frozenset({'mother'}), ['boyfriend', 'girlfriend', 'husband', 'wife'])
    """
    found = RELATIVE.search(text)
    return _MEANINGS[found.lastindex - 1] if found is not None and found.lastindex else frozenset()


def relatives_in(text: str) -> frozenset[str]:
    """What the relatives, friends and colleagues of a text can be to someone."""
    found = [_MEANINGS[match.lastindex - 1] for match in islice(RELATIVE.finditer(text), MOST_RELATIVES) if match.lastindex]
    return frozenset[str]().union(*found)


def relative_spans(text: str, wanted: Set[str]) -> list[tuple[str, int, int]]:
    """(what it can be, start, end) of the relatives, friends and colleagues of a text that can be one of ``wanted``."""
    found = islice(RELATIVE.finditer(text), MOST_RELATIVES)
    spans = ((_MEANINGS[match.lastindex - 1] & wanted, match.span()) for match in found if match.lastindex)
    return [(min(meant), start, end) for meant, (start, end) in spans if meant]


def is_relative(word: str) -> bool:
    """Whether a word is one for a relative, a friend or a colleague."""
    return RELATIVE.fullmatch(word) is not None
