"""What requests and answers are made of: JSON, queries, headers; and how large they may be."""
