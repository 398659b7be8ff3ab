"""What an operator does: the command line, and the work behind each of its commands."""
