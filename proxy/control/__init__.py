"""The control plane: parse, authorise, call one service, render."""
