"""The words by which a statement names who speaks, whatever their name: "the user", "der Nutzer", "l'utilisatrice", 用户."""

import re

_WORDS = frozenset(
    """
    user speaker assistant
    nutzer nutzers nutzerin benutzer benutzers benutzerin anwender anwenders anwenderin sprecher sprechers sprecherin
    assistent assistenten assistentin
    utilisateur utilisatrice locuteur locutrice assistante
    usuario usuaria asistente hablante
    utente assistente
    usuário usuária utilizador utilizadora
    gebruiker gebruikster
    användare användaren användarens bruger brugeren brugerens bruker brukeren brukerens käyttäjä käyttäjän käyttäjällä
    użytkownik użytkownika użytkownikowi użytkownikiem użytkowniczka użytkowniczki użytkowniczkę asystent asystenta
    uživatel uživatele uživateli uživatelka uživatelky
    пользователь пользователя пользователю пользователем пользовательница пользовательницы ассистент ассистента
    kullanıcı kullanıcının felhasználó utilizator utilizatorul utilizatorului utilizatoarea utilizatoarei
    """.split()  # noqa: SIM905
)
_SPACELESS = r"用[户戶]|使用者|利用者|ユーザー?|사용자|유저|助手|アシスタント|어시스턴트"
_SPEAKER = re.compile(
    rf"(?i)\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?:['’]s?)?(?!\w)"
    rf"|(?:{_SPACELESS})(?:는|은|가|이|의|를|을|에게)?"
)
_SUBJECT = re.compile(rf"(?:{_SPACELESS})(?!的|の|의)")


def begins_with_speaker(text: str) -> bool:
    """Whether a text in a script without spaces begins with a word for the one who speaks, and not with what is theirs."""
    return _SUBJECT.match(text) is not None


def names_speaker(word: str) -> bool:
    """Whether a word stands for the one who speaks.

    >>> names_speaker("Nutzerin"), names_speaker("Anna")
    (True, False)
    """
    return word.casefold() in _WORDS or re.fullmatch(_SPACELESS, word) is not None


def without_speakers(text: str) -> str:
    """The text without the words that stand for the one who speaks.

    >>> without_speakers("Der Nutzer wohnt in Graz"), without_speakers("用户住在杭州")
    ('Der   wohnt in Graz', ' 住在杭州')
    """
    return _SPEAKER.sub(" ", text)
