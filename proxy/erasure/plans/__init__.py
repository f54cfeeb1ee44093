"""Plans: what is to be done with each memory found, shown and bound before anything is deleted."""
