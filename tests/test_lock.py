"""What is installed is pinned by hash, and the tree names no registry and no machine."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.txt", "requirements-dev.txt")

PIN = re.compile(r"([A-Za-z0-9._-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)")

#: Put together here, so that this file does not name them either.
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("debian", "org"),
        ("crates", "io"),
        ("golang", "org"),
        ("docker", "io"),
        ("ghcr", "io"),
        ("quay", "io"),
    )
)
MACHINE_FOLDERS = ("work", "tmp", "root", "home")
FORBIDDEN = re.compile(
    "|".join(
        [
            *(rf"\b{re.escape(host)}\b" for host in REGISTRIES),
            *(rf"(?<![\w.}}-])/{folder}/" for folder in MACHINE_FOLDERS),
        ]
    )
)


def canonical(name: str) -> str:
    """One spelling of a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    pins = [pin for line in lines if (pin := PIN.match(line))]
    return {canonical(pin[1]): pin[2] for pin in pins}


def asked() -> tuple[dict[str, str], dict[str, str]]:
    """What the project needs, and what its developers need besides."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [
        *project["project"]["dependencies"],
        *(line for extra in project["project"]["optional-dependencies"].values() for line in extra),
    ]
    return pinned(needed), pinned(project["dependency-groups"]["dev"])


def pinned(lines: list[str]) -> dict[str, str]:
    pins = [(line, PIN.match(line)) for line in lines]
    loose = [line for line, pin in pins if not pin]
    assert not loose, f"Not pinned to one version: {loose}"
    return {canonical(pin[1]): pin[2] for _, pin in pins if pin}


@pytest.mark.parametrize("file", LOCKS)
def test_a_lock_names_no_place_to_download_from(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")

    assert "://" not in text
    assert not re.search(r"^\s*-", text.replace("\n    --hash=", ""), re.MULTILINE), "an option"
    assert not re.search(r"\s@\s", text), "a direct reference"


@pytest.mark.parametrize("file", LOCKS)
def test_a_lock_pins_every_line_by_hash(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]

    assert lines
    assert [line for line in lines if not PIN.match(line)] == []
    assert [line for line in lines if "--hash=sha256:" not in line] == []


def test_the_lock_has_what_the_project_asks_for() -> None:
    needed, _ = asked()
    lock = locked("requirements.txt")
    assert {name: lock.get(name) for name in needed} == needed


def test_the_developers_lock_has_that_and_what_they_ask_for() -> None:
    needed, developers = asked()
    everything = {**needed, **developers}
    lock = locked("requirements-dev.txt")
    assert {name: lock.get(name) for name in everything} == everything


def test_developers_run_the_versions_the_product_runs() -> None:
    product, developers = locked("requirements.txt"), locked("requirements-dev.txt")
    assert {name: developers.get(name) for name in product} == product


def test_the_build_uses_the_backend_that_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    backend = pinned(project["build-system"]["requires"])
    lock = locked("requirements-dev.txt")
    assert {name: lock.get(name) for name in backend} == backend


def tree() -> Iterator[Path]:
    """Every file that is, or would be, committed."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing says which files belong to the tree")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in sorted(filter(None, listed.stdout.split("\0"))):
        if (ROOT / name).is_file():
            yield ROOT / name


def test_the_tree_names_no_registry_and_no_folder_of_a_machine() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{number}: {match[0]}"
        for file in tree()
        for number, line in enumerate(file.read_bytes().splitlines(), 1)
        for match in FORBIDDEN.finditer(line.decode(errors="replace"))
    ]
    assert not found, "\n".join(found)


def test_the_search_finds_what_it_looks_for() -> None:
    for folder in MACHINE_FOLDERS:
        assert FORBIDDEN.search(f"open('/{folder}/x')")
        assert not FORBIDDEN.search(f"GET /api/{folder}/x")
    for host in REGISTRIES:
        assert FORBIDDEN.search(f"https://files.{host}/simple")
