# `make demo` shows the program at work; `make test` runs all tests.
.PHONY: help demo test walks lint format snapshots pictures bench training clean

help:
	@echo "make demo       install what is missing, then play the demo in a real sandbox"
	@echo "make test       install what is missing, start a Docker engine if possible, run all tests"
	@echo "make walks      press random keys in the real program; N=1000 for more walks (default 20)"
	@echo "make lint       run ruff, import-linter and pyright"
	@echo "make format     format with ruff"
	@echo "make snapshots  accept the current look of all screens"
	@echo "make pictures   recreate the pictures of README and docs from real runs"
	@echo "make training   run the experiment of docs/training.md; PYTHON=... needs the extra trl"
	@echo "make bench      compare speed and memory with other programs, write docs/benchmarks.md"

demo:
	@scripts/setup.sh demo
	@.venv/bin/sandbox-tui demo

test:
	@scripts/setup.sh test
	@scripts/test.sh

walks:
	@scripts/setup.sh test
	@.venv/bin/python -m tests.journeys.walking $(or $(N),20)

lint:
	@scripts/setup.sh lint
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/lint-imports --no-logo && scripts/typecheck.sh

format:
	@.venv/bin/ruff check --fix . && .venv/bin/ruff format .

snapshots:
	@SNAPSHOTS=update .venv/bin/pytest -q tests/snapshots

pictures:
	@.venv/bin/python docs/screenshots.py

training:
	@$(or $(PYTHON),.venv/bin/python) scripts/training/experiment.py .cache/training
	@$(or $(PYTHON),.venv/bin/python) scripts/training/both_modes.py .cache/training

bench:
	@scripts/setup.sh test
	@.venv/bin/python -m tests.perf.all $(if $(only),--only "$(only)")

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
