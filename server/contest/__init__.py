"""What games are played for: dailies and their certification, races, streaks."""
