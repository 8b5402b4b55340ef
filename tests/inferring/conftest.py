"""The chat templates of packages, as the tests of chat templates fetch them."""

from chat_templates.conftest import all_files, kept

__all__ = ["all_files", "kept"]
