"""How the committed models were made: generators and training scripts, unused at run time."""
