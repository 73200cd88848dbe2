"""Follow scores over time."""
