"""What every part of the configuration is: frozen, and without unknown keys."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
Role = Literal["app", "operator", "privacy", "auditor"]  # of a credential, on either plane


RESERVED = "expunge-self-test"  # name of the self-test's own tenant


class Section(BaseModel):
    """A part of the configuration; unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)
