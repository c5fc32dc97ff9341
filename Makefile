# `make help` lists what there is. Programs come from a cache outside the
# checkout (tools/install); they are found through AUTOSCALING_TOOLS.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

# The folder of the programs. Asked for once, and only by recipes that use it.
TOOLS = $(eval TOOLS := $$(shell cd tools && go run ./install -bin))$(TOOLS)

# with-tools runs one command that finds the programs.
with-tools = AUTOSCALING_TOOLS="$(TOOLS)"

# Commands of ours are built and then exec'd, so that make's own child is the
# program: Ctrl-C and `kill` reach it, and make waits until it has cleaned up.
# $(1) module, $(2) package, $(3) arguments, $(4) environment.
define exec-go
cd $(1) && go build -o "$(CURDIR)/build/$(notdir $(2))" ./$(2) && $(4) exec "$(CURDIR)/build/$(notdir $(2))" $(3)
endef

# One package at a time: each may run a cloud of its own.
GOTEST_RIG = $(with-tools) exec go test -count=1 -timeout 30m -p 1 ./...

##@ Start here

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: tools-run ## Put Karpenter on an existing EKS cluster, in a local AWS, step by step
	@$(call exec-go,tests,demo,up,$(with-tools))

.PHONY: demo-down
demo-down: tools-run ## Destroy what the demo made and stop everything
	@$(call exec-go,tests,demo,down,$(with-tools))

##@ Work on it

.PHONY: test-unit
test-unit: ## Tests that need no program and no cloud: seconds
	go test ./...
	cd tools && go test ./...

.PHONY: test
test: tools-run ## Every test, with the real engine on a local cloud
	@$(MAKE) test-unit
	cd tests/awsprovider && $(GOTEST_RIG)
	cd tests/scheduler && $(GOTEST_RIG)
	cd tests && $(GOTEST_RIG)

.PHONY: golden
golden: ## Rewrite the golden files; review the difference
	UPDATE_GOLDEN=1 go test -count=1 ./...

.PHONY: instance-types
instance-types: tools-run ## Rewrite the catalogue of instance types and prices
	@$(call exec-go,tools,instancetypes,,$(with-tools))

.PHONY: fmt
fmt: tools-lint ## Format the Go and Python sources
	$(TOOLS)/gofumpt -w .
	if [ -d tests/localcloud/aws ]; then $(TOOLS)/venv/bin/ruff format --no-cache --config tools/python/ruff.toml tests/localcloud/aws; fi

.PHONY: lint
lint: tools-lint ## Formatting, linters, vulnerabilities, tidy modules
	@$(with-tools) exec tools/lint.sh

##@ Local cloud

.PHONY: cloud-up
cloud-up: tools-run ## Start a local AWS and Kubernetes and leave it running
	@$(call exec-go,tests,localcloud/cmd/localcloud,up,$(with-tools))

.PHONY: cloud-down
cloud-down: tools-run ## Stop it and remove its files
	@$(call exec-go,tests,localcloud/cmd/localcloud,down,$(with-tools))

.PHONY: cloud-status
cloud-status: tools-run ## Say what runs, where, and where its logs are
	@$(call exec-go,tests,localcloud/cmd/localcloud,status,$(with-tools))

##@ Programs

.PHONY: tools
tools: ## Bring every program at its pinned version into the cache
	@$(call exec-go,tools,install,)

# What other targets need, said only when something is missing.
.PHONY: tools-run tools-lint
tools-run:
	@$(call exec-go,tools,install,-q run)
tools-lint:
	@$(call exec-go,tools,install,-q lint)

.PHONY: tools-prune
tools-prune: ## Remove cached programs that the pins of this checkout do not name
	@$(call exec-go,tools,install,-prune)

.PHONY: clean
clean: ## Remove what was built in the checkout
	rm -rf build
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
	@echo "The cached programs stay: make clean-cache removes them too."

.PHONY: clean-cache
clean-cache: ## Remove every cached program, also those of other checkouts
	@$(call exec-go,tools,install,-drop)
