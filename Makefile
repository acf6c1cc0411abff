# The tasks of this repository. Each one first installs what it lacks: Debian or Ubuntu packages (with sudo when not
# root), then pinned Python tools into .venv.
SHELL := /bin/bash
export PATH := $(CURDIR)/.venv/bin:$(PATH)

# Python's packages are compiled again only when one of these changed.
sources := $(shell git ls-files CMakeLists.txt cmake include src python ':!python/tests' pyproject.toml 2>/dev/null)
installed := .venv/installed-penstock

.DEFAULT_GOAL := help
.PHONY: help demo test bench lint format clean setup-demo setup-test

help:  ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

demo: setup-demo $(installed)  ## draw a data set, train a small model from it, leave images in demo-out/
	@python -m demo

test: setup-test  ## every suite, as CI runs it; SUITES="cpp python" runs some
	@python tools/run_suites.py $(SUITES)

bench: setup-test  ## measure penstock beside other loaders; BENCH="--quick" hands options to bench/run.py
	@tools/install_packages.sh bench
	@python bench/run.py $(BENCH)

lint: setup-test  ## layout, ruff, mypy, clang-format
	@python tools/run_suites.py layout lint

format: setup-test  ## let clang-format and ruff rewrite the sources
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i
	@git ls-files '*.py' '*.pyi' | xargs ruff check --fix --quiet

clean:  ## remove what the other tasks made, but for .venv
	@rm -rf build dist demo-out $(installed)

setup-demo:
	@tools/install_packages.sh demo
	@tools/make_venv.sh demo

setup-test:
	@tools/install_packages.sh test
	@tools/make_venv.sh test

$(installed): $(sources) | setup-demo
	@echo "Compiling penstock into .venv"
	@pip install --quiet --disable-pip-version-check .
	@touch $@
