"""All that proves Moontide; `python3 -m tests` runs it."""
