"""Companies and their keys, of which only hashes are kept."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.server.database import Database


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What is known of a key; never the key.

    Attributes
    ----------
    key_id : str
        Its first part, which is no secret.
    """

    key_id: str
    company: str
    created_at: str
    revoked_at: str | None


class Keys:
    """The tables of companies and keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, company: str) -> str:
        """A new key for a company, which is made if it is new; shown here only."""
        raise NotImplementedError

    def company(self, key: str) -> tuple[int, str] | None:
        """Id and name of the company that a key belongs to; None: no such key, or it is revoked."""
        raise NotImplementedError

    def list(self, company: str | None = None) -> list[KeyFacts]:
        """Keys of one company, or of all."""
        raise NotImplementedError

    def revoke(self, company: str, key_id: str | None = None) -> int:
        """Make a company's keys, or one of them, invalid at once; returns how many."""
        raise NotImplementedError

    def any(self) -> bool:
        """Whether there is a valid key at all."""
        raise NotImplementedError
