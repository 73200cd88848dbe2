"""Edit an image, and compare its scores before and after."""
