"""What compiled parsers import: events, delimiters, content parsers, tools, errors, and the ABI they were made for."""
