"""Tokens: reversible surrogates of entities, the keyed index that knows them, the blocklist."""
