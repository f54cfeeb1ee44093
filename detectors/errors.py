"""Why detection may fail; every one of these means: nothing was scanned, forward nothing."""


class DetectionError(Exception):
    """Root of the package's errors."""


class DetectionUnavailable(DetectionError):
    """The models are not loaded or the workers are dead."""


class DetectionOverloaded(DetectionError):
    """The queue is full; try again later."""


class DetectionTimeout(DetectionError):
    """The deadline passed before every text was scanned."""
