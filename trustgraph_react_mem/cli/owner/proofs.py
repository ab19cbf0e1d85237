"""Proofs made with the master key of the data directory (``memory.trust.owner_seal``)."""

from datetime import UTC, datetime

from ...bootstrap import open_master_key
from ...errors import ConfigurationError
from ...identity import login_name
from ...memory.trust.owner_seal import OwnerSeal, Purpose
from ...store_settings import StoreSettings
from ..options import Session


def prove(session: Session, purpose: Purpose, *texts: str) -> str:
    """A proof for the scope of the session.  "": there is no readable master key here."""
    settings = StoreSettings()
    # Not made here: a new key beside data of another one would only hide that the right one is missing.
    if not settings.master_key.get_secret_value() and not (settings.keys / "master.key").is_file():
        return ""
    try:
        seal = OwnerSeal(open_master_key(settings))
    except ConfigurationError:
        return ""
    return seal.prove(purpose, session.options.scope, *texts, at=datetime.now(UTC))


def speaker_of(session: Session) -> str:
    """The name under which the person at the command line speaks; in the shared memory the login name."""
    return session.options.user or login_name()
