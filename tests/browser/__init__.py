"""The web client in a real Chromium, against a real server process. Nothing here is made up but the player's hands."""
