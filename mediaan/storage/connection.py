"""Connect to an object store, once in each process, and translate its errors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from mediaan.errors import MediaanError, SetupError, UsageError
from mediaan.storage.address import AZURE_SCHEMES, GOOGLE_SCHEMES, S3_SCHEMES, Address, parse_address

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem, S3FileSystem


_RESUMABLE = "then run the same command again: it goes on where it stopped"

_ERROR_KINDS = (
    (
        "no_bucket",
        r"no_?such_?bucket|bucket does not exist|container_?not_?found|container does not exist",
        f"there is no such bucket; correct the address or make the bucket, {_RESUMABLE}",
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
"""Code, what tells it in the words of the libraries, and what is said and advised."""

_DETAIL_LENGTH = 240


@contextmanager
def translate_store_errors(address: Address, doing: str) -> Iterator[None]:
    """Turn what a store or its library raises into a SetupError; a file that is not there stays a FileNotFoundError.

    Parameters
    ----------
    address : Address
    doing : str
        Such as ``"write maps/a.jpg"``.
    """
    try:
        yield
    except (FileNotFoundError, MediaanError):
        raise
    except Exception as error:  # the libraries behind fsspec have no error in common
        raise store_error(error, address, doing) from None  # what they say may repeat credentials


def store_error(error: Exception, address: Address, doing: str) -> SetupError:
    """The SetupError for an error of a store.

    Examples
    --------
    >>> from mediaan.storage.address import parse_address
    >>> error = OSError("AWS Error NO_SUCH_BUCKET during PutObject operation")
    >>> store_error(error, parse_address("s3://ads"), "write run.json").code
    'no_bucket'
    """
    said = f"{type(error).__name__} {error}"
    fits = ((code, advice) for code, pattern, advice in _ERROR_KINDS if re.search(pattern, said, re.IGNORECASE))
    code, advice = next(fits, ("storage_failed", f"the store failed; see what it says, {_RESUMABLE}"))
    detail = " ".join(address.without_secrets(str(error)).split())
    detail = re.sub(r" ?\(Request ID:[^)]*\)", "", detail)[:_DETAIL_LENGTH]
    return SetupError(f"{address.display_name}: cannot {doing}: {advice} ({detail})", code=code)


_WHOLE_WHEN_CLOSED = S3_SCHEMES | GOOGLE_SCHEMES | AZURE_SCHEMES | {"az", "adl", "memory", "oss", "r2", "oci"}
"""Schemes of stores in which a file appears when its upload ends; elsewhere it is written under another name first."""

_TRIES = 5
_CONNECT_S, _SILENCE_S = 10.0, 30.0
"""A request that is not answered is given up after so long, then tried again; a transfer may take longer."""

_GOOGLE_TRIES_S = 120
"""Google's library tries again for 15 minutes unless told otherwise."""


@dataclass(frozen=True, slots=True)
class StoreConnection:
    """An open way to a store.

    Attributes
    ----------
    filesystem : pyarrow.fs.FileSystem
    root : str
        What stands before the paths of a place, with its slash.
    renames : bool
        Whether a file that is being written can be seen: then it gets its name at the end.
    """

    filesystem: FileSystem
    root: str
    renames: bool


@cache
def connect_store(url: str) -> StoreConnection:
    """Open the way to a place; nothing is asked of the store yet, but for the region of a bucket.

    Raises
    ------
    UsageError
        The address is not understood.
    SetupError
        What speaks to that kind of store is not installed, or the store cannot be reached.
    """
    address = parse_address(url)
    with translate_store_errors(address, "open it"):
        filesystem, root = _opened(address)
    root = root.rstrip("/")
    scheme = address.scheme.removeprefix("fsspec+")
    return StoreConnection(filesystem, f"{root}/" if root else "", scheme not in _WHOLE_WHEN_CLOSED)


def _opened(address: Address) -> tuple[FileSystem, str]:
    """The file system of an address, and what the place is called in it."""
    if address.scheme in S3_SCHEMES:
        return _s3(address), f"{address.host}/{address.path}"
    if address.scheme in GOOGLE_SCHEMES | AZURE_SCHEMES:
        return _native(address)
    return _fsspec(address)


def _s3(address: Address) -> S3FileSystem:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    options = _s3_options(address)
    given = {**options, "connect_timeout": _CONNECT_S, "request_timeout": _SILENCE_S}
    try:
        # Delayed opening makes one request of a small file, where an upload in parts takes three.
        return S3FileSystem(
            **given,
            allow_delayed_open=True,
            background_writes=False,
            retry_strategy=AwsStandardS3RetryStrategy(max_attempts=_TRIES),
        )
    except (TypeError, ValueError) as error:
        detail = address.without_secrets(str(error))
        raise UsageError(f"{address.display_name}: the options of the address do not fit: {detail}") from None


_S3_OPTIONS = frozenset(
    {"region", "endpoint_override", "scheme", "anonymous", "access_key", "secret_key", "session_token"}
    | {"role_arn", "session_name", "external_id", "force_virtual_addressing", "tls_ca_file_path"}
)


def _s3_options(address: Address) -> Mapping[str, Any]:
    """Options of the address; what it does not state comes from the environment, the rest is the library's."""
    unknown = sorted(set(address.options) - _S3_OPTIONS)
    if unknown:
        known = ", ".join(sorted(_S3_OPTIONS))
        raise UsageError(
            f"{address.display_name}: unknown option {', '.join(unknown)}; there are {known}", code="bad_address"
        )
    options: dict[str, Any] = dict(address.options)
    for switch in ("anonymous", "force_virtual_addressing"):
        if switch in options:
            options[switch] = options[switch].lower() in {"", "1", "true", "yes"}
    access_key, secret_key = address.credentials
    if access_key:
        options |= {"access_key": access_key, "secret_key": secret_key}
    endpoint = options.get("endpoint_override") or _endpoint_of_environment()
    if endpoint:
        scheme, _, bare = endpoint.rpartition("://")
        options |= {"endpoint_override": bare.rstrip("/")} | ({"scheme": scheme} if scheme else {})
    elif "region" not in options and not _region_of_environment():
        options["region"] = _region_of(address.host)
    return options


def _endpoint_of_environment() -> str:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""


def _region_of_environment() -> str:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""


def _region_of(bucket: str) -> str:
    from pyarrow.fs import resolve_s3_region

    return str(resolve_s3_region(bucket))


def _native(address: Address) -> tuple[FileSystem, str]:
    """Google's and Azure's stores, with the options that pyarrow reads from addresses."""
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
    """Any other store, through fsspec and its plugins."""
    if address.scheme.removeprefix("fsspec+") in {"http", "https"}:
        message = f"{address.display_name}: a web page is no folder of media; download them, or name an object store"
        raise UsageError(message, code="bad_address")
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise SetupError(f"{address.display_name}: {_to_install(address)}", code="no_storage") from None
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    scheme = address.scheme.removeprefix("fsspec+")
    try:
        store, root = url_to_fs(f"{scheme}://{address.authority}/{address.path}", **address.options)
    except (ImportError, ValueError) as error:
        detail = address.without_secrets(str(error))
        raise SetupError(f"{address.display_name}: {_to_install(address)} ({detail})", code="no_storage") from None
    return PyFileSystem(FSSpecHandler(store)), str(root)


def _to_install(address: Address) -> str:
    scheme = address.scheme.removeprefix("fsspec+")
    return f"s3://, gs:// and abfs:// need nothing more; for {scheme}:// install fsspec and its plugin for {scheme}"
