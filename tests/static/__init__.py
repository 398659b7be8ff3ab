"""Tests that read the project instead of running it."""
