"""The hop to the store and back: bodies, headers and addresses, as a careful proxy passes them."""
