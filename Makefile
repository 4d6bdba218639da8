#===- Makefile - Thin wrappers around setup.sh, CMake and the test runners -===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `make help` lists the targets. Ninja does the work in parallel, not make.
#
#===------------------------------------------------------------------------===#

PRESET ?= dev
BUILD_DIR ?= build
ASAN_BUILD_DIR ?= build-asan
# Reaches scripts/demo.sh: a pattern file to run in place of the generated one.
export MATRIX
export BUILD_DIR

DEMO_TARGETS := magicube-compile magicube-run magicube_runtime \
                magicube_simulator

# One line that is rewritten on a terminal; into a log only what went wrong.
NINJA_FLAGS := $(if $(MAKE_TERMOUT),,--quiet)
# $(call build,DIRECTORY,TARGETS...)
build = echo "==> build in $(1): $(2) (the first time takes minutes)" && \
        cmake --build $(1) --target $(2) -- $(NINJA_FLAGS)
# CI (which sets CI) takes warnings for errors; a user's compiler may be another.
CONFIGURE_FLAGS := $(if $(CI),-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
# $(call configure,PRESET,DIRECTORY); the list of variables goes to a log.
configure = echo "==> configure $(2) (preset $(1))" && mkdir -p $(2) && \
            cmake --preset $(1) -B $(2) --log-level=WARNING $(CONFIGURE_FLAGS) \
              >$(2)/configure.log && touch $(2)/build.ninja

.DEFAULT_GOAL := help
.PHONY: help setup build demo check check-fast check-all clean
.NOTPARALLEL:
.SUFFIXES:

help:
	@echo "make demo [MATRIX=path.smtx]  compile a product for the A100 and run it exactly, without a GPU"
	@echo "make check                    build everything and run the tests"
	@echo "make check-fast               the same with a sample of the tests, for the inner loop"
	@echo "make check-all                the same with the long tests and under sanitizers"
	@echo "make build                    build everything into $(BUILD_DIR)"
	@echo "make setup                    install what building needs"
	@echo "make clean                    remove what was built, keep what was installed"
	@echo "Variables: PRESET (CMake preset, now $(PRESET)), BUILD_DIR, MAGICUBE_SKIP_SETUP=1 (install no packages)"

# What the chosen target needs to be installed.
SETUP := build
check check-fast: SETUP := test
check-all: SETUP := test --asan
setup:
	@scripts/setup.sh $(SETUP)

# CMake itself notices later changes of its CMakeLists.txt files.
$(BUILD_DIR)/build.ninja: CMakePresets.json | setup
	@$(call configure,$(PRESET),$(BUILD_DIR))

$(ASAN_BUILD_DIR)/build.ninja: CMakePresets.json | setup
	@$(call configure,asan,$(ASAN_BUILD_DIR))

build: setup $(BUILD_DIR)/build.ninja
	@$(call build,$(BUILD_DIR),all)

demo: setup $(BUILD_DIR)/build.ninja
	@$(call build,$(BUILD_DIR),$(DEMO_TARGETS))
	@scripts/demo.sh

check: setup $(BUILD_DIR)/build.ninja
	@$(call build,$(BUILD_DIR),all magicube-unit-tests)
	@python3 scripts/check.py --build-dir $(BUILD_DIR)

check-fast: setup $(BUILD_DIR)/build.ninja
	@$(call build,$(BUILD_DIR),all magicube-unit-tests)
	@MAGICUBE_TEST_LEVEL=fast python3 scripts/check.py --build-dir $(BUILD_DIR)

check-all: setup $(BUILD_DIR)/build.ninja $(ASAN_BUILD_DIR)/build.ninja
	@$(call build,$(BUILD_DIR),all magicube-unit-tests)
	@$(call build,$(ASAN_BUILD_DIR),magicube-unit-tests)
	@MAGICUBE_TEST_LEVEL=all python3 scripts/check.py \
	  --build-dir $(BUILD_DIR) --asan-build-dir $(ASAN_BUILD_DIR)

clean:
	rm -rf $(BUILD_DIR) $(ASAN_BUILD_DIR) demo-out
