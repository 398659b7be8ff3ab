"""The rules of the games: pure, fast, and parametrised over the registry where they can be."""
