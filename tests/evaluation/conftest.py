"""Let tests of all sub-folders import the made-up viewers and videos that lie here."""
