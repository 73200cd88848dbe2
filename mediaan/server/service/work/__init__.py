"""What is done to media, by worker processes that are looked after."""
