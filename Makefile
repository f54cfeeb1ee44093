.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
DATA_PORT ?= 8080
CONTROL_PORT ?= 8081
TEST_JOBS ?= 2
export MEM0_TELEMETRY := False

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

$(VENV)/runtime: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Expunge needs Python 3.11 or newer")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked environment into $(VENV) (about a minute)"
	@$(PIP) install -q --no-compile --require-hashes -r requirements.lock
	@$(PIP) install -q --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev: requirements-dev.lock $(VENV)/runtime
	@echo "Installing the tools for tests (another minute)"
	@$(PIP) install -q --no-compile --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/runtime ## Prepare .venv with the locked environment
setup-dev: $(VENV)/dev ## The same with everything tests and checks need

demo: setup ## Run the main job on the embedded store, narrated
	@$(BIN)/expunge demo

run: setup ## Serve Expunge with an embedded Mem0 (expunge dev)
	@$(BIN)/expunge dev --data-dir .expunge --data-port $(DATA_PORT) --control-port $(CONTROL_PORT)

test: setup-dev ## Run all tests
	@$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadfile

test-fast: setup-dev ## Run the tests that take no processes
	@$(BIN)/python -m pytest tests/unit -m "not slow"

lint: setup-dev ## Format, lint, types, import rules, spelling
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/codespell

fix: setup-dev ## Let ruff repair what it can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

generated: setup-dev ## Write the schemas and references that come from the code
	@$(BIN)/python -m policies.reference
	@$(BIN)/python docs/generate.py

bench: setup-dev ## Measure what a write and a read cost, in one run against the bare store
	@$(BIN)/python -m tests.bench.proxy_latency

bench-detection: setup-dev ## Measure accuracy and speed of the detectors beside stock Presidio
	@$(BIN)/python tests/bench/structured/run.py
	@$(BIN)/python tests/bench/evasion/run.py
	-@$(BIN)/python tests/bench/detection_accuracy.py
	@$(BIN)/python tests/bench/detection_speed.py

bench-policy: setup-dev ## Measure policy decisions
	@$(BIN)/python -m tests.bench.policy_speed

bench-proxy: setup-dev ## Measure the hop beside nginx and a minimal proxy, and soak it
	@$(BIN)/python -m tests.bench.proxy_throughput
	@$(BIN)/python -m tests.bench.proxy_soak requests
	@$(BIN)/python -m tests.bench.proxy_soak idle
	@$(BIN)/python -m tests.bench.proxy_soak writes

bench-ledger: setup-dev ## Measure the ledger up to a million memories, and the keys
	@$(BIN)/python -m tests.bench.ledger_growth
	@$(BIN)/python -m tests.bench.keys

bench-forget: setup-dev ## Measure what an erasure costs, and ask the eight probes
	@$(BIN)/python -m tests.bench.forget_cost 2000
	@$(BIN)/python -m tests.bench.eight_probes

bench-fuzz: setup-dev ## Send the data plane 100,000 damaged requests (some minutes)
	@$(BIN)/python -m tests.bench.byte_fuzz --inputs 100000

bench-retrieval: setup-dev ## Measure how well questions find memories with tokens and without
	@$(BIN)/python -m tests.bench.token_retrieval
	@$(BIN)/python -m tests.bench.name_retrieval

bench-residue: setup-dev ## Measure what each way of deleting leaves, over 200 scenarios
	@$(BIN)/python -m tests.bench.residue 200 4

bench-external: setup-dev ## Let foreign tools look: at files after an erasure, at what a store is sent, at detection
	@$(BIN)/python -m tests.bench.external 10
	@$(BIN)/python -m tests.bench.leak_shim
	@$(BIN)/python -m tests.bench.detection_peers

lock: setup-dev ## Renew the lock files from pyproject.toml
	@$(PIP) install -q uv
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml --group build -o requirements.lock
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock

.PHONY: help setup setup-dev demo run test test-fast lint fix generated bench bench-detection bench-policy bench-proxy bench-ledger bench-forget bench-fuzz bench-retrieval bench-residue bench-external lock
