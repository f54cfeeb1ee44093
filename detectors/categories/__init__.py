"""Which special or ordinary categories of personal data a text belongs to."""
