"""``python -m respc``."""

from respc.cli import main

if __name__ == "__main__":
    main(prog_name="respc")
