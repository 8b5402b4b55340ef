"""Compiled parsers in the places where other libraries want one. None of those libraries is imported."""
