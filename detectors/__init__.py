"""Detectors: text in, detections and categories out. They know no policy, HTTP or storage."""

import os

# onnxruntime reports its use to its maker, from native threads, unless told so before its import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
