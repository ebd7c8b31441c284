// Starts the command line; see cli.
