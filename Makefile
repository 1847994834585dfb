# What scripts and newcomers type. Each target makes the environment first if it is not there.
PYTHON ?= python3
UV ?= uv
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK := $(UV) pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes --no-header

# What starts a hundred processes must not compile a thousand modules in each of them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test conformance bench lint lock messages migration

help:
	@sed -n 's/^## //p' Makefile

## make setup      .venv with everything, from the hash-pinned requirements; quick when nothing changed
setup: .venv/.ready

.venv/.ready: requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Unsession needs Python 3.11 or newer; name one with PYTHON=…")'
	test -x $(BIN)/python || $(PYTHON) -m venv --clear .venv
	$(PIP) install --require-hashes -r requirements-dev.txt
	@mkdir -p locale  # what the build includes must be there, and git keeps no empty folder
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

## make demo       a believable workspace on port 8000, with its sign-in links printed
demo: setup
	$(BIN)/unsession demo

## make test       the whole suite; ARGS="tests/domain -k fold" narrows it
test: setup
	$(BIN)/python -m pytest $(ARGS)

## make conformance       the official MCP suite and clients, against the demo (needs npm)
conformance: setup
	$(BIN)/python -m tests.conformance

## make bench      the budgets, measured
bench: setup
	$(BIN)/python -m bench

## make lint       ruff and strict types
lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

## make lock       both requirements files anew from pyproject.toml (needs uv)
lock:
	$(LOCK) --extra postgres --extra s3 pyproject.toml -o requirements.txt
	$(LOCK) --extra postgres --extra s3 --group dev pyproject.toml -o requirements-dev.txt

## make messages   the words of all templates, for translators, in locale/messages.pot
messages: setup
	$(BIN)/pybabel --quiet extract --mapping locale/babel.cfg --no-location --omit-header \
		--sort-output --output locale/messages.pot .

## make migration MESSAGE="what changes"      a draft of what the models have and the migrations lack
migration: setup
	@test -n "$(MESSAGE)" || { echo 'Say what changes: make migration MESSAGE="rooms get a floor"'; exit 2; }
	$(BIN)/python -c 'import sys; from unsession.db.migrate import draft; draft(sys.argv[1])' "$(MESSAGE)"
	$(BIN)/ruff check --quiet --fix migrations
	$(BIN)/ruff format --quiet migrations
