"""Carrying a plan out, step by step, through kills and outages; and looking whether it is gone."""
