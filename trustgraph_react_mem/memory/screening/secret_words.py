"""Words after which a secret may follow, in the languages of the screening table, and words that are none themselves."""

import re
import unicodedata


def _one_of(alternatives: str) -> str:
    """Lines of alternatives as one pattern."""
    return "|".join(line.strip() for line in alternatives.splitlines() if line.strip())


_PASSWORDS = _one_of(
    r"""
    p[ .]a[ .]s[ .]s[ .]w[ .]o[ .]r[ .]d|p[a@4][s$5]{2}w[o0]rds?|pass(?:word|wd|code|key)s?|passwort|kennwort
    (?:bind|root|user)pw|passw|pswd|psw|pword|psk|requirepass|masterauth
    mot de passe|mdp|contraseña|contrasena|clave|senha|palavra[- ]passe
    parola d'ordine|wachtwoord(?:en)?|lösenord(?:et)?|adgangskoden?|kodeord(?:et)?|passord(?:et)?|salasana(?:ni|nsa|mme|t)?
    hasł(?:o|a|em)|hasełk[oa]|hesl(?:o|a|em)|parolă|parol(?:ei|ele)|jelsz(?:ó|av)[a-záéóú]{0,4}
    (?:şifre|sifre|parola)(?:miz|niz|sını|sini|sı|si|m|n|yı|yi)?|lozink[aeui]|gesl[oa]|slaptažodis|parool|kata sandi|sandi
    парол[а-яіїєё]{0,5}|лозинк[аеуи]|κωδικό[ςυ](?: πρόσβασης)?|συνθηματικό
    パスワード|密码|密碼|口令|비밀번호|비번|암호|(?:كلمة|كلمه|رمز) (?:ال)?(?:مرور|سر|دخول|عبور)|گذرواژه
    wi-?fi[ -]?code|(?:code|koden?|kode|codice|código|код) (?:(?:d[ueao]|del|van|till|für|for|от|к) )?(?:la )?(?:wi-?fi|wlan)
    पासवर्ड|סיסמ[הא]|mật khẩu|รหัสผ่าน|pass|pwd|p/w|pw
    """
)
_PHRASES = _one_of(
    r"""
    pass[- ]?phrase|mother's maiden name|(?:security|secret) answer
    (?:seed|recovery|mnemonic|secret|backup)[- ](?:phrase|words)|mnemonic|wiederherstellungsphrase
    phrase de récupération|frase (?:semilla|de recuperación)
    """
)
_CARDS = (
    r"(?:bank|credit|debit|sim)[- ]?card|bankkarte|ec-karte|kreditkarte|bankkort(?:et)?|kortet|tarjeta|bancomat|cartão|karty|"
    r"карт[ыеи]|картки"
)
# Codes of safes are secrets.  Those of doors and alarms are kept, because people ask for them.
_CODES = _one_of(
    r"""
    (?:safe|vault|strong ?box)(?:'?s)? (?:combination|combo|code|dial)
    (?:combination|combo|code|dial)s? (?:of|to|for|on) (?:[a-z']{1,12} ){1,4}(?:safe|vault|strong ?box)
    (?:safe|vault|strong ?box) (?:opens|unlocks) (?:with|by|on|at)|(?:phone|tablet|screen) unlocks with
    (?:safe|tresor|geldschrank)-?(?:code|kombination|nummer)
    (?:zahlen)?(?:kombination|code) (?:für|zum|vom|des|von) (?:[a-zäöüß]{1,12} ){0,3}(?:safes?|tresors?|geldschranks?)
    (?:combinaison|code) (?:du|de|d'un) (?:[a-zéè]{1,12} ){0,2}coffre(?:-fort)?
    (?:combinación|código) (?:de|del) (?:[a-zñ]{1,12} ){0,5}(?:caja fuerte|cofre)
    (?:combinação|código|segredo) d[oae] (?:[a-z]{1,12} ){0,2}cofre
    (?:combinazione|codice) (?:della|del|per la) (?:[a-z]{1,12} ){0,2}cassaforte
    (?:combinatie|code) van (?:[a-z]{1,12} ){0,2}kluis|kluis(?:code|combinatie)
    (?:kod|koden|kode|kombin[a-z]{4,7}) (?:till|til|for) (?:[a-zåäöæø]{1,12} ){0,2}(?:kassaskåpet|safen
    pengeskabet|pengeskapet)
    kassakaapin (?:koodi|yhdistelmä)|(?:kod|szyfr) do sejfu|kód (?:k|od) (?:sejfu|trezoru)
    (?:код|комбинация) (?:от|к|для) (?:[а-яё]{1,12} )?сейф[ау]
    金庫の(?:番号|ダイヤル|コード)|保险[柜箱](?:的)?(?:号码|组合)|금고 번호
    pin(?:[- ]?(?:code|nummer|number|kodu[mn]?|kode?n?|koodi(?:ni)?|kódja|kódom|kód))?|pincode|geheimzahl|otp|tan
    (?:codul|cod|kód|kod) pin|kode pin|mã pin|2fa(?: code)?
    (?:one[- ]time|verification|confirmation|authentication|security|access|log[- ]?in|sign[- ]?in|unlock|backup
    emergency|recovery|scratch) (?:codes?|pin)
    puk|unlock pattern|recovery(?=:)|(?:keychain|lock ?screen|sms|text|device) codes?
    (?:bestätigungs|sicherheits|zugangs|entsperr|freischalt)code
    code (?:pin|secret|d'accès|de (?:la )?(?:vérification|sécurité))
    codice (?:pin|segreto|di sicurezza|di verifica)
    código(?: (?:pin|secreto|de acceso|de verificación|de segurança|de verificação|de seguridad))|toegangscode|tunnusluku
    п[иі]н(?:[- ]?код[а-яіїє]{0,4}|ът|а)?(?![а-яіїє])|код(?:ът|а)? за достъп
    код (?:доступа|подтверждения|підтвердження)|暗証番号
    code de (?:ma |la )?carte(?: bleue| bancaire)?|पिन(?: कोड| नंबर)?|קוד סודי
    認証コード|验证码|驗證碼|인증번호
    الرقم السري|cvv|cvc
    (?:bank|credit|debit|sim)[- ]?card codes?
    """
)
_CARD_CODES = (
    r"(?:codes?|kod|koden|kode|codice|código|код) (?:of|to|for|für|zur|till|til|della|del|de|do|da|к|от|для) "
    rf"(?:[^\W\d_]{{1,12}} ){{0,2}}(?:{_CARDS})"
)
_KEYS = _one_of(
    r"""
    (?:api|auth)[ _-]?keys?|secret[ _-]?keys?|access[ _-]?keys?(?:[ _-]?id)?|private[ _-]?keys?|account[ _-]?key
    (?:encryption|licen[cs]e|activation|product|set-?up|pre-?shared|shared|signing|subscription|master|storage|recovery
    network
    wi-?fi|wlan|wpa|security|deploy)[ _.-]?keys?
    (?:access|auth|bearer|refresh|session|api|id|personal access)?[ _-]?tokens?
    client[ _-]?secrets?|secrets?|credentials?|api-schlüssel|schlüssel|clé(?: d'api| secrète)?|clave de api
    clave api|clé api|api-(?:sleutel|nyckel|nøgle|nøkkel|avain|klíč|klucz|kulcs|anahtarı)
    klucz(?: do)? api|klíč(?: k)? api|cheia api|chave(?: de api| secreta)?|chiave(?: api)?|sleutel
    tok|tkn|(?<=_)(?:auth|salt|pepper)
    api[- ](?:ключ|キー|密钥|키)|ключ(?:ът|а)?(?: за)?(?: api)?|トークン|令牌|密钥|密鑰|토큰
    """
)
_ORDINARY_WORDS = """
a an the my your his her our their its this that it in on at by to of for from with not no never always only also too very
so as if wrong right incorrect correct invalid valid expired weak strong secret safe secure unsafe lost forgotten stolen
leaked known unknown stored saved kept written hidden required needed necessary mandatory optional missing empty blank old
new different same changed reset updated set being going about important long short hard easy simple complex good bad great
here there where what how why when who fine ok okay yes protected encrypted hashed case-sensitive sensitive private public
shared available unavailable broken working accepted rejected denied blocked locked disabled enabled due ready done sent
under below above next near inside behind falsch richtig ungültig abgelaufen zu nicht sehr sicher unsicher schwach stark
geheim vergessen verloren gespeichert wichtig lang kurz neu alt gleich anders der die das ein eine mein dein noch schon
immer nur erforderlich nötig hier faux expiré trop pas très sûr faible fort oublié perdu nouveau le la un une mon ma
enregistré obligatoire nécessaire incorrecta incorrecto muy segura débil fuerte olvidada guardada nueva nuevo el una mi
obligatoria necesaria sbagliata scaduta molto non sicura debole forte dimenticata nuova il lo mia obbligatoria errada
expirada muito não fraca esquecida nova o uma minha obrigatória verkeerd verlopen niet erg veilig zwak sterk vergeten nieuw
het een mijn verplicht fel felaktigt inte mycket säkert svagt glömt nytt ett mitt forkert ikke feil väärä nie złe zapomniane
не неверный слабый забыт base64 base32 sha1 sha256 sha512 md5 oauth2 utf-8 utf8 x509 rsa2048 aes256 ed25519 argon2 bcrypt
"""
KEYWORDS = re.compile(
    # Composed like the text (NFKC), which changes the spelling of some scripts.
    unicodedata.normalize(
        "NFKC",
        rf"(?P<phrase>{_PHRASES})|(?P<code>{_CODES}|{_CARD_CODES})|(?P<key>{_KEYS})|(?P<password>{_PASSWORDS})",
    )
)
ORDINARY = frozenset(_ORDINARY_WORDS.split())
# "is", and what stands for it, in the languages of the keywords.
_COPULA_WORDS = """
today heute hoy oggi hoje vandaag idag dziś сегодня aujourd'hui unchanged unverändert inchangé
is was are be c'est es era est été è é foi ist lautet war heißt är er on oli to jest je byl byla este eram е є это είναι ήταν је
هي هو است היא הוא זה है था adalah ialah là คือ sú bol bola now jetzt nun nu nå ora ahora agora maintenant sekarang сега теперь
тепер zaraz teraz teď most
still currently again noch weiterhin immer encore toujours sigue todavía siempre ancora sempre ainda nog steeds altijd ännu
fortfarande alltid stadig fortsatt edelleen yhä nadal wciąż zawsze pořád stále ещё всё всегда ще още hâlâ yine
remains stays bleibt blieb reste resta siendo continua rimane blijft förblir forbliver pozostaje zůstává остаётся остается
"""
# "as": what stands before may be the secret.
_AS_WORDS = """
as als comme como come jako som kot ca kuin olarak sebagai làm như како като як as become becomes became sera sería serait sarà
będzie byłoby bude будет стал станет стала wird wurde wäre wordt werd that's blir blev został been zum será být
"""
# "to", where a secret was changed to another.
_INTO_WORDS = "to auf in zu en a à para per por på til till na v do на в у с yi yı yap để menjadi into"
COPULAS, INTO = frozenset(_COPULA_WORDS.split()), frozenset(_INTO_WORDS.split())
AS_WORDS = frozenset(_AS_WORDS.split())
# What follows a keyword and says what the secret is for: "пароль от почты ...", "password for my mail ...".
_FOR_WORDS = """
for to of on at from für fürs zum zur von vom im beim pour de du des d'un d'une para del a della dello dell' di do da dos das
per voor van bij op till til för på i do dla od na від к от до для у в за către la pentru untuk dari cho của ke k pro
"""
# Names stand after these, not secrets.
_NAMED_WORDS = """
user users username account login server host node version release model room page chapter ticket order flight article issue
build step device product benutzer nutzer konto raum zimmer seite kapitel gerät utilisateur compte serveur usuario cuenta
servidor utente gebruiker användare użytkownik użytkownika пользователя пользователь сервера сервер версии
"""
# Of whose password is usually spoken, without a preposition.
_SERVICE_WORDS = """
wifi wi-fi wlan vpn mail email e-mail gmail outlook icloud netflix spotify amazon paypal ebay steam facebook instagram telegram
bank banking router laptop computer server вайфай вайфая почты почта роутера банка البريد الواي الهاتف
"""
FOR_WORDS, NAMED_WORDS = frozenset(_FOR_WORDS.split()), frozenset(_NAMED_WORDS.split())
SERVICE_WORDS = frozenset(_SERVICE_WORDS.split())
# Who forgot a secret does not tell it.
WITHOUT_VALUE = re.compile(
    r"(?i)forg[eo]t|\blost\b|\breset|vergess|verloren|zurücksetz|oubli|perdu|réinitialis|olvid|perd[ií]|dimentic|\bperso\b|"
    r"esquec|vergeten|kwijt|glöm|glemt|unoht|zapomn|zapomin|забы|забу|забрав|uitat|elfelejt|unut|lupa|quên|忘|잊|نسي|نسيت|भूल|שכח"
)
