# What a person runs most.  `make help` lists it; CONTRIBUTING.md has the commands for everything else.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STOCK := build/stock
STOCK_STAMP := $(STOCK)/.installed
FRAMEWORKS := build/frameworks
FRAMEWORKS_STAMP := $(FRAMEWORKS)/.installed
CLIENTS := build/clients
CLIENTS_STAMP := $(CLIENTS)/.installed
BROWSER := build/browser
BROWSER_STAMP := $(BROWSER)/.installed
UI_STAMP := ui/node_modules/.installed
# Tests and benches start many short programs: without bytecode files each would compile the package.
export PYTHONDONTWRITEBYTECODE :=
# And pip compiles none: that would take a minute for each environment, most of it for modules that nothing imports.
export PIP_COMPILE := 0
# The TrustGraph versions that the tests run against: the newest (CONTRIBUTING.md raises it) and the oldest supported.
NEWEST_VERSION := 2.11.1
OLDEST_VERSION := 2.8.17
OLDEST := build/trustgraph-$(OLDEST_VERSION)
OLDEST_STAMP := $(OLDEST)/.installed

.DEFAULT_GOAL := help

help: ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(if $(LOCKED),,$(BIN)/python -m pip install -q --upgrade pip)
	@echo 'installing the package, the embedded engines and the tools into $(VENV) (about 700 MB, a minute or two)'
	@PYTHONWARNINGS=ignore $(if $(LOCKED),$(LOCKED_INSTALL),$(BIN)/python -m pip install -q -e '.[local,llm,dev]')
	@touch $@

install: $(STAMP) ## Install into .venv (LOCKED=1: the versions of locks/)

# The versions of locks/ and no others, each file compared with its hash; nothing is fetched to build the package.
LOCKED_INSTALL = $(BIN)/python -m pip install -q --require-hashes -r locks/build.txt && \
	$(BIN)/python -m pip install -q --require-hashes --no-build-isolation -r locks/dev.txt && \
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .

# For every Python that the package supports, on every platform; without the name of an index.
UV := build/uv/bin/uv
LOCK := $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -c build/installed.txt
$(UV):
	$(PYTHON) -m venv build/uv && build/uv/bin/pip install -q 'uv>=0.9,<1'

lock: $(STAMP) $(UV) ## Write locks/ again, from what is installed in .venv
	$(BIN)/python -m pip freeze --exclude-editable >build/installed.txt
	$(LOCK) pyproject.toml locks/build.in --extra image -o locks/image.txt
	$(LOCK) pyproject.toml locks/build.in --extra local --extra llm --extra dev -o locks/dev.txt
	$(LOCK) locks/build.in -o locks/build.txt
	$(LOCK) locks/sbom.in -o locks/sbom.txt
	echo trustgraph-flow==$(NEWEST_VERSION) | $(LOCK) --no-deps - -o locks/orchestrator.txt

# All suites in one session, so that each process imports the package once.  More processes than cores: tests wait more than
# they compute.  The tests of a file share its started stack and stay in one process: files that take long begin first.  A process
# that dies ends the run: xdist would wait for ever for the tests of another.
SUITES = $(addprefix tests/,e2e conversations integration canaries simulation) $(if $(REVERSED),$(BACKWARDS),tests/contract tests/unit)
# The shell lists the files, so that make does not print them all.
BACKWARDS = $$(find tests/contract tests/unit -name 'test_*.py' | sort -r)
NEEDS_NOTHING := not model and not servers and not stock and not structure
QUICK := $(NEEDS_NOTHING) and not slow and not later
WORKERS ?= 3
# A start of the stack writes to disk some thirty times and waits for each: in memory, where it has 4 GB, it takes half the time.
TEMPORARY := $(shell [ -w /dev/shm ] && [ "$$(df -k --output=avail /dev/shm | tail -n 1)" -gt 4000000 ] 2>/dev/null && echo /dev/shm)
PYTEST := $(if $(TEMPORARY),PYTEST_DEBUG_TEMPROOT=$(TEMPORARY) )$(BIN)/python -m pytest -n $(WORKERS) --max-worker-restart=0 --dist loadfile --no-loadscope-reorder

