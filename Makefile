# Everything a person or CI runs.  `make help` lists it.
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
# The TrustGraph versions that the tests run against: the newest (`make raise-trustgraph`) and the oldest supported.
NEWEST_VERSION := 2.11.1
OLDEST_VERSION := 2.8.17
OLDEST := build/trustgraph-$(OLDEST_VERSION)
OLDEST_STAMP := $(OLDEST)/.installed

.DEFAULT_GOAL := help

help: ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(if $(LOCKED),,$(BIN)/python -m pip install -q --upgrade pip)
	@echo 'installing the package, the embedded engines and the tools into $(VENV) (about 700 MB, a minute or two)'
	@PYTHONWARNINGS=ignore $(if $(LOCKED),$(LOCKED_INSTALL),$(BIN)/python -m pip install -q -e '.[local,llm,dev]')
	@touch $@

install: $(STAMP) ## Install into .venv, with the embedded engines and the tools (LOCKED=1: the versions and hashes of locks/)

# The versions of locks/ and no others, each file compared with its hash; nothing is fetched to build the package.
LOCKED_INSTALL = $(BIN)/python -m pip install -q --require-hashes -r locks/build.txt && \
	$(BIN)/python -m pip install -q --require-hashes --no-build-isolation -r locks/dev.txt && \
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .

# For every Python that the package supports, on every platform; without the name of an index.
UV := build/uv/bin/uv
LOCK := $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -c build/installed.txt
$(UV):
	$(PYTHON) -m venv build/uv && build/uv/bin/pip install -q 'uv>=0.9,<1'

lock: $(STAMP) $(UV) ## Write locks/ again: the versions installed in .venv, with the hashes of their files
	$(BIN)/python -m pip freeze --exclude-editable >build/installed.txt
	$(LOCK) pyproject.toml locks/build.in --extra image -o locks/image.txt
	$(LOCK) pyproject.toml locks/build.in --extra local --extra llm --extra dev -o locks/dev.txt
	$(LOCK) locks/build.in -o locks/build.txt
	$(LOCK) locks/sbom.in -o locks/sbom.txt
	echo trustgraph-flow==$(NEWEST_VERSION) | $(LOCK) --no-deps - -o locks/orchestrator.txt

raise-trustgraph: $(STAMP) ## Pin the newest TrustGraph 2.x in this file, .venv and locks/ (VERSION=: another one); then run make test-stock
	version=$${VERSION:-$$($(BIN)/python -m pip index versions trustgraph-base 2>/dev/null \
	  | sed -n 's/^Available versions: //p' | tr -d ' ' | tr ',' '\n' | grep -m 1 '^2\.')} && [ -n "$$version" ] \
	  && sed -i "s/^NEWEST_VERSION := .*/NEWEST_VERSION := $$version/" Makefile \
	  && $(BIN)/python -m pip install -q "trustgraph-base==$$version"
	$(MAKE) lock

audit: $(UV) ## Ask an advisory database about the versions in locks/ (exit code 2: not checked, because it cannot be reached)
	$(PYTHON) docker/audit.py locks/image.txt locks/orchestrator.txt locks/dev.txt locks/sbom.txt

pin-images: ## Write the digests of the images into the container files (needs a registry, and skopeo, crane or docker)
	$(PYTHON) docker/pin_images.py

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
PYTEST := $(if $(TEMPORARY),PYTEST_DEBUG_TEMPROOT=$(TEMPORARY) )$(BIN)/python -m pytest -p tests.progress -n $(WORKERS) --max-worker-restart=0 --dist loadfile --no-loadscope-reorder

test: $(STAMP) ## Tests that need no other server, in a few minutes: without long ones, properties with few examples (REVERSED=1: unit and contract tests in reverse order)
	TEST_QUICK=1 $(PYTEST) -m '$(QUICK)' $(SUITES)

