"""Stores: what their routes, shapes and layers are, and how to reach them."""
