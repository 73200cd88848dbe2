"""What an object store says when it will not do as asked, in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from mediaan.errors import MediaanError, SetupError
from mediaan.storage.address import Address

_GO_ON = "then run the same command again: it goes on where it stopped"

_KINDS = (
    (
        "no_bucket",
        r"no_?such_?bucket|bucket does not exist|container_?not_?found|container does not exist",
        f"there is no such bucket; correct the address or make the bucket, {_GO_ON}",
    ),
    (
        "access_denied",
        r"access_?denied|forbidden|\b40[13]\b|unauthori[sz]ed|unauthenticated|permission|credential|expired_?token"
        r"|invalid_?access_?key|signature_?does_?not_?match|authenticat",
        f"the store refuses access; check the credentials and what they may do, {_GO_ON}",
    ),
    (
        "unreachable",
        r"network_?connection|curlcode|connect|resolve host|time[d_ ]?-?out|timeout|unavailable|name or service",
        f"the store cannot be reached; check the network and the endpoint, {_GO_ON}",
    ),
)
"""Code, what tells it in the words of the libraries, and what is said and advised."""

_DETAIL_LENGTH = 240


@contextmanager
def refusals(address: Address, doing: str) -> Iterator[None]:
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
        raise explained(error, address, doing) from None  # what they say may repeat credentials


def explained(error: Exception, address: Address, doing: str) -> SetupError:
    """The SetupError for an error of a store.

    Examples
    --------
    >>> from mediaan.storage.address import parse_address
    >>> error = OSError("AWS Error NO_SUCH_BUCKET during PutObject operation")
    >>> explained(error, parse_address("s3://ads"), "write run.json").code
    'no_bucket'
    """
    said = f"{type(error).__name__} {error}"
    fits = ((code, advice) for code, pattern, advice in _KINDS if re.search(pattern, said, re.IGNORECASE))
    code, advice = next(fits, ("storage_failed", f"the store failed; see what it says, {_GO_ON}"))
    detail = " ".join(address.without_secrets(str(error)).split())
    detail = re.sub(r" ?\(Request ID:[^)]*\)", "", detail)[:_DETAIL_LENGTH]
    return SetupError(f"{address.shown}: cannot {doing}: {advice} ({detail})", code=code)
