"""Names under keyed pseudonyms: what is known and what is blocked, and where a text holds it."""
