"""What xgrammar takes of PyTorch when it is imported: it holds masks in tensors, and arrays of NumPy do as well."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator


class _StandIn(ModuleType):
    """A module whose types are their names: they are compared with each other, and nothing is computed."""

    __version__ = "2.0"
    cuda = SimpleNamespace(is_available=lambda: False)
    Tensor = type("Tensor", (), {})
    device = type("device", (), {})
    dtype = str

    def tensor(self, value: Any, dtype: object = None) -> Any:
        return value

    def full(self, shape: tuple[int, ...], value: int, dtype: object = None) -> Any:
        return np.full(shape, value, dtype=np.int32)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return name


@contextmanager
def torch_stands_in() -> Iterator[None]:
    """Let `import torch` find the stand-in, unless PyTorch is there."""
    # It asks itself whether there is PyTorch, and says what it thinks of this one.
    import transformers  # noqa: F401

    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = _StandIn("torch")
    try:
        yield
    finally:
        del sys.modules["torch"]
