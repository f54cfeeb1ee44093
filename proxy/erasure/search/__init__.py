"""Finding: whom a request means, and everything in the stores and the ledger that concerns them."""