test-rest: $(STAMP) ## What make test leaves out: long tests, and all examples of each property
	$(PYTEST) -m '$(NEEDS_NOTHING) and (slow or later or hypothesis)' $(SUITES)

test-all: test test-rest ## All tests that need no other server, in full

test-release: $(STAMP) ## Before a release, for hours: many simulated lives and kills, all seeded faults, frameworks, the local model, all tests on servers, benches; with DATA=file and MODEL= evaluations
	$(MAKE) test-frameworks test-model
	$(MAKE) test-servers ALL=1
	$(MAKE) test-stock ALL=1
	$(MAKE) test-ui ALL=1
	$(MAKE) simulate SEEDS=20000
	$(MAKE) crash ROUNDS=50
	$(MAKE) mutants hostile soak
	$(MAKE) bench bench-servers sessions
	$(if $(DATA),$(MAKE) eval DATA=$(DATA) OUT=build/release ABLATIONS=1)

test-install: $(STAMP) ## A built wheel in an empty environment: what it says without extras, and a question answered with [local]
	rm -rf build/install
	$(BIN)/python -m tests.install build/install

test-servers: $(STAMP) $(STOCK_STAMP) ## Fetch, start, test and stop a real Pulsar and Neo4j (Java 17 and Maven; no containers); ALL=1: the long tests, too
	@for suites in "tests/integration tests/e2e" tests/servers tests/stock/test_drop_in.py; do \
		echo "== $$suites, on a real Pulsar and Neo4j"; \
		case $$suites in tests/stock/*) packages=$(STOCK_PACKAGES);; *) packages=;; esac; \
		$(BIN)/python -m tests.servers.servers run env PYTHONPATH=$$packages $(if $(ALL),,TEST_QUICK=1 )$(BIN)/python -m pytest -m 'servers$(if $(ALL),, and not slow)' --durations=5 $$suites || exit 1; \
	done

test-stock: $(STAMP) $(STOCK_STAMP) $(OLDEST_STAMP) ## Against a stock TrustGraph, the newest and the oldest supported: gateway, flow, prompt and model service, agents, command line; ALL=1: all of it with the oldest, too
	$(call run-stock,$(NEWEST_VERSION),$(STOCK_PACKAGES),stock and,tests/stock tests/contract)
	$(call run-stock,$(OLDEST_VERSION),$(CURDIR)/$(OLDEST):$(STOCK_PACKAGES),,tests/contract $(if $(ALL),tests/stock,$(WITH_OLDEST)))

# What of TrustGraph changes between versions: its messages (tests/contract, which make test runs with the newest), its gateway,
# clients, blueprints and agent.
WITH_OLDEST := $(addprefix tests/stock/test_,gateway.py install.py patterns.py stock_clients.py)

STOCK_PACKAGES = $$(echo $(CURDIR)/$(STOCK)/lib/python3*/site-packages)
# Two processes, each with a TrustGraph of its own: most of the time is spent in starting programs.
run-stock = TRUSTGRAPH_BASE=$(1) PYTHONPATH=$(2) $(BIN)/python -m pytest -n 2 --dist loadfile -m '$(3) not servers and not model' $(4)

test-frameworks: $(STAMP) $(FRAMEWORKS_STAMP) ## The adapters for agent frameworks, with the frameworks' types, runs and the examples of docs/integrations.md
	$(BIN)/mypy --python-executable $(FRAMEWORKS)/bin/python --cache-dir $(FRAMEWORKS)/mypy --config-file tests/frameworks/mypy.ini \
	  -p trustgraph_react_mem.frameworks -p tests.frameworks
	$(FRAMEWORKS)/bin/python -m pytest tests/frameworks

test-clients: $(STAMP) $(CLIENTS_STAMP) ## Clients of mem0, unchanged from their packages, against a running listener (Node.js 18)
	REACT_MEM_PYTHON=$(abspath $(BIN))/python CLIENTS_NODE=$(abspath $(CLIENTS))/node $(CLIENTS)/bin/python -m pytest -c tests/clients/pytest.ini --durations=3 tests/clients

