"""Says in one pass over a text which recognisers are worth running."""

from collections.abc import Sequence

import re2

from detectors.recognisers.base import Recogniser


class Prefilter:
    """All triggers of all recognisers compiled into one RE2 set, matched in linear time."""

    def __init__(self, recognisers: Sequence[Recogniser]) -> None:
        options = re2.Options()
        options.case_sensitive = False
        options.max_mem = 128 << 20
        self._recognisers = tuple(recognisers)
        self._owners: list[int] = []
        self._set = re2.Set.SearchSet(options)
        for index, recogniser in enumerate(recognisers):
            for trigger in recogniser.triggers:
                self._set.Add(trigger)
                self._owners.append(index)
        self._set.Compile()

    def candidates(self, text: str) -> list[Recogniser]:
        """The recognisers one of whose triggers occurs in a text, in their given order.

        Args:
            text: must be encodable as UTF-8, so without lone surrogates.
        """
        owners = {self._owners[index] for index in self._set.Match(text) or ()}
        return [self._recognisers[index] for index in sorted(owners)]
