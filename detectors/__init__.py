"""Detectors: text in, detections and categories out. They know no policy, tenant, HTTP or storage."""
