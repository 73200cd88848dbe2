"""Media and groups of media compared: differences, what can be told from chance, rankings, trends."""
