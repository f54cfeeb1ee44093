"""Answers on their way back: what is believed, said, restored and withheld."""
