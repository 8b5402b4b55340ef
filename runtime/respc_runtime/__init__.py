"""What compiled parsers import: events, delimiters, content parsers, tools, errors, and the ABI they were made for."""

__version__ = "0.1.0"
