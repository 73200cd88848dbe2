"""Companies, their keys, and who is signed in; of keys and sessions only hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from mediaan.errors import UsageError
from mediaan.server.service.database import Database, ago, now

_ID_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"
_ID_LENGTH = 8
_SECRET_BYTES = 32
_LONGEST_NAME = 200
SESSION_S = 12 * 3600
"""How long a browser stays signed in, s: a working day; then the key is asked for again."""
_NO_HASH = bytes(32)
"""Compared with unknown keys, so that checking them takes as long as checking known ones."""


class Company(NamedTuple):
    """Owner of media."""

    company_id: int
    name: str


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What the server stores about a key, which is not the key itself."""

    key_id: str  # its first part, which is no secret
    company: str
    created_at: str  # ISO 8601, UTC
    revoked_at: str | None  # None while it is valid


class Keys:
    """The tables of companies and keys; `UsageError` where a company or a key of it is wrong or unknown.

    A key reads ``mdn_<id>_<secret>``: it is found by its id, and known by the sha256 of the whole. A slow hash would
    protect short secrets that people think up; this one is drawn from 2^256, which nobody can go through, and is
    looked at in every request.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, company: str) -> str:
        """Return a new key for a company, which is made if it is new; the key is shown here only."""
        name = company_name(company)
        key_id = "".join(secrets.choice(_ID_SIGNS) for _ in range(_ID_LENGTH))
        key = f"mdn_{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        with self._database.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO companies (name, created_at) VALUES (?, ?)", (name, now()))
            connection.execute(
                "INSERT INTO keys (key_id, company_id, hash, created_at)"
                " SELECT ?, company_id, ?, ? FROM companies WHERE name = ?",
                (key_id, _hash(key), now(), name),
            )
        return key

    def company(self, key: str) -> Company | None:
        """Return the company of a key, in the same time whether its id is known or not; None: no such valid key."""
        key = key.encode(errors="replace").decode()  # lone surrogates cannot be hashed or looked up; no key holds any
        row: sqlite3.Row | None = self._database.connection.execute(
            "SELECT hash, company_id, name FROM keys JOIN companies USING (company_id)"
            " WHERE key_id = ? AND revoked_at IS NULL",
            (key_id(key),),
        ).fetchone()
        if not hmac.compare_digest(_hash(key), _NO_HASH if row is None else row["hash"]) or row is None:
            return None
        return Company(row["company_id"], row["name"])

    def begin_session(self, key_id: str) -> str:
        """Return a token for a browser that a key's holder signs in with; only its hash is kept."""
        token = secrets.token_urlsafe(_SECRET_BYTES)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE created_at < ?", (ago(SESSION_S),))
            values = (_hash(token), key_id, now())
            connection.execute("INSERT INTO sessions (token_hash, key_id, created_at) VALUES (?, ?, ?)", values)
        return token

    def session_company(self, token: str) -> Company | None:
        """Return the company that is signed in with a token; None: nobody, no longer, or the key was revoked."""
        row = self._database.connection.execute(
            "SELECT company_id, name FROM sessions JOIN keys USING (key_id) JOIN companies USING (company_id)"
            " WHERE token_hash = ? AND sessions.created_at >= ? AND revoked_at IS NULL",
            (_hash(token), ago(SESSION_S)),
        ).fetchone()
        return None if row is None else Company(row["company_id"], row["name"])

    def end_session(self, token: str) -> None:
        """Sign out: the token is worth nothing from now on."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE token_hash = ?", (_hash(token),))

    def since(self, company_id: int) -> str:
        """Return when a company got its first key, ISO 8601, UTC."""
        query = "SELECT created_at FROM companies WHERE company_id = ?"
        return str(self._database.connection.execute(query, (company_id,)).fetchone()["created_at"])

    def list(self, company: str | None = None) -> list[KeyFacts]:
        """Return the keys of one company, or of all, in the order in which they were made."""
        rows = self._database.connection.execute(
            "SELECT key_id, name AS company, keys.created_at, revoked_at FROM keys JOIN companies USING (company_id)"
            " WHERE ? IS NULL OR company_id = ? ORDER BY keys.rowid",
            2 * (None if company is None else self._id(company),),
        )
        return [KeyFacts(**row) for row in rows]

    def revoke(self, company: str, key_id: str | None = None) -> int:
        """Make a company's keys, or one of them, invalid at once; returns how many were valid."""
        with self._database.transaction() as connection:
            company_id = self._id(company)
            owned = "SELECT 1 FROM keys WHERE company_id = ? AND key_id = ?"
            if key_id is not None and connection.execute(owned, (company_id, key_id)).fetchone() is None:
                message = f"--key {key_id}: {company_name(company)} has no such key; 'keys list' shows their ids"
                raise UsageError(message, code="unknown_key")
            changed = connection.execute(
                "UPDATE keys SET revoked_at = ?"
                " WHERE company_id = ? AND revoked_at IS NULL AND key_id = coalesce(?, key_id)",
                (now(), company_id, key_id),
            )
        return changed.rowcount

    def any(self) -> bool:
        """Tell whether there is a valid key at all."""
        return self._database.connection.execute("SELECT 1 FROM keys WHERE revoked_at IS NULL").fetchone() is not None

    def _id(self, company: str) -> int:
        name = company_name(company)
        row = self._database.connection.execute("SELECT company_id FROM companies WHERE name = ?", (name,)).fetchone()
        if row is None:
            message = f"--company {name}: there is no such company; 'keys list' shows all"
            raise UsageError(message, code="unknown_company")
        return int(row["company_id"])


def key_id(key: str) -> str:
    """Return the part of a key that is no secret; empty where it has none.

    >>> key_id("mdn_4fw0c2ka_secret"), key_id("guess")
    ('4fw0c2ka', '')
    """
    parts = key.split("_", 2)
    return parts[1] if len(parts) == 3 else ""


def company_name(text: str) -> str:
    """Return a company's name as it is kept: without space around it, and the same however its letters are composed.

    >>> company_name("  Blau & Söhne ")
    'Blau & Söhne'
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        message = f"--company {name!r}: a company's name has 1 to {_LONGEST_NAME} signs that can be shown"
        raise UsageError(message, code="bad_company")
    return name


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode(errors="replace")).digest()
