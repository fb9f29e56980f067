"""The command line, a file per command. The library imports nothing from here; it needs the extra `cli`."""
