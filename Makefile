# Everything a person or CI runs.  `make help` lists it.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help

help: ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e '.[local,dev]'
	@touch $@

install: $(STAMP) ## Install into .venv, with the embedded engines and the tools

test: $(STAMP) ## All tests that need no other server
	$(BIN)/python -m pytest -m 'not model and not servers and not stock'

typed: $(STAMP)
	@mkdir -p build/typed/trustgraph_react_mem
	@for entry in trustgraph_react_mem/*; do ln -sfn "$(CURDIR)/$$entry" "build/typed/$$entry"; done
	@ln -sfn "$(CURDIR)/schema" build/typed/trustgraph_react_mem/schema
	@ln -sfn "$(CURDIR)/config" build/typed/trustgraph_react_mem/config

check: typed ## Style, types and unit tests
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	MYPYPATH=build/typed $(BIN)/mypy -p trustgraph_react_mem
	$(BIN)/python -m pytest tests/unit tests/contract

format: $(STAMP) ## Format the code
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

clean: ## Remove what was built
	rm -rf build dist *.egg-info

.PHONY: help install test typed check format clean
