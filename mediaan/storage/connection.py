"""Connect to an object store, once in each process, and translate its errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from mediaan.errors import MediaanError, SetupError, UsageError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem, S3FileSystem


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


_RESUMABLE = "then run the same command again: it continues where it stopped"

_ERROR_KINDS = (
    (
        "no_bucket",
        r"no_?such_?bucket|bucket does not exist|container_?not_?found|container does not exist",
        f"the bucket does not exist; correct the address or create the bucket, {_RESUMABLE}",
    ),
    (
        "access_denied",
        r"access_?denied|forbidden|\b40[13]\b|unauthori[sz]ed|unauthenticated|permission|credential|expired_?token"
        r"|invalid_?access_?key|signature_?does_?not_?match|authenticat",
        f"the store refuses access; check the credentials and what they may do, {_RESUMABLE}",
    ),
    (
        "unreachable",
        r"network_?connection|curlcode|connect|resolve host|time[d_ ]?-?out|timeout|unavailable|name or service",
        f"the store cannot be reached; check the network and the endpoint, {_RESUMABLE}",
    ),
)
"""Code of the error, pattern in the messages of the libraries, and advice."""

_DETAIL_LENGTH = 240

_WHOLE_WHEN_CLOSED = S3_SCHEMES | GOOGLE_SCHEMES | AZURE_SCHEMES | {"az", "adl", "memory", "oss", "r2", "oci"}
"""Schemes of stores in which a file appears when its upload ends; elsewhere it is written under another name first."""

_TRIES = 5
_CONNECT_S, _SILENCE_S = 10.0, 30.0
"""A request that is not answered is given up after so long, then tried again; a transfer may take longer."""

_GOOGLE_TRIES_S = 120
"""Google's library tries again for 15 minutes unless told otherwise."""

_S3_OPTIONS = frozenset(
    {"region", "endpoint_override", "scheme", "anonymous", "access_key", "secret_key", "session_token"}
    | {"role_arn", "session_name", "external_id", "force_virtual_addressing", "tls_ca_file_path"}
)


@contextmanager
def translate_store_errors(address: Address, doing: str) -> Iterator[None]:
    """Translate what a store or its library raises to SetupError; a missing file stays a FileNotFoundError.

    `doing`: such as ``"write maps/a.jpg"``.
    """
    try:
        yield
    except (FileNotFoundError, MediaanError):
        raise
    except Exception as error:  # the libraries behind fsspec have no error in common
        raise store_error(error, address, doing) from None  # what they say may repeat credentials


def store_error(error: Exception, address: Address, doing: str) -> SetupError:
    """Return the SetupError for an error of a store.

    >>> from mediaan.storage.connection import parse_address
    >>> error = OSError("AWS Error NO_SUCH_BUCKET during PutObject operation")
    >>> store_error(error, parse_address("s3://ads"), "write run.json").code
    'no_bucket'
    """
    text = f"{type(error).__name__} {error}"
    matches = ((code, advice) for code, pattern, advice in _ERROR_KINDS if re.search(pattern, text, re.IGNORECASE))
    code, advice = next(matches, ("storage_failed", f"the store failed; see what it says, {_RESUMABLE}"))
    detail = " ".join(address.without_secrets(str(error)).split())
    detail = re.sub(r" ?\(Request ID:[^)]*\)", "", detail)[:_DETAIL_LENGTH]
    return SetupError(f"{address.display_name}: cannot {doing}: {advice} ({detail})", code=code)


@dataclass(frozen=True, slots=True)
class StoreConnection:
    """An open connection to a store."""

    filesystem: FileSystem
    root: str
    """Prefix of the paths of a storage, with its slash."""
    renames: bool
    """True if a file under way can be seen; it then gets its name at the end."""


