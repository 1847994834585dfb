"""Where the files that are no code lie: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
_ROOT = _PACKAGE / "_files" if (_PACKAGE / "_files").is_dir() else _PACKAGE.parent

MIGRATIONS = _ROOT / "migrations"
TEMPLATES = _ROOT / "templates"
STATIC = _ROOT / "static"
LOCALE = _ROOT / "locale"
