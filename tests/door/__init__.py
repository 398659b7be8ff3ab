"""The way in: the two commands, the environment, the settings, and how a server starts and ends."""
