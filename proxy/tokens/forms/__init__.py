"""The forms that a name takes in a text: in its cases, joined, in halves, with signs or marks."""
