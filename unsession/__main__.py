"""``python -m unsession``."""

from unsession.cli import main

main()
