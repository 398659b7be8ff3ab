"""One played game as a log of events; pure."""
