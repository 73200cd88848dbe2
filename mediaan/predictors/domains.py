"""Domains of pictures that a model tells apart, and the one that a user states."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from mediaan.errors import UsageError


def check_domain(domain: str | None, known: Sequence[str], model: str) -> None:
    """Refuse a stated domain that a model does not know.

    Parameters
    ----------
    domain : str or None
        None: nobody states one, which any model takes.
    known : sequence of str
        Domains that the model tells apart; empty for a model that tells none.
    model : str
        Name of the model.

    Raises
    ------
    UsageError
        ``no_domains``: the model tells no domains apart. ``unknown_domain``: not this one; the nearest is named.

    Examples
    --------
    >>> check_domain("photo", ("photo", "ad"), "attention")
    >>> check_domain("foto", ("photo", "ad"), "attention")
    Traceback (most recent call last):
    mediaan.errors.UsageError: model attention knows no domain 'foto'; did you mean 'photo'? There are photo, ad
    """
    if domain is None or domain in known:
        return
    if not known:
        raise UsageError(
            f"model {model} predicts the same for every domain, so {domain!r} cannot be stated: leave the domain out, "
            "or take a model that tells domains apart (mediaan models show)",
            code="no_domains",
        )
    near = difflib.get_close_matches(domain.lower(), known, 1)
    hint = f"; did you mean {near[0]!r}? There are " if near else "; there are "
    raise UsageError(f"model {model} knows no domain {domain!r}{hint}{', '.join(known)}", code="unknown_domain")
