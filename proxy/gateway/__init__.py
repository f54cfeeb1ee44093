"""The data plane: from a client's bytes to the store's and back, with the policy in between."""
