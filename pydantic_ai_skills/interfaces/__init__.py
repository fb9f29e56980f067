"""Reading the command line interface of a Python script from its source, without running it."""
