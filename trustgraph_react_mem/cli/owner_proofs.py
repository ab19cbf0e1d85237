"""Proofs made with the master key of the data directory (``memory.trust.owner_seal``)."""

from datetime import UTC, datetime

from ..bootstrap import find_owner_key
from ..identity import login_name
from ..memory.trust.owner_seal import OwnerSeal, Purpose
from ..store_settings import StoreSettings
from .options import Session


def prove(session: Session, purpose: Purpose, *texts: str) -> str:
    """A proof for the scope of the session.  "": there is no readable master key here."""
    key = find_owner_key(StoreSettings())
    return OwnerSeal(key).prove(purpose, session.options.scope, *texts, at=datetime.now(UTC)) if key is not None else ""


def speaker_of(session: Session) -> str:
    """The name under which the person at the command line speaks; in the shared memory the login name."""
    return session.options.user or login_name()
