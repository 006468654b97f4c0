# Two commands on a fresh machine (Python ≥ 3.11 with pip and venv, and make): `make demo`, `make test`.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SAMPLE := samples/vidence_sample.mp4
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links --quiet

.PHONY: help demo models test test-slow test-hostile check lint types docs docs-check lock wheel clean
help:            ## show what there is
	@grep -hE '^[a-z-]+: .*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

demo: models  ## set up and run the main job on the sample video
	@$(BIN)/python scripts/demo.py $(SAMPLE)

models: $(VENV)/.runtime  ## fetch the embedded models (about 1.5 GB, once for all workspaces)
	@$(BIN)/vidence models fetch

test: $(VENV)/.dev models  ## set up and run the tests (the slow ones too: make test-slow)
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not hostile"

test-slow: $(VENV)/.dev models  ## the slow tests: whole videos, killed processes, benchmarks
	@$(BIN)/python -m pytest -n auto --dist loadfile -m "slow and not hostile"

test-hostile: $(VENV)/.dev models  ## strangers' files and folders, killed runs, faulty servers, full disks
	@$(BIN)/python -m pytest -n auto --dist worksteal -m hostile tests/hostile

check: lint types docs-check test test-slow test-hostile  ## everything CI runs

lint: $(VENV)/.dev  ## ruff
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev  ## mypy --strict
	@$(BIN)/mypy

docs: $(VENV)/.runtime  ## write the generated docs pages
	@$(BIN)/python scripts/generate_docs.py

docs-check: $(VENV)/.runtime
	@$(BIN)/python scripts/generate_docs.py --check

lock:            ## pin dependencies again (the one target that needs uv)
	$(LOCK) --extra mcp --group build -o requirements.lock
	$(LOCK) --extra mcp --group build --group dev -c requirements.lock -o requirements-dev.lock

wheel: $(VENV)/.runtime  ## build dist/*.whl
	@$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean:           ## remove what make made
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "vidence needs Python 3.11 or newer on the PATH (or: make PYTHON=/path/to/python)"; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) (once)…"
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/.runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	@$(PIP) install --quiet --no-deps --require-hashes -r requirements.lock
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@$(PIP) install --quiet --no-deps --require-hashes -r requirements-dev.lock
	@touch $@
