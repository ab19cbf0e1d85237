"""English."""

from .wording import Wording

_BE = "am/been/being/are|is"
_HAVE = "have/had/got|has"
_FAVOURITE = r"(?:my|our) (?:new |current |all-time |absolute )?fav(?:ou?rite|e|)"
_LATELY = "(?: of all(?: time)?)?(?: these days| now| at the moment)?"
_LIKE = "(?:i|we) (?:now )?(?:like|love|prefer|enjoy)"

ENGLISH = Wording(
    code="en",
    mine="my|our",
    theirs="his|her|their|your|its|whose",
    possessive=r"(?:(?:my|our|the) )?[^\W\d_][\w-]*(?:'s|(?<=s)')",
    article="the|a|an",
    copula=(
        r"(?:is|'s(?= (?:(?-i:[A-Z0-9])|now|called|named|currently))|are|has been|remains|became|starts"
        r"|begins) (?:(?:now|currently|actually|called|named|a (?:guy|man|woman|girl|lady)"
        r"(?: called| named)|set|scheduled|down|up|at|on|by|with|due) )*|got (?:moved|changed) to "
    ),
    called=r"(?:called|named|whose name is|(?:his|her|its|their) name(?: is|'s)|(?:he|she|it)(?: is|'s)(?: called| named)?)",
    is_mine=r"(?:is|'s|are|became|has become|has been) (?:now |currently )?(?:my|our)",
    have=r"(?:have|'ve|ve|has|had|got|gotten|found|see|seeing|there's|assigned) (?:me |us )?(?:(?:an? |the )?(?:(?:brand )?new"
    r"|different)|an?)|renamed (?:the|my|our)",
    new="new|different|another",
    as_mine="as (?:my|our)",
    changed=r"(?:changed|switched|swapped) (?:my |our )?{noun}s?",
    name_of=r"(?: at work| at home)?(?:(?:'s)? name)?",
    ends="and|but|because|since|as|for|so|who|which|that|where|when|while|until|after|before|instead|these days"
    "|nowadays|right now"
    r"|now|currently|anymore|any more|from now on|with|near|to (?:be|get|have)|this|last|next|please|though|too"
    r"|again|at the moment"
    r"|every|each|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|in (?:january|february|march|april|may|june"
    r"|july|august|september"
    r"|october|november|december|spring|summer|autumn|winter|\d{4})|yesterday|today|over at|down at|in audit",
    nouns="""
manager: head of department, manager, boss, lead, direct manager, supervisor, team lead, team leader, superior
manager: department head, line manager
employer: employer, company i work for, workplace
job: job, job title, profession, occupation, role, position
team: team at work, squad
project: project, current project
partner: girlfriend, boyfriend, partner, husband, wife, fiancé, fiancée, fiance, fiancee, spouse, bf, gf, hubby, other half
car: car, vehicle
phone number: phone number, number, mobile number, mobile, cell number, cell, telephone number, landline
phone: phone, smartphone, cell phone, mobile phone
laptop: laptop, computer, notebook, work machine
email: email, e-mail, email address, e-mail address, mail address
home: address, home address, postal address
doctor: doctor, gp, physician, family doctor
dentist: dentist
therapist: therapist, psychologist, psychiatrist, counsellor, counselor, shrink
hairdresser: hairdresser, barber, stylist
physiotherapist: physio, physiotherapist
vet: vet
lawyer: lawyer, solicitor, attorney
accountant: accountant, tax adviser, tax advisor
landlord: landlord, landlady
coach: coach, trainer, personal trainer
teacher: teacher
tutor: tutor
neighbour: next-door neighbour, next-door neighbor
cleaner: cleaner
nanny: nanny, babysitter, childminder
school: school, university, college, uni, nursery, kindergarten
class teacher: class teacher, form tutor
study: major, degree course, course of study, subject at university
bank: bank, current account, checking account, bank account, account
insurance: insurance, insurer, health insurance, insurance company
phone contract: phone contract, mobile contract, carrier, mobile provider, phone plan, mobile network, phone company
internet: internet provider, broadband, broadband provider
energy: energy supplier, electricity supplier, power company
pet: cat, dog, rabbit, hamster, horse, pony, parrot, guinea pig, puppy, kitten, pet, budgie, tortoise
gym: gym, fitness studio, fitness club
flatmate: flatmate, roommate, housemate
birthday: birthday, date of birth, birth date, bday
age: age
diet: diet
salary: salary, pay, income, wage
weight: weight
height: height
commute time: commute
target weight: target weight, goal weight
password: password, pin, passcode, door code, access code
wifi: wifi password, wi-fi password
blood group: blood group, blood type
shoe size: shoe size
pronouns: pronouns
editor: editor, code editor
browser: browser
bedtime: bedtime
""",
    says=f"""
teacher: have/got|has/had {{}} for/in ~ grade/year/school/homeroom/form/kindergarten; am/are|is in {{}} class
manager: {{}} is/'s who/whom i report/answer to; it is/was? {{}} i report/answer to; report|reports directly? to/into {{}}
manager: answer|answers to {{}}
manager: {{}} manages/supervises me/us; {{}} is/has been managing/supervising me/us; work|works under {{}}
manager: managed/supervised by {{}}; person i report to is/'s {{}}; person i answer to ~ is/'s {{}}; reporting to/into {{}}
employer: {_BE} a/an ~ for {{}}; driving/teaching/nursing/cooking/coding/consulting/designing for/at {{}}
employer: work/working|works at/for/with {{}}; employed by/at/with/as {{}}; started working? ~ at/with/for {{}}; joined {{}}
employer: hired by {{}}; job at/with {{}}; {_BE} a/an/the ~ at {{}}; been/was at {{}} for/since; moved over? to {{}} as
employer: now work/working for/at/with {{}}; in/on the payroll of {{}}; {_BE} now? employed by/at/with {{}}; employer is {{}}
job: work/working|works now? as a/an/the? {{}}; retrained as a/an? {{}}; retrained and ~ as a/an? {{}}; promoted to {{}}
job: earn ~ living as a/an? {{}}
team: {_BE} now? on/in the {{}} team; moved/put/transferred/assigned me ~ to/on/into the {{}} team; joined the {{}} team
team: transferred to the {{}} team; working in/on the {{}} team
project: working now? on {{}}; assigned ~ to {{}}
project: {_BE}/work/working on the {{}} project/rewrite/migration/redesign/rollout/refactoring/integration/launch/campaign
partner: dating {{}}; been with {{}} for; seeing {{}}; together with {{}}; going out with {{}}; married to {{}}
partner: engaged to {{}}; in a relationship with {{}}
car: drive/driving|drives a/an/the? {{}}
email: use {{}} instead/now/from; use {{}}; reach/write/contact/email/mail me/us ~ at/on/to {{}}
email: e-mail/email/write to me at {{}}
phone number: reach/call/ring/text me/us ~ at/on {{}}
doctor: registered with {{}}; {_BE} a patient of {{}}
flatmate: share/sharing a/the/my? flat/house/apartment/place/room with {{}}; living/live with {{}}
school: {_BE} now? at {{}} high/primary/school/academy/college/elementary; attend/attending|attends {{}}
school: go/going|goes to {{}} high/primary/nursery/kindergarten/school/academy/college/elementary/grammar
school: student|students at {{}}
school: study/studying|studies at {{}}; transferred to {{}} university/college/school; enrolled at {{}}
study: doing a degree in {{}}; a? degree in {{}}; study/studying|studies {{}}; changed/switched ~ major to {{}}
study: majoring in {{}}; switched degree to {{}}
energy: electricity/gas/energy/power is/comes now? from {{}}
bank: bank/banking|banks with/at {{}}; account is/'s now? at/with {{}}; account with/at {{}}; moved ~ account to {{}}
insurance: insured with/by/at {{}}; insurance is/'s now? with {{}}
phone contract: contract/plan is/'s now? with {{}}
internet: internet/broadband is/'s now? from/with/through {{}}; get|gets my/our/the? internet/broadband from {{}}
gym: train/training/exercise|trains at/in {{}}; work/working|works out at/in {{}}; member at/of {{}}; go to the? {{}} gym
gym: joined {{}} gym
gym: {_BE} with {{}} gym; go to the? gym at {{}}
weight: weigh/weighing|weighs now? {{}}; {_BE} now? down/up to {{}} kilos/kg/pounds/lbs/kilo/stone
salary: earn/earning|earns {{}}; make/making|makes {{}} a/per year/month; make/making|makes {{}} now; get paid {{}}
salary: {_BE} on {{}} a year/month
height: {_BE} {{}} cm/centimetres/tall
commute time: drive/ride/walk/trip/way/commute to work takes me? {{}}
commute time: takes me {{}} to get/drive/walk/cycle/commute/travel to work/the the? office?
commute time: commute is/'s only/just/about/now? {{}}
shoe size: wear/take|wears a? size {{}} shoe/shoes; wear/take|wears size {{}} in shoes; wear/take|wears a? shoe size {{}}
birthday: born on {{}}; was born on {{}}
bedtime: go to bed at/around {{}}
wakes up: get/wake up at/around {{}}
""",
    fixed=f"""
diet vegan: {_BE}/gone/went/turned/become/going ~ vegan; eat vegan; eat/eating plant-based; on a vegan diet
diet vegan: {_BE} on? plant-based
diet vegetarian: {_BE}/gone/went/turned/become ~ vegetarian/veggie; on a vegetarian diet
diet vegetarian: not/never/no/stopped eat/eating any? meat
diet pescatarian: {_BE}/gone/went/turned/become ~ pescatarian/pescetarian
diet omnivore: eat/eating meat again; eat/eating everything; {_BE} an? omnivore; started eating meat; back to eating meat
diet keto: {_BE}/gone/went/doing on? keto; on a keto diet
diet low-carb: {_BE}/doing/gone/went on? a? low-carb; doing low carb
diet low-fodmap: doing/on low fodmap
diet paleo: {_BE}/doing/gone on? paleo
diet gluten-free: {_BE}/eat/gone/went/eating gluten-free
diet carnivore: {_BE}/doing on? carnivore
commute car: drive/driving to work/the the? office?; go/get/commute/travel to work/the the? office? by car
commute car: take/taking the car to work/the the? office?; commute by car
commute train: take/taking/get/getting/catch the train to work/the the? office?
commute train: go/get/commute/travel to work/the the? office? by train
commute train: commute by train
commute bus: take/taking/get/catch the bus to work/the the? office?; go/get/commute/travel to work/the the? office? by bus
commute bus: commute by bus
commute ferry: take/taking/get/getting/catch the ferry to work/the the? office?; go/get/commute to work by ferry
commute scooter: ride/riding ~ scooter to work/the the? office?
commute tram: take/taking/get/getting/catch the tram to work/the the? office?
commute tram: go/get/commute/travel to work/the the? office? by tram
commute tram: commute by tram
commute underground: take/taking/get/getting the tube/subway/metro/underground to work/the the? office?
commute underground: go/get/commute/travel to work/the the? office? by tube/subway/metro; commute by metro/tube
commute bike: cycle/cycling/bike/biking to work/the the? office?; ride/riding my/the/a? bike/bicycle to work/the the? office?
commute bike: go/get/commute/travel to work/the the? office? by bike; commute by bike
commute foot: walk/walking to work/the the? office?; go to work on foot
workplace home: work/working|works ~ from home; work/working|works remotely; fully remote; in home office
workplace office: {_BE} back? in the office ~ days/day/full-time/fulltime/every; work/working|works in the office
workplace office: work/working|works on site; back to the office
smoking yes: smoke|smokes; {_BE} a smoker; started smoking
smoking no: quit/stopped/given up? smoking; gave up smoking; {_BE} a non-smoker; do not smoke
relationship single: {_BE} single; broke/broken/split up; {_BE} divorced/separated/widowed; got divorced/separated
relationship dating: {_HAVE} a girlfriend/boyfriend; {{}} {_BE} my girlfriend/boyfriend; {_BE} dating/seeing {{}}
relationship dating: my girlfriend/boyfriend is/'s {{}}
relationship engaged: {_BE}/got engaged; {{}} {_BE} my fiancé/fiancée/fiance/fiancee; my fiancé/fiancée/fiance/fiancee is {{}}
relationship married: {_BE}/got married; tied the knot; got hitched; {{}} {_BE} my husband/wife; my husband/wife is/'s {{}}
coffee black: drink/take/like/have my coffee black
coffee milk: drink/take/like/have my coffee with ~ milk; drink/take/like/have my coffee white
coffee sugar: drink/take/like/have my coffee with ~ sugar
tea black: drink/take/like/have my tea black
tea milk: drink/take/like/have my tea with ~ milk
hand left: {_BE} left-handed
hand right: {_BE} right-handed
""",
    measured=f"""
dose: take/taking|takes {{}} of (topic); put/got me up/down/back to {{}} of (topic); takes me to {{}} of (topic)
dose: {_BE} now? on {{}} of (topic); increased/raised/lowered/reduced/upped/cut my (topic) ~ to {{}}
dose: my (topic) dose/dosage is/'s/went/was ~ {{}}
price: pay/paying|pays {{}} for (topic); pay/paying|pays {{}} a/per/in? month? (topic); my/our/the (topic) is/'s/costs ~ {{}}
price: my/our/the (topic) went/has/gone ~ to {{}}; (topic) costs ~ {{}}
size: wear/need/take|wears a/an? size {{}} (topic); wear/need/take|wears a/an? size? {{}} in (topic)
size: my (topic) size is/'s ~ {{}}
""",
    favourite_keys="fav fave favo like love pref enjo",
    favourites=rf"""
{_FAVOURITE}(?P<topic>(?: [\w-]+){{1,2}}?){_LATELY} (?:is|'s|are) (?:now |currently )?(?P<value>.+)
^(?P<value>\S.*?) (?:is|are|'s) (?:now |currently )?{_FAVOURITE}(?P<topic>(?: [\w-]+){{1,2}})
of all (?:the )?(?P<topic>[\w-]+),? {_LIKE} (?P<value>[\w -]{{2,40}}?) (?:best|most)
{_LIKE} (?P<value>[\w -]{{2,40}}?) (?:best|most)(?: of all| among all)? (?P<topic>[\w-]+)
{_LIKE} (?P<value>[\w -]{{2,40}}?) more than any other(?P<topic> [\w-]+)
""",
    typed="""
car: golf, polo, passat, tiguan, touran, volkswagen, vw, skoda, škoda, octavia, fabia, seat, ibiza, leon, audi, bmw, mercedes
car: opel, astra, corsa, ford, fiesta, focus, mondeo, fiat, panda, toyota, yaris, corolla, prius, honda, civic, hyundai, kia
car: mazda, nissan, qashqai, leaf, renault, clio, twingo, megane, zoe, peugeot, citroën, citroen, dacia, spring, sandero
car: duster, volvo, tesla, mini, cooper, smart, suzuki, subaru, lexus, jeep, porsche, lancia, alfa romeo, chevrolet, chevy
car: onix, gol, byd, cupra, polestar, land rover, jaguar, lada
phone: iphone, pixel, galaxy, samsung, xiaomi, oneplus, fairphone, nokia, huawei, motorola, redmi
laptop: macbook, thinkpad, chromebook, surface, xps, ideapad, zenbook, elitebook
bank: barclays, hsbc, lloyds, natwest, santander, monzo, starling, revolut, nationwide, n26, ing, dkb, comdirect, commerzbank
bank: sparkasse, volksbank, deutsche bank, postbank, chase, wells fargo, citibank, bbva, caixabank, sabadell, bnp
bank: société générale, crédit agricole, boursorama, unicredit, intesa, fineco, itaú, itau, nubank, bradesco, rabobank
bank: abn amro, bunq, mbank, pko, sberbank, tinkoff, bank of america
phone contract: vodafone, o2, ee, three, giffgaff, telekom, t-mobile, verizon, at&t, orange, sfr, free, bouygues, movistar
phone contract: telefónica, tim, iliad, windtre, kpn, mint mobile
insurance: allianz, axa, huk, ergo, generali, aok, barmer, techniker, aviva, geico, mapfre, zurich
editor: vim, neovim, emacs, vscode, vs code, visual studio code, zed, sublime, sublime text, pycharm, intellij, cursor, helix
editor: nano, notepad++
browser: firefox, chrome, safari, edge, brave, vivaldi, opera
operating system: windows, linux, ubuntu, debian, fedora, macos
streaming: spotify, apple music, tidal, deezer, youtube music
language: spanish, french, german, italian, portuguese, japanese, chinese, mandarin, korean, russian, arabic, dutch, polish
language: swedish, norwegian, danish, finnish, greek, turkish, hindi, latin, english, welsh, irish, ukrainian, hebrew, czech
language: hungarian
job: teacher, nurse, doctor, waiter, waitress, baker, cook, chef, engineer, developer, programmer, designer, architect
job: plumber, electrician, carpenter, driver, librarian, translator, accountant, lawyer, journalist, photographer, gardener
job: hairdresser, secretary, receptionist, analyst, consultant, salesman, cashier, paramedic, midwife, therapist, firefighter
job: pilot, mechanic, painter, writer, editor, barista, bartender, head chef, sous-chef, beekeeper, florist, student
job: freelancer, joiner, butcher, postman, dispatcher
""",
    typed_says=f"""
car: {_HAVE}/own/bought/drive/driving/owns a/an/the/my? ~ {{}}; traded ~ in? for a/an/the? ~ {{}}
car: replaced ~ with/by a/an/the? ~ {{}}; switched/changed to a/an/the? ~ {{}}; got myself a/an? {{}}
phone: {_BE} on a/an/the? {{}}; use/using|uses a/an/my? {{}}; {_HAVE}/bought/own a/an/the? ~ {{}}
phone: switched/changed/moved/upgraded ~ to a/an/the? ~ {{}}
laptop: use/using|uses a/an/my? {{}}; work/working|works on a/an/my? {{}}; switched/changed/moved ~ to a/an/the? {{}}
laptop: {_HAVE}/bought/own a/an/the? {{}}
bank: my/our {{}} account; use/using|uses {{}}; {_BE} now? with/at {{}}; switched/changed/moved ~ to {{}}; went over to {{}}
bank: {_HAVE} my account at/with {{}}; bank/banking with/at {{}}
phone contract: use/using|uses {{}}; {_BE} now? with {{}}; switched/changed/moved ~ to {{}}
insurance: {_BE} now? with {{}}; switched/changed/moved ~ to {{}}
editor: use/using|uses {{}}; switched/changed/moved ~ to {{}}; code/coding/write in {{}}
browser: use/using|uses {{}}; switched/changed/moved ~ to {{}}
operating system: use/using|uses {{}}; run|runs {{}}; switched/changed/moved ~ to {{}}
streaming: use/using|uses {{}}; switched/changed/moved ~ to {{}}
language: learning {{}}; studying {{}}; study|studies {{}}; started {{}}; it's ~ {{}} i'm learning; taken up {{}}
language: take/taking|takes {{}} lessons/classes
job: {_BE} now? {{}}; {_BE} now? a/an {{}}; {_BE} now? a/an ~ {{}}; become/became a/an ~ {{}}
""",
)
