"""Edit areas of an image and inpaint what they leave."""
