"""Showing diagnostics, one module a format; each imports what it needs, so import only the one wanted."""
