"""A detection process: reads batches of texts from a socket, answers with analyses.

The pool starts it as ``python -m detectors.workers.worker FD``. It lives as long as the other end
of the socket is open, and never writes text anywhere but into that socket.
"""

import gc
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from detectors.detection import Analysis
from detectors.settings import TIERS, Tier, holds

if TYPE_CHECKING:
    from detectors.engine import Detector

READY = "ready"
WARM_UP = (
    "Alva Brenn, born 3 May 1980, lives at 12 Elm Street and writes to alva@example.org.",
    "Orla Quist takes 20 mg of something for her migraine; call +1 415 555 0132.",
)


def main(descriptor: int) -> None:
    """Serve the socket until its other end closes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the parent decides when its workers end
    with Connection(descriptor) as connection:
        try:
            detector = load(connection)
        except Exception as error:  # noqa: BLE001  # any reason not to start is reported by class
            connection.send(type(error).__name__)
            return
        connection.send(READY)
        serve(connection, detector)


def load(connection: Connection) -> "Detector":
    """A warm detector with the settings that the parent sends first."""
    from detectors.engine import Detector  # slow to import, and failure must be reportable

    detector = Detector(connection.recv())
    for tier in TIERS:
        if holds(detector.settings.tier, tier):
            detector.analyse(WARM_UP, tier=tier)
    gc.collect()
    gc.freeze()  # models stay for good: keep the collector from walking them
    return detector


def serve(connection: Connection, detector: "Detector") -> None:
    """Answer batch after batch."""
    while True:
        try:
            number, tier, texts = connection.recv()
        except EOFError:
            return
        connection.send((number, analyse(detector, texts, tier)))


def analyse(detector: "Detector", texts: Sequence[str], tier: Tier | None) -> list[Analysis | None]:
    """Analyses of a batch; None where detection failed, which the parent turns into an error."""
    try:
        return list(detector.analyse(texts, tier=tier))
    except Exception:  # noqa: BLE001  # messages of foreign errors may hold text; find the culprit
        if len(texts) == 1:
            return [None]
        return [result for text in texts for result in analyse(detector, [text], tier)]


if __name__ == "__main__":
    main(int(sys.argv[1]))
