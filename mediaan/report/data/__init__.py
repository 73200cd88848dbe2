"""Read a run: its tables joined as the page shows them."""
