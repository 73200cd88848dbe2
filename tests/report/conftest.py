"""Let tests of all sub-folders import the made-up runs that lie here: pytest puts a conftest's folder on the path."""
