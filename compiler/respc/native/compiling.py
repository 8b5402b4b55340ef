"""Runs mypyc and the C compiler, as a process of its own: both print, and keep what they know in the process."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any


def main(folder: str, file: str, built: str) -> None:
    """Compile a file to an extension module.

    Args:
        folder: where the file is.
        file: its name.
        built: the folder that gets the extension.
    """
    # By name, for the types of neither are there where the extra is not installed.
    mypycify: Any = import_module("mypyc.build").mypycify
    setup: Any = import_module("setuptools").setup
    # Only now, and not on the path: a file in it may be called as a module that is imported here.
    os.chdir(folder)
    options = [
        "--config-file=",
        "--no-site-packages",
        "--ignore-missing-imports",
        "--cache-dir",
        f"{built}/types",
    ]
    extensions = mypycify(
        [*options, file],
        opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"),  # as the command mypyc reads it
        debug_level="0",
        target_dir=f"{built}/source",
        verbose=False,
    )
    if sys.platform != "win32":
        for extension in extensions:
            # Nothing but the module itself is called from elsewhere: so its functions call each other directly.
            extension.extra_compile_args.append("-fvisibility=hidden")
    command = ["--quiet", "build_ext", "--build-lib", built, "--build-temp", f"{built}/objects"]
    setup(name="native", ext_modules=extensions, script_args=command)


if __name__ == "__main__":
    main(*sys.argv[1:])
