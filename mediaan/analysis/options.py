"""Base of the two option models: `Recipe` holds what changes numbers, `Execution` what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from mediaan.errors import UsageError, did_you_mean


class Options(BaseModel):
    """Immutable options, validated once. The text below a field is also the help of its option on the command line.

    Raises UsageError: a value that cannot be, or a name that is no option.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True, defer_build=True
    )
    error_code: ClassVar[str] = "bad_options"

    if not TYPE_CHECKING:  # type checkers derive the parameters from the fields

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise UsageError(self._complaints(error), code=self.error_code) from error

    @classmethod
    def _complaints(cls, error: ValidationError) -> str:
        complaints = []
        for problem in error.errors():
            name = str(problem["loc"][0]) if problem["loc"] else cls.__name__
            if problem["type"] == "extra_forbidden":
                complaints.append(f"there is no option {name!r}{did_you_mean(name, cls.model_fields)}")
            else:
                complaints.append(f"{name}: {problem['msg']}; found {problem['input']!r}")
        text = "; ".join(complaints).replace(": Input should be ", " must be ")
        return text.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")

    def replace(self, **changes: Any) -> Self:
        """Return the options with some of them changed, validated again."""
        return type(self)(**{**{name: getattr(self, name) for name in self.model_fields_set}, **changes})
