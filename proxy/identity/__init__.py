"""What both planes share to know who calls: signed tokens, their keys, failed attempts."""
