"""Detection in worker processes: the event loop asks, and never computes."""
