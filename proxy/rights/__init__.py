"""Rights of the data subject beside erasure: access, rectification, restriction, consent."""
