"""Live play: the referee (the one write path), the hub that tells watchers, the broker between processes."""
