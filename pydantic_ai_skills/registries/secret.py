"""Secrets that stay in the process they were given to."""

from __future__ import annotations

from typing import Any, NoReturn

from pydantic import SecretStr


class KeptSecret(SecretStr):
    """A secret that is in no repr and in no pickle; a copy of what holds it shares it."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse: a pickle may go to a disk or over a network.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            'A registry with credentials cannot be pickled: they would be in the pickle. Make it where it is used, or '
            'let git find them there (GITHUB_TOKEN, or a credential helper).'
        )

    def __copy__(self) -> KeptSecret:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> KeptSecret:
        return self
