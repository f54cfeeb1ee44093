"""Why detection may fail; every one of these means: nothing was scanned, forward nothing."""


class DetectionError(Exception):
    """Root of the package's errors; a message names the part that failed, and nothing of a text."""


class DetectionUnavailable(DetectionError):
    """The models are not loaded or the workers are dead."""


class DetectionOverloaded(DetectionError):
    """The queue is full; try again later."""


class DetectionTimeout(DetectionError):
    """The deadline passed before every text was scanned."""


class ClassifierUnavailable(DetectionUnavailable):
    """The operator's classifier is away, refuses, or answers something else."""


class ClassifierTimeout(DetectionTimeout):
    """The operator's classifier took longer than its deadline."""


def sentence(error: DetectionError) -> str:
    """What failed, by part: the packaged detectors, a pattern of the operator's, the classifier."""
    what = "did not finish in time" if isinstance(error, DetectionTimeout) else "is not running"
    part = str(error).rstrip(".")
    return f"Detection {what}: {part[:1].lower()}{part[1:]}." if part else f"Detection {what}."