@cache
def connect_store(url: str) -> StoreConnection:
    """Connect to a store; it is asked nothing yet, but for the region of a bucket.

    Raises UsageError: the address is not understood.
    Raises SetupError: the library for that kind of store is not installed, or the store cannot be reached.
    """
    address = parse_address(url)
    with translate_store_errors(address, "open it"):
        if address.scheme in S3_SCHEMES:
            filesystem, root = _s3(address), f"{address.host}/{address.path}"
        elif address.scheme in GOOGLE_SCHEMES | AZURE_SCHEMES:
            filesystem, root = _google_or_azure(address)
        else:
            filesystem, root = _fsspec(address)
    root = root.rstrip("/")
    scheme = address.scheme.removeprefix("fsspec+")
    return StoreConnection(filesystem, f"{root}/" if root else "", scheme not in _WHOLE_WHEN_CLOSED)


def _s3(address: Address) -> S3FileSystem:
    """Connect with the options of the address; the environment, then the library, decides what it does not state."""
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem, resolve_s3_region

    unknown = sorted(set(address.options) - _S3_OPTIONS)
    if unknown:
        valid = ", ".join(sorted(_S3_OPTIONS))
        raise UsageError(
            f"{address.display_name}: unknown option {', '.join(unknown)}; there are {valid}", code="bad_address"
        )
    options: dict[str, Any] = dict(address.options)
    for switch in ("anonymous", "force_virtual_addressing"):
        if switch in options:
            options[switch] = options[switch].lower() in {"", "1", "true", "yes"}
    access_key, secret_key = address.credentials
    if access_key:
        options |= {"access_key": access_key, "secret_key": secret_key}
    env = os.environ
    if endpoint := (options.get("endpoint_override") or env.get("AWS_ENDPOINT_URL_S3") or env.get("AWS_ENDPOINT_URL")):
        scheme, _, bare = endpoint.rpartition("://")
        options |= {"endpoint_override": bare.rstrip("/")} | ({"scheme": scheme} if scheme else {})
    elif "region" not in options and not (env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION")):
        options["region"] = str(resolve_s3_region(address.host))
    try:
        # Delayed opening makes one request of a small file, where an upload in parts takes three.
        return S3FileSystem(
            **options,
            connect_timeout=_CONNECT_S,
            request_timeout=_SILENCE_S,
            allow_delayed_open=True,
            background_writes=False,
            retry_strategy=AwsStandardS3RetryStrategy(max_attempts=_TRIES),
        )
    except (TypeError, ValueError) as error:
        detail = address.without_secrets(str(error))
        raise UsageError(f"{address.display_name}: the options of the address do not fit: {detail}") from None


def _google_or_azure(address: Address) -> tuple[FileSystem, str]:
    """Connect with the options that pyarrow reads from addresses; return the file system and the root in it."""
    from pyarrow.fs import FileSystem

    options, authority = dict(address.options), address.authority
    if address.scheme in GOOGLE_SCHEMES:
        options.setdefault("retry_limit_seconds", str(_GOOGLE_TRIES_S))
        anonymous = options.pop("anonymous", "false").lower() in {"", "1", "true", "yes"}
        authority = f"anonymous@{address.host}" if anonymous else authority
    query = f"?{urlencode(options)}" if options else ""
    filesystem, bucket = FileSystem.from_uri(f"{address.scheme}://{authority}{query}")
    return filesystem, f"{bucket}/{address.path}"


def _fsspec(address: Address) -> tuple[FileSystem, str]:
    """Connect to any other store, through fsspec and its plugins; return the file system and the root in it."""
    scheme = address.scheme.removeprefix("fsspec+")
    if scheme in {"http", "https"}:
        message = f"{address.display_name}: a web page is not a folder of files; download them, or give an object store"
        raise UsageError(message, code="bad_address")
    advice = (
        f"{address.display_name}: s3://, gs:// and abfs:// need nothing else; for {scheme}:// install fsspec and its "
        f"plugin for {scheme}"
    )
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise SetupError(advice, code="no_storage") from None
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    try:
        store, root = url_to_fs(f"{scheme}://{address.authority}/{address.path}", **address.options)
    except (ImportError, ValueError) as error:
        detail = address.without_secrets(str(error))
        raise SetupError(f"{advice} ({detail})", code="no_storage") from None
    return PyFileSystem(FSSpecHandler(store)), str(root)
