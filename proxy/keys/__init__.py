"""Keys: key-encryption keys in epochs, data keys under them, and their destruction."""
