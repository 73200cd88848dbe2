"""Take pictures of web pages by their addresses, with the browser that the machine has."""
