"""Parse addresses of object stores, and keep their secrets out of messages."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import parse_qsl, quote, unquote

from mediaan.errors import UsageError

S3_SCHEMES = frozenset({"s3", "s3a"})
GOOGLE_SCHEMES = frozenset({"gs", "gcs"})
AZURE_SCHEMES = frozenset({"abfs", "abfss"})

_SECRET_VARIABLES = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_STORAGE_KEY", "AZURE_CLIENT_SECRET")
_OPEN_OPTIONS = frozenset({"endpoint_override", "region", "scheme", "anonymous", "project_id"})
"""Options that hold no secret; the values of all others are kept out of messages."""

_LEAST_SECRET = 4  # characters: anything shorter would mask words


def is_url(text: str) -> bool:
    """Return True for the address of an object store, such as ``s3://bucket/ads``.

    >>> is_url("s3://bucket/ads"), is_url("ads"), is_url("C:/ads")
    (True, False, False)
    """
    scheme, colon, _ = text.partition("://")
    return bool(colon) and len(scheme) > 1 and scheme.replace("+", "").isalnum()


@dataclass(frozen=True, slots=True)
class Address:
    """An address in its parts; `url`, `authority` and `options` may hold secrets; `display_name` and `path` do not."""

    url: str = field(repr=False)
    """As it was given."""
    scheme: str
    """Such as ``s3``; ``fsspec+`` before it asks for that library."""
    authority: str = field(repr=False)
    """Up to the first slash: the bucket or host, with credentials before an ``@`` if there are any."""
    path: str
    """Below it, without escapes; empty for all of a bucket."""
    options: Mapping[str, str] = field(repr=False)
    """The query, after the question mark."""

    @property
    def is_foreign(self) -> bool:
        """True if pyarrow itself does not speak to that kind of store."""
        return self.scheme not in S3_SCHEMES | GOOGLE_SCHEMES | AZURE_SCHEMES

    @property
    def host(self) -> str:
        """The bucket, container with account, or host, without credentials."""
        user, _, host = self.authority.rpartition("@")
        name = user.partition(":")[0]
        return f"{name}@{host}" if name and self.scheme in AZURE_SCHEMES else host  # the container or the account

    @property
    def credentials(self) -> tuple[str, str]:
        """User and password in the address; empty where there are none."""
        user, _, password = self.authority.rpartition("@")[0].partition(":")
        return unquote(user), unquote(password)

    @property
    def display_name(self) -> str:
        """The address without credentials and options."""
        return f"{self.scheme}://{self.host}" + (f"/{self.path}" if self.path else "")

    def at(self, path: str) -> str:
        """Return the URL of another path of the same store."""
        head, mark, query = self.url.partition("?")
        return f"{head.partition('://')[0]}://{self.authority}/{quote(path)}{mark}{query}"

    def without_secrets(self, text: str) -> str:
        """Mask in a text all that is secret in this address and in the environment."""
        pairs = (pair.partition("=") for pair in self.url.partition("?")[2].split("&"))
        secrets = {value for name, _, value in pairs if name not in _OPEN_OPTIONS}
        user, _, password = self.authority.rpartition("@")[0].partition(":")
        secrets |= {self.url, password} | (set() if self.scheme in AZURE_SCHEMES else {user})
        hidden = {*secrets, *map(unquote, secrets), *(os.environ.get(name, "") for name in _SECRET_VARIABLES)}
        for secret in sorted(hidden, key=len, reverse=True):
            text = text.replace(secret, "***") if len(secret) >= _LEAST_SECRET else text
        return text


@lru_cache(256)
def parse_address(url: str) -> Address:
    """Parse an address.

    Percent escapes are read as in any URL, so a key with ``%`` or ``?`` in it is written with ``%25`` or ``%3F``;
    blanks and letters of any language may stand as they are.

    Raises UsageError: it names no bucket or host, or leads out of where it begins (code bad_address). The message
        repeats no more of the address than its scheme, lest it show a password.

    >>> parse_address("s3://key:secret@ads/summer%202024/?region=eu-west-1").display_name
    's3://ads/summer 2024'
    """
    scheme, _, rest = url.partition("://")
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    address = Address(url, scheme.lower(), authority, unquote(path).removesuffix("/"), dict(parse_qsl(query)))
    name, colon, port = address.host.partition(":")
    if (
        not (name or address.is_foreign)
        or (colon and not (port.isdigit() and address.is_foreign))  # half a secret, up to its first slash
        or (address.path and not is_contained_path(address.path))
    ):
        message = (
            f"the address {address.scheme}://... is not understood: it is {address.scheme}://BUCKET/FOLDER, without "
            "empty, . or .. parts; in credentials before an @, a slash is written as %2F"
        )
        raise UsageError(message, code="bad_address")
    return address


def is_contained_path(path: str) -> bool:
    """Return True if a relative path leads nowhere but down: it has no empty, ``.`` or ``..`` part.

    >>> is_contained_path("ads/a.png"), is_contained_path("ads/../b.png"), is_contained_path("/a.png")
    (True, False, False)
    """
    return not {"", ".", ".."}.intersection(path.split("/"))