test: $(STAMP) ## Tests in a few minutes (REVERSED=1: unit tests backwards)
	TEST_QUICK=1 $(PYTEST) -m '$(QUICK)' $(SUITES)

test-all: $(if $(REST),$(STAMP),test) ## Long ones, too, and all examples (REST=1: only those)
	$(PYTEST) -m '$(NEEDS_NOTHING) and (slow or later or hypothesis)' $(SUITES)

test-servers: $(STAMP) $(STOCK_STAMP) ## With a real Pulsar and Neo4j: Java 17, Maven (ALL=1: more)
	@for suites in "tests/integration tests/e2e" tests/servers tests/stock/test_drop_in.py; do \
		echo "== $$suites, on a real Pulsar and Neo4j"; \
		case $$suites in tests/stock/*) packages=$(STOCK_PACKAGES);; *) packages=;; esac; \
		$(BIN)/python -m tests.servers.servers run env PYTHONPATH=$$packages $(if $(ALL),,TEST_QUICK=1 )$(BIN)/python -m pytest -m 'servers$(if $(ALL),, and not slow)' --durations=5 $$suites || exit 1; \
	done

test-stock: $(STAMP) $(STOCK_STAMP) $(OLDEST_STAMP) ## Against the newest and oldest TrustGraph (ALL=1: in full)
	$(call run-stock,$(NEWEST_VERSION),$(STOCK_PACKAGES),stock and,tests/stock tests/contract)
	$(call run-stock,$(OLDEST_VERSION),$(CURDIR)/$(OLDEST):$(STOCK_PACKAGES),,tests/contract $(if $(ALL),tests/stock,$(WITH_OLDEST)))

# What of TrustGraph changes between versions: its messages (tests/contract, which make test runs with the newest), its gateway,
# clients, blueprints and agent.
WITH_OLDEST := $(addprefix tests/stock/test_,gateway.py install.py patterns.py stock_clients.py)

STOCK_PACKAGES = $$(echo $(CURDIR)/$(STOCK)/lib/python3*/site-packages)
# Two processes, each with a TrustGraph of its own: most of the time is spent in starting programs.
run-stock = TRUSTGRAPH_BASE=$(1) PYTHONPATH=$(2) $(BIN)/python -m pytest -n 2 --dist loadfile -m '$(3) not servers and not model' $(4)

