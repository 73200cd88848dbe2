"""Tools for an assistant: the analysis of files in folders that its user names, over the Model Context Protocol."""
