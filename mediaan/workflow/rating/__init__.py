"""Rate media: where scores stand in norm sets, what rules and checks say."""