test-release: $(STAMP) $(STOCK_STAMP) $(UI_STAMP) $(BROWSER_STAMP) $(FRAMEWORKS_STAMP) ## Everything, for hours (DATA=file: also make eval)
	$(FRAMEWORKS)/bin/python -m pytest tests/frameworks
	$(BIN)/python -m pytest -m model
	$(MAKE) test-servers ALL=1
	$(MAKE) test-stock ALL=1
	node ui/build.mjs --check && node --test ui/tests/*.js && $(BROWSER)/bin/python -m pytest -m browser tests/browser
	$(MAKE) simulate SEEDS=20000
	$(BIN)/python -m tests.crash 50
	$(MAKE) bench
	$(BIN)/python -m tests.servers.servers run $(BIN)/python -m bench servers
	$(BIN)/python -m bench sessions
	$(if $(DATA),$(MAKE) eval DATA=$(DATA) OUT=build/release)

simulate: $(STAMP) ## Simulate the write side (SEEDS=1000 FROM=0)
	$(BIN)/python -m tests.simulation $(or $(SEEDS),1000) $(or $(FROM),0)

bench: $(STAMP) $(STOCK_STAMP) ## Measure, about ten minutes (ONLY=row DATA=file)
	$(BIN)/python -m bench $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA))

eval: $(STAMP) ## Compare ranking methods (DATA=file OUT=folder MODEL=name)
	@test -n "$(DATA)" && test -n "$(OUT)" || { echo "make eval needs DATA=FILE and OUT=FOLDER"; exit 2; }
	$(BIN)/python -m bench eval $(DATA) $(OUT) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(ONLY),--only $(ONLY)) \
	  $(if $(MODEL),--model $(MODEL)) $(if $(JUDGE),--judge $(JUDGE)) $(if $(ANSWERS),--answers $(ANSWERS))

demo: $(STAMP) ## A dialogue of several conversations, live
	@rm -rf build/demo
	REACT_MEM_KEYS=build/demo/keys $(BIN)/python examples/demo.py --data build/demo/data examples/dog-and-trip.txt

docs: $(STAMP) ## Generate the reference pages
	$(BIN)/python docs/generate.py && $(BIN)/python docs/describe_wire.py

ui: $(UI_STAMP)
	node ui/build.mjs

lint: $(STAMP)
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy -p trustgraph_react_mem -p tests -p bench
	$(BIN)/python -m pytest -m structure $$(grep -l 'pytest.mark.structure' tests/unit/*.py)

check: lint ## Style, types and unit tests: before each commit
	@echo '== unit and contract tests, in reverse order, so that none rests on one before it'
	TEST_QUICK=1 $(PYTEST) -m '$(QUICK)' $(BACKWARDS)

# ---- Environments of tests.  CONTRIBUTING.md says what runs in them.

# Stock TrustGraph for comparison: trustgraph-flow with only what its agent, prompt service and command line import
# (its full requirements are 132 packages).
$(STOCK_STAMP): Makefile
	$(PYTHON) -m venv $(STOCK)
	$(STOCK)/bin/python -m pip install -q --upgrade pip
	$(STOCK)/bin/python -m pip install -q trustgraph-base==$(NEWEST_VERSION) aiohttp ibis jsonschema openai cryptography tabulate msgpack rdflib
	$(STOCK)/bin/python -m pip install -q --no-deps trustgraph-flow==$(NEWEST_VERSION) trustgraph-cli==$(NEWEST_VERSION)
	@touch $@

# The oldest TrustGraph beside which this package works.  What it requires beyond itself is in $(STOCK).
$(OLDEST_STAMP): Makefile $(STAMP)
	$(BIN)/python -m pip install -q --no-deps --upgrade --target $(OLDEST) trustgraph-base==$(OLDEST_VERSION) trustgraph-flow==$(OLDEST_VERSION) trustgraph-cli==$(OLDEST_VERSION)
	@touch $@

# The frameworks, and after them what .venv has, this package among it.
$(FRAMEWORKS_STAMP): tests/frameworks/requirements.txt $(STAMP)
	$(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/python -m pip install -q -r tests/frameworks/requirements.txt
	$(BIN)/python -c 'import sys; print(*(each for each in sys.path if "site-packages" in each), "$(CURDIR)", sep="\n")' \
	  >$$(echo $(FRAMEWORKS)/lib/python3*/site-packages)/zz_venv.pth
	@touch $@

# Clients of other products, in environments of their own with the versions that tests/clients names.
$(CLIENTS_STAMP): tests/clients/requirements.txt tests/clients/package-lock.json
	@command -v npm >/dev/null || { echo 'the clients of other products are TypeScript, too, and need Node.js 18 or newer with npm: install nodejs and npm'; exit 2; }
	$(PYTHON) -m venv --clear $(CLIENTS)
	$(CLIENTS)/bin/python -m pip install -q -r tests/clients/requirements.txt
	mkdir -p $(CLIENTS)/node && cp tests/clients/package.json tests/clients/package-lock.json $(CLIENTS)/node/
	npm ci --prefix $(CLIENTS)/node --silent --no-audit --no-fund --ignore-scripts --omit=peer --omit=optional
	@touch $@

$(UI_STAMP): ui/package.json ui/package-lock.json
	@command -v npm >/dev/null || { echo 'the web page is built with Node.js 18 or newer and npm: install nodejs and npm'; exit 2; }
	npm ci --prefix ui --silent --no-audit --no-fund --ignore-scripts
	@touch $@

# Playwright, and after it what .venv has, this package among it.  The browser is the one of the system.
$(BROWSER_STAMP): tests/browser/requirements.txt $(STAMP)
	$(PYTHON) -m venv --clear $(BROWSER)
	$(BROWSER)/bin/python -m pip install -q -r tests/browser/requirements.txt
	$(BIN)/python -c 'import sys; print(*(each for each in sys.path if "site-packages" in each), "$(CURDIR)", sep="\n")' \
	  >$$(echo $(BROWSER)/lib/python3*/site-packages)/zz_venv.pth
	@touch $@

.PHONY: help install lock test test-all test-servers test-stock test-release simulate bench eval demo docs ui lint check
