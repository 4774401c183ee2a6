# Two commands do everything: `make serve` and `make test`. They need Python >= 3.11, make and git, nothing else.

PORT ?= 8000
HOST ?= 127.0.0.1
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$name"; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(BIN)/.installed-run
DEV := $(BIN)/.installed-dev

.PHONY: help serve test check format data bench eval constraints clean

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile | expand -t 14

serve: $(RUN)  ## set up and run the service (PORT=8000, HOST=127.0.0.1)
	@exec $(BIN)/whichcuda serve --host $(HOST) --port $(PORT)

test: check  ## set up and run all checks and all tests, with the coverage gates
	@command -v chromium >/dev/null || echo "No chromium is installed: the tests that drive a browser are skipped."
	$(BIN)/coverage erase
	$(BIN)/pytest -n auto --cov --cov-report=
	$(BIN)/coverage report --include='resolver/*,matrices/*' --fail-under=100
	$(BIN)/coverage report --include='api/*,assistant/*' --fail-under=90

check: $(DEV)  ## the fast part: data, style, types, layers
	$(BIN)/python -m matrices.build --check
	$(BIN)/python -m assistant.build --check
	$(BIN)/python -m matrices.lint
	$(BIN)/whichcuda reconcile
	$(BIN)/python -m matrices.statistics --check
	$(BIN)/python -m api.reference --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)  ## let ruff mend style and layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

data: $(RUN)  ## compile matrices/data to matrices/catalogue.json and renew the documents
	$(BIN)/python -m matrices.build
	$(BIN)/python -m assistant.build
	$(BIN)/python -m matrices.statistics --write
	$(BIN)/python -m api.reference --write

bench: $(DEV)  ## measure, beside the aims
	$(BIN)/python bench/bench.py

eval: $(DEV)  ## how often the assistant is right on two corpora of reports (CORPORA=folder)
	$(BIN)/python bench/evaluate.py $(if $(CORPORA),--corpora $(CORPORA))

constraints: $(DEV)  ## write constraints.txt from a fresh resolve
	rm -rf $(VENV)/fresh && $(PYTHON) -m venv $(VENV)/fresh
	$(VENV)/fresh/bin/python -m pip install -qq --upgrade 'pip>=25.1'
	$(VENV)/fresh/bin/python -m pip install -qq --editable . --group dev
	$(VENV)/fresh/bin/python -m pip freeze --exclude-editable --exclude whichcuda > constraints.txt
	rm -rf $(VENV)/fresh

clean:  ## remove the environment and everything generated but the catalogue
	rm -rf $(VENV) build dist .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "whichcuda needs Python 3.11 or newer: install it, or name it with make PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu the venv module is a package: apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install -qq --upgrade 'pip>=25.1'

$(RUN): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing whichcuda into $(VENV) ..."
	@$(BIN)/python -m pip install -qq --constraint constraints.txt --editable .
	@touch $@

$(DEV): $(RUN)
	@echo "Installing the development tools into $(VENV) ..."
	@$(BIN)/python -m pip install -qq --constraint constraints.txt --group dev
	@touch $@
