"""How the committed models were made: generators and training scripts, never imported at run time."""
