"""Runs the cases of `tests/cases`: see the README there for their format."""
