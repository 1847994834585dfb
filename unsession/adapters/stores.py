"""Which store of files an installation has."""

from pathlib import Path

from unsession.adapters.files import FileStore, LocalFiles


def open_files(folder: Path, url: str) -> FileStore:
    """The bucket at a URL; without one, a folder."""
    if not url:
        return LocalFiles(folder)
    from unsession.adapters.bucket import (  # noqa: PLC0415  (needs the extra s3)
        BucketFiles,
        open_bucket,
    )

    return BucketFiles(open_bucket(url))
