"""Connect to an object store, once in each process, and translate its errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from mediaan.errors import MediaanError, SetupError, UsageError
from mediaan.storage.address import AZURE_SCHEMES, GOOGLE_SCHEMES, S3_SCHEMES, Address, parse_address

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem, S3FileSystem


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

    >>> from mediaan.storage.address import parse_address
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
