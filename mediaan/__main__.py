"""``python -m mediaan`` is the command, for environments whose scripts are not on the path."""

from mediaan.cli.main import main

if __name__ == "__main__":
    main()
