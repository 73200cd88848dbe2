"""Rules that media have to meet: their language, and what they say of a medium."""