ui: $(UI_STAMP) ## Bundle the web page from ui/ into the package (Node.js 18)
	node ui/build.mjs

test-ui: $(STAMP) $(UI_STAMP) $(BROWSER_STAMP) ## The web page: its bundle, and every pane in a browser (needs chromium); pictures in build/screens; ALL=1: with 50,000 memories, too
	node ui/build.mjs --check
	node --test ui/tests/*.js
	$(if $(TEMPORARY),PYTEST_DEBUG_TEMPROOT=$(TEMPORARY) )$(BROWSER)/bin/python -m pytest -m 'browser$(if $(ALL),, and not slow)' --durations=5 tests/browser

check-containers: $(STAMP) ## Container files against their schemas, and the image's Python part built without a container engine
	$(BIN)/python docker/check.py build/containers

test-model: $(STAMP) ## One run with the real local language model, fetched once (1.1 GB)
	$(BIN)/python -m pytest -m model

simulate: $(STAMP) ## Simulate the write side under many seeds (SEEDS=1000 FROM=0); a broken one is printed and replays
	$(BIN)/python -m tests.simulation $(or $(SEEDS),1000) $(or $(FROM),0)

crash: $(STAMP) ## kill -9 of stack and broker under load (ROUNDS=3); fails on loss or doubling
	$(BIN)/python -m tests.crash $(or $(ROUNDS),3)

mutants: $(STAMP) ## Seeded faults in the write side, each caught by a named test (PART=3/10 for a tenth of them)
	$(BIN)/python -m tests.mutants $(if $(PART),--part $(PART))

# 10#: the day of the year begins with zeros, and is no octal number.
mutants-tenth: ## The tenth of the seeded faults whose turn it is today
	$(MAKE) mutants PART=$$((10#$$(date +%j) % 10 + 1))/10

hostile: $(STAMP) ## Attacks and faults against running stacks, judged from outside (ONLY=area or name,... JSON=1); fails if one does harm
	$(BIN)/python -m tests.hostile $(if $(ONLY),--only $(ONLY)) $(if $(JSON),--json)

soak: $(STAMP) ## 50 conversations, people who come and go, a fault every minute (MINUTES=30 JSON=1); curves in build/soak
	$(BIN)/python -m tests.soak $(or $(MINUTES),30) $(if $(JSON),--json)

demo: $(STAMP) ## A dialogue of several conversations, live, with what is recalled, cited and learned
	@rm -rf build/demo
	REACT_MEM_KEYS=build/demo/keys $(BIN)/react-mem demo --data build/demo/data examples/dog-and-trip.txt

up: $(STAMP) ## Run the stack until Ctrl-C
	$(BIN)/react-mem up

bench: $(STAMP) $(STOCK_STAMP) ## Measure, for about ten minutes (MINUTES=); table and build/bench.json (ONLY=name for one row, DATA=file for recall)
	$(BIN)/python -m bench $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA)) $(if $(MINUTES),--minutes $(MINUTES))

bench-servers: $(STAMP) $(STOCK_STAMP) ## The same turns on a real Pulsar and Neo4j, fetched and started; build/bench-servers.json
	$(BIN)/python -m tests.servers.servers run $(BIN)/python -m bench.servers

bench-large: $(STAMP) ## A million memories in one scope, vectors given: storing, search, recall; build/bench-large.json; continues (N=memories)
	$(BIN)/python -m bench.large $(if $(N),--memories $(N))

recall: $(STAMP) ## Coverage of the evidence turns over a LoCoMo file (DATA=file)
	@test -n "$(DATA)" || { echo "make recall needs DATA=FILE, a LoCoMo file"; exit 2; }
	$(BIN)/python -m bench.recall $(DATA)

calibrate: $(STAMP) ## Measure the thresholds of an embedding model (EMBEDDINGS=name; DATA=file: what they cost and save there)
	$(BIN)/python -m bench.calibrate $(if $(EMBEDDINGS),--embeddings $(EMBEDDINGS)) $(if $(DATA),--data $(DATA))

eval: $(STAMP) ## All methods over LoCoMo or LongMemEval files (DATA=file[,file] OUT=folder; SEEDS= ONLY=1-2 ABLATIONS=1; MODEL= ANSWERS=N)
	@test -n "$(DATA)" && test -n "$(OUT)" || { echo "make eval needs DATA=FILE and OUT=FOLDER"; exit 2; }
	$(BIN)/python -m bench.evaluate $(DATA) $(OUT) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(ONLY),--only $(ONLY)) $(if $(ABLATIONS),--ablations) \
	  $(if $(MODEL),--model $(MODEL)) $(if $(JUDGE),--judge $(JUDGE)) $(if $(ANSWERS),--answers $(ANSWERS))

peers: $(STAMP) ## Other memories beside ours, on the same turns and questions (DATA=file[,file] NAMES=name[,name] ONLY=ours,mem0 N=2 dialogues, JSON=1 WRITE=1); continues
	@test -n "$(DATA)" || { echo "make peers needs DATA=FILE, a LoCoMo or LongMemEval file"; exit 2; }
	$(BIN)/python -m bench.peers $(DATA) $(if $(NAMES),--names '$(NAMES)') $(if $(ONLY),--only $(ONLY)) $(if $(N),--dialogues $(N)) $(if $(JSON),--json) $(if $(WRITE),--write)

talk: $(STAMP) ## Lives of several sessions, with a scripted model (or MODEL=): what was right, and whose fault the rest is (N=30 JSON=1 WRITE=1)
	$(BIN)/python -m bench.talk $(if $(N),--lives $(N)) $(if $(MODEL),--model $(MODEL)) $(if $(JSON),--json) $(if $(WRITE),--write)

experience: $(STAMP) ## Repeated tasks of a scripted world, with lessons and without; fails if lessons do not help (N=60 SEEDS=1 JSON=1)
	$(BIN)/python -m bench.experience $(if $(N),--tasks $(N)) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(JSON),--json)

sessions: $(STAMP) ## One user's memory over 100 sessions, to 10,000 memories (OUT=folder; DATA=file for real turns)
	$(BIN)/python -m bench.sessions $(DATA) $(if $(OUT),--out $(OUT))

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
	@command -v npm >/dev/null || { echo 'make test-clients runs TypeScript clients too and needs Node.js 18 or newer with npm: install nodejs and npm'; exit 2; }
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

stock: $(STOCK_STAMP) ## Stock TrustGraph in its own environment (build/stock), to compare with

docs: $(STAMP) ## Generate the reference pages: commands, settings, benchmarks, wire
	$(BIN)/python docs/generate.py && $(BIN)/python docs/describe_wire.py && $(BIN)/python docs/sync_manager.py

picture: $(STAMP) ## Draw docs/images/recall.svg from a scripted run
	$(BIN)/python docs/picture.py

lint: $(STAMP) ## Style, types, dead code, and what else the code must not hold
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy -p trustgraph_react_mem -p tests -p bench
	$(BIN)/python -m pytest -m structure $$(grep -l 'pytest.mark.structure' tests/unit/*.py)

check: lint ## Style, types and unit tests
	@echo '== unit and contract tests, in reverse order, so that none rests on one before it'
	TEST_QUICK=1 $(PYTEST) -m '$(QUICK)' $(BACKWARDS)

format: $(STAMP) ## Format the code
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

clean: ## Remove what was built
	rm -rf build dist *.egg-info

.PHONY: lock raise-trustgraph audit pin-images bench-servers bench-large simulate mutants mutants-tenth crash hostile soak check-containers test-stock test-frameworks test-servers test-rest test-all test-release test-install help install test test-model demo picture up bench recall calibrate eval peers talk experience sessions stock docs lint check format clean test-clients ui test-ui
