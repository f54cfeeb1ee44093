"""Detectors: text in, detections and categories out. They know no policy, HTTP or storage."""
