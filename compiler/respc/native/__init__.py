"""Compiled parsers as C extensions: the source of a standalone module, made into machine code by mypyc.

The extension lies beside the module and has its name. Python imports an extension before a file of Python, and only one
that was built for it: on another platform or version the module beside it is imported, and does the same.
"""

from respc.native.building import NativeError, build_extension, build_native, why_not_native
from respc.native.naming import extension_beside, is_built_of

__all__ = [
    "NativeError",
    "build_extension",
    "build_native",
    "extension_beside",
    "is_built_of",
    "why_not_native",
]
