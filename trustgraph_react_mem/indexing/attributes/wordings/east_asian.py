"""Japanese, Chinese and Korean: their phrases are regular expressions, because they have no spaces or few."""

from .wording import Wording

_JA = r"[^\s、。はがをも]{1,14}"
_ZH = r"[^\s，。的了在]{1,12}"
_KO = r"[^\s,.]{1,14}"

JAPANESE = Wording(
    code="ja",
    spaceless=True,
    mine="私の|僕の|俺の|うちの",
    copula="は(?:今は|今|現在)?",
    ends="です|だ|になりました|になった|といいます|という|に変わ|。|、|で",
    nouns="",
    says=rf"""
manager: (?:上司|マネージャー|ボス)は(?:今は?)?(?P<value>{_JA}?)(?:さん)?(?:です|だ|になり|に変わり)
manager: 今?の?上司は(?P<value>{_JA}?)(?:さん)?(?:です|だ|になり)
employer: (?P<value>{_JA}?)で(?:働い|勤務|仕事をし); (?P<value>{_JA}?)に(?:勤め|勤務|転職し|入社し|就職し)
job: (?P<value>{_JA}?)(?:として働|をしてい|の仕事をして); (?:今は|現在は)(?P<value>{_JA}?)(?:です|だ)(?:$|。)
job: 職業は(?P<value>{_JA}?)(?:です|だ)
partner: (?:彼女|彼氏|妻|夫|恋人)(?:の名前)?は(?P<value>{_JA}?)(?:です|だ|といいます)
partner: (?P<value>{_JA}?)と(?:付き合って|結婚して)
car: (?P<value>{_JA}?)に乗って(?:い|る); 車は(?P<value>{_JA}?)(?:です|だ|に)
language: (?P<value>{_JA}?語)を(?:勉強|習|学)
pet: (?:猫|犬|うさぎ)の名前は(?P<value>{_JA}?)(?:です|だ)
favourite: 好きな(?P<topic>[^\s、。はが]{{1,8}})は(?:今は)?(?P<value>{_JA}?)(?:です|だ)
birthday: 誕生日は(?P<value>[\d月日/一二三四五六七八九十]+)
phone number: (?:電話番号|番号|携帯)は(?P<value>[\d-]+)
bank: 銀行は(?P<value>{_JA}?)(?:です|だ|に)
""",
    fixed="""
diet vegan: (?:ヴィーガン|ビーガン)(?:です|だ|になり|になっ)
diet vegetarian: ベジタリアン(?:です|だ|になり|になっ)
commute bike: 自転車で(?:通勤|会社に|通って)
commute train: 電車で(?:通勤|会社に|通って)
commute car: 車で(?:通勤|会社に|通って)
commute bus: バスで(?:通勤|会社に|通って)
commute foot: (?:徒歩で|歩いて)(?:通勤|会社に|通って)
smoking no: (?:タバコ|煙草|たばこ)を?(?:やめ|吸い?わ?な|吸いませ)
smoking yes: (?:タバコ|煙草|たばこ)を?吸(?:います|う$|って)
relationship married: 結婚(?:しました|しています|している)
relationship single: (?:独身|離婚しました)
""",
)
CHINESE = Wording(
    code="zh",
    spaceless=True,
    mine="我的|我们的|我",
    copula="(?:现在)?(?:是|叫)",
    ends="了|。|，|工作|上班",
    nouns="",
    says=rf"""
manager: (?:老板|经理|上司|领导|主管)(?:现在)?(?:是|叫|换成了?)(?P<value>{_ZH}); 向(?P<value>{_ZH}?)汇报
employer: 在(?P<value>{_ZH}?)(?:工作|上班|任职|就职); (?:跳槽到了?|入职了?|加入了?)(?P<value>{_ZH})
employer: (?:公司|单位)是(?P<value>{_ZH})
job: (?:职业|工作)是(?P<value>{_ZH}); 我(?:现在)?(?:是|当)一?名?个?(?P<value>{_ZH}?)(?:了|$|。)
partner: (?:女朋友|男朋友|老婆|老公|妻子|丈夫|对象)(?:现在)?(?:是|叫)(?P<value>{_ZH}); 跟(?P<value>{_ZH}?)在一起
car: (?:开|开的是|开着)(?:一辆)?(?P<value>{_ZH}?)(?:车|$|。|了); (?:车|汽车)(?:现在)?是(?P<value>{_ZH})
language: (?:学|学习)(?P<value>{_ZH}?[语文])(?:了|$|。)
pet: (?:猫|狗|兔子)(?:的名字)?(?:叫|是)(?P<value>{_ZH})
favourite: 最喜欢的(?P<topic>[^\s，。是]{{1,6}})(?:现在)?是(?P<value>{_ZH})
birthday: 生日(?:是|在)(?P<value>[\d月日号一二三四五六七八九十]+)
phone number: (?:电话|手机号?码?|号码)(?:现在)?(?:是|改成|换成了?)(?P<value>[\d-]+)
bank: (?:银行|账户)是?在?(?P<value>{_ZH})
""",
    fixed="""
diet vegan: (?:是|成了)?(?:纯素食者|纯素)
diet vegetarian: (?:吃素|素食者|不吃肉)
diet omnivore: (?:又|重新)(?:开始)?吃肉
commute bike: 骑(?:自行)?车(?:去)?上班
commute train: 坐(?:火车|地铁)(?:去)?上班
commute car: 开车(?:去)?上班
commute bus: 坐公交车?(?:去)?上班
commute foot: 走路(?:去)?上班
smoking no: (?:戒烟|不抽烟|不吸烟)
smoking yes: 我(?:抽|吸)烟
relationship married: 结婚了
relationship single: (?:单身|离婚了|分手了)
""",
)
KOREAN = Wording(
    code="ko",
    spaceless=True,
    mine="제|내|우리",
    copula="(?:은|는|이|가)",
    ends="이에요|예요|입니다|야|로",
    nouns="",
    says=rf"""
manager: (?:상사|팀장|매니저|사장님?)(?:은|는|이|가)? (?:지금은? |이제 )?(?P<value>{_KO}?)(?:님)?(?:이에요|예요|입니다|이야)
employer: (?P<value>{_KO}?)에서 (?:일해|일하|일합|근무); (?P<value>{_KO}?)에 (?:다녀|다니|입사했|취직했)
employer: (?P<value>{_KO}?)(?:으로|로) 이직
job: (?P<value>{_KO}?)(?:으로|로) 일(?:해|하고|합); 직업은 (?P<value>{_KO}?)(?:이에요|예요|입니다)
partner: (?:여자친구|남자친구|아내|남편) ?(?:이름)?(?:은|는) (?P<value>{_KO}?)(?:이에요|예요|입니다|야)
partner: (?P<value>{_KO}?)(?:와|과|랑|이랑) 사귀
car: (?P<value>{_KO}?)(?:을|를) (?:타요|타고|몰아|몰고|운전); 차는 (?P<value>{_KO}?)(?:이에요|예요|입니다)
language: (?P<value>{_KO}?어)(?:를)? (?:배워|배우|공부)
pet: (?:고양이|강아지|개) ?(?:이름)?(?:은|는) (?P<value>{_KO}?)(?:이에요|예요|입니다|야)
favourite: (?:제일|가장) ?좋아하는 (?P<topic>[^\s]{{1,6}}?)(?:은|는) (?P<value>{_KO}?)(?:이에요|예요|입니다|야)
birthday: 생일은 (?P<value>[\d월일 ]+)
phone number: (?:전화번호|번호)는 (?P<value>[\d-]+)
""",
    fixed="""
diet vegan: 비건(?:이에요|입니다|이 됐|이 되었)
diet vegetarian: 채식(?:주의자|해요|하고)
commute bike: 자전거로 출근
commute train: (?:지하철|기차)(?:로|타고) 출근
commute car: (?:차로|운전해서) 출근
commute bus: 버스(?:로|타고) 출근
smoking no: 담배(?:를)? (?:끊|안 피)
smoking yes: 담배(?:를)? 피워
relationship married: 결혼했
relationship single: (?:솔로|싱글|미혼|이혼했)
""",
)
