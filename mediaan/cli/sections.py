"""Options of a command in sections, for commands that have many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class InSections(click.Command):
    """A command whose help shows its options under headings.

    Parameters
    ----------
    sections : mapping of str to sequence of str
        Names of parameters by heading, in the order in which they are shown; all others come last.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Sequence[str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, called by click."""
        found = {str(one.name): record for one in self.get_params(ctx) if (record := one.get_help_record(ctx))}
        sections = {title: [found.pop(name) for name in names] for title, names in self.sections.items()}
        for title, records in (sections | {"Other": list(found.values())}).items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
