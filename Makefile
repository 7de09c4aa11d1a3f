# Uncial. `make help` lists the targets.
SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

TAG     ?= latest
# The version of the contract, which every release has too.
CONTRACT := $(shell awk '$$1 == "version:" {print $$2; exit}' openapi.yaml)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# The time of the last commit, so that two builds of it are identical.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
# -trimpath keeps the path of the checkout out of compiled code, so that all clones share the build cache.
export GOFLAGS := $(strip $(or $(GOFLAGS),$(shell go env GOFLAGS 2>/dev/null)) -trimpath)
PREFIX  ?= /usr/local
LDFLAGS := -s -w -X uncial/internal/version.Version=$(VERSION)
LISTEN  ?= 127.0.0.1:8080
PAGES   ?= $(or $(UNCIAL_PAGES),impl/ocr/ocrtest/testdata/pages)
TOOL    := go tool -modfile=gen/tools/lint/go.mod
DEPS    := impl/deploy/debian-packages.sh

##@ Use

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: deps build ## Set everything up, start the service on SQLite in .uncial/, read the sample page, stay up until Ctrl-C
	@exec bin/uncial demo --listen $(LISTEN) --data .uncial

.PHONY: mock
mock: bin-mock ## Start the mock on 127.0.0.1:4010
	@exec bin/uncial-mock --listen 127.0.0.1:4010

.PHONY: deps
deps: ## Install the Debian packages that building and running need, or print what is missing
	@$(DEPS) run

.PHONY: build
build: bin-mock ## Build uncial, uncial-worker, uncial-mock and uncial-contract into bin/
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./impl/cmd/uncial $(addprefix ./,$(wildcard contracttests/cmd/uncial-contract))
	CGO_ENABLED=1 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./impl/cmd/uncial-worker

.PHONY: bin-mock
bin-mock:
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./mock/cmd/uncial-mock

##@ Install

.PHONY: install
install: build bin/THIRD_PARTY_NOTICES ## Install programs, unit, settings, manual and completions: make install [DESTDIR=] [PREFIX=/usr/local]
	impl/deploy/install.sh "$(DESTDIR)" "$(PREFIX)"

# Always rebuilt, because it lists modules and libraries of the system, either of which may have changed.
.PHONY: bin/THIRD_PARTY_NOTICES
bin/THIRD_PARTY_NOTICES: build
	@rm -rf bin/native; ! command -v dpkg-query >/dev/null || impl/deploy/release/libraries.sh bin/native ldd bin/uncial-worker
	@go -C gen/tools/release run . notices $(if $(shell command -v dpkg-query),-native '$(CURDIR)/bin/native') '$(CURDIR)/bin/uncial' '$(CURDIR)/bin/uncial-worker' '$(CURDIR)/bin/uncial-mock' '$(CURDIR)/bin/uncial-contract' > $@.new && mv $@.new $@

.PHONY: deb
deb: deps ## Build the Debian package in bin/: make deb [VERSION=1.1.0]
	@$(MAKE) --no-print-directory build bin/THIRD_PARTY_NOTICES VERSION=$(VERSION)
	@impl/deploy/debian/build.sh "$(VERSION)" "$(CONTRACT)" bin

.PHONY: release
release: deps containers ## Build archives, package, bill of materials, licences, checksums and images in bin/release: make release VERSION=1.1.0
	impl/deploy/release/build.sh "$(VERSION)" bin/release
	impl/deploy/release/images.sh "$(VERSION)" bin/release

.PHONY: test-release
test-release: deps containers ## Build the release twice and compare every byte: make test-release [PLATFORMS='linux/amd64 darwin/arm64']
	impl/deploy/release/test.sh "$(CONTRACT)" $(PLATFORMS)

.PHONY: test-arm64
test-arm64: deps containers ## Run the worker for arm64 under qemu, and compare how it reads pages with this machine
	impl/deploy/release/arm64.sh

.PHONY: test-alerts
test-alerts: containers ## Fire every alert rule in promtool
	docker build -q -t uncial-operator - < impl/deploy/test/Dockerfile >/dev/null
	docker run --rm -v '$(CURDIR)/impl/deploy/monitoring:/rules:ro' -w /rules uncial-operator sh -c 'promtool check rules alerts.yaml && promtool test rules alerts_test.yaml'

.PHONY: test-deb
test-deb: containers ## Install, use, upgrade, restore and remove the package in containers, with Prometheus, Caddy and nginx (about 10 minutes)
	impl/deploy/test/deb.sh

##@ Check

# The race detector makes code that computes on one goroutine ten times slower and finds nothing in it: SQLite in Go, hashes of passwords,
# images, compression, regular expressions and PDF, and our own packages for pixels, letters, request bodies and schemas. A test in
# internal/architecture requires that ours start no goroutine. Packages that use sync.Map must not be in this list: the linker may use their copy of
# its code, without the detector, for all packages, which makes the detector report races that do not exist.
COMPUTING := $(addprefix impl/ocr/,correct decode hand imaging layout lexicon neural) internal/request contracttests/internal/images contracttests/internal/xsd
COMPUTES   = modernc.org/... golang.org/x/crypto/... image/... golang.org/x/image/... compress/... hash/adler32 regexp/... encoding/base64 \
	unicode/utf8 github.com/ledongthuc/pdf
RACE       = -race $(foreach p,$(COMPUTES) $(addprefix uncial/,$(COMPUTING)),-gcflags=$(p)=-race=false)

# Tests that run the contract suite, most of them many times. The race detector would make them up to ten times slower and find nothing in
# them that it does not find in TestRun_mock, TestRun_service and TestRun_Service. The first command of `make test` skips them, the second runs them. A
# test in internal/architecture requires that no other package has tests of these names. Vet is left to `make lint`.
SUITE_TESTS := TestCheck_acceptsEveryTruth TestCheck_acceptsLaterServersThanItsContract TestCheck_acceptsShortenedShapes TestCheck_catchesEveryDefect \
	TestCheck_catchesMutants TestCheck_honestServersNeverFail TestCheck_limitsAndUsedUpAccountsAreNoDefects TestCheck_overHTTP2 \
	TestCheck_skipsCasesWithoutTheirNeeds TestCheck_spendsNoMoreThanAllowed TestCheck_staysWithinAnnouncedCosts TestCheck_withAKeysFile \
	TestCheck_writesAnArchive TestDiff_findsDefects TestDiff_findsNothingBetweenTwoMocks TestDiff_mockAgainstService \
	TestDiff_skipsAnAccountThatIsUsedUp TestFixtures_theSuitePasses TestProxy_isTransparent TestReport_WriteJUnit TestReport_failuresCanBeRepeated \
	TestRun_ProductionImages TestRun_mockProgram TestRun_serviceProgram TestRun_serviceWithMovedClock
# Tests in files with the constraint !race. The second command runs them too.
RACELESS_TESTS := TestAccuracy TestCommand_StaysUnder25MB TestOptions_Changed TestPage_UprightAsHandwriting TestRead_cleanText TestRead_curvedLines \
	TestRead_faintCorner TestRead_faintHalf TestRead_faintHandwriting TestRead_faintPageBesideClearOne TestRead_fading TestRead_fadingRejected \
	TestRead_mirroredPrint TestRead_poorPictures TestRead_slantedFaintPage TestRead_slantedPage TestRead_turnFewLines TestRead_turnHandwriting TestRead_turnPrint
RACELESS_PACKAGES := ./impl/ocr/reading ./mock
EMPTY :=
SECOND := ^($(subst $(EMPTY) $(EMPTY),|,$(strip $(SUITE_TESTS) $(RACELESS_TESTS))))$$
# Some tests wait for containers and time limits, so one package more than there are processors is tested at a time. Those that take longest begin first.
PACKAGES_AT_A_TIME := $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
LONGEST := ./contracttests/containers ./contracttests ./impl/ocr/reading ./impl/train ./impl/ledger

.PHONY: test
test: deps-test containers ## Set everything up and run every test, with the race detector where it helps, containers included
	@# The images that tests use (testcontainers/image.go): beside the tests, building them would take too long.
	@$(MAKE) --no-print-directory image TAG=test
	@echo 'go test -race ./... without the tests that repeat the contract suite'
	@UNCIAL_REQUIRE_CONTAINERS=1 go test $(RACE) -p $(PACKAGES_AT_A_TIME) -vet=off -skip '$(SECOND)' -timeout 40m $(LONGEST) ./...
	@echo 'go test of the tests that repeat the contract suite, and of those with the constraint !race'
	@UNCIAL_REQUIRE_CONTAINERS=1 go test -p $(PACKAGES_AT_A_TIME) -vet=off -run '$(SECOND)' -timeout 40m ./contracttests/containers ./contracttests/... $(RACELESS_PACKAGES)
	go test -vet=off -run '_Load$$' ./impl/dashboard

.PHONY: test-accuracy
test-accuracy: deps ## Check that pages are read as well as before: rendered pages, or the folder UNCIAL_PAGES
	go test -vet=off -run '^TestAccuracy$$' -timeout 10m ./impl/ocr/reading

.PHONY: test-flakes
test-flakes: deps ## Run the contract suite with random seeds against mock and service, eight at a time: make test-flakes [RUNS=20] [SEED=1]
	UNCIAL_RUNS=$(or $(RUNS),20) UNCIAL_SEED=$(SEED) go test -count=1 -v -parallel 16 -timeout 60m -run '^TestCheck_honestServersNeverFail$$' ./contracttests

.PHONY: train-check
train-check: deps-test ## Train on 2, 10 and 40 pages of a folder, measure the error in its other pages (an hour or two): make train-check TRAIN_PAGES=dir
	UNCIAL_TRAIN_PAGES=$(abspath $(TRAIN_PAGES)) go test -tags traincheck -count=1 -v -timeout 5h -run '^TestTrainCheck$$' ./impl/train

.PHONY: kernel-check
kernel-check: deps ## Compare what the instruction sets of this processor read in a folder of lines (lines.u8, lines.jsonl): make kernel-check LINES=dir
	UNCIAL_LINES=$(abspath $(LINES)) go test -count=1 -v -timeout 2h -run '^TestRecognizer_ReadsTheSameOnEveryProcessor$$' ./impl/ocr/neural

.PHONY: test-browser
test-browser: deps-browser ## Use the pages in a headless Chromium, check them with axe-core: make test-browser [RUN=^TestBrowser_TryIt] [SCREENSHOTS=dir]
	UNCIAL_BROWSER=1 UNCIAL_SCREENSHOTS=$(abspath $(SCREENSHOTS)) go test -count=1 -timeout 20m -run '$(or $(RUN),^TestBrowser)' ./mock ./impl/app

.PHONY: cluster
cluster: containers ## Install and use the chart on a single-node Kubernetes built from source, on this machine as root (30 to 90 minutes)
	@$(DEPS) cluster
	CGO_ENABLED=0 go -C testcontainers/cluster test -trimpath -count=1 -v -timeout 90m . ./policy

.PHONY: deps-browser
deps-browser: deps-test
	@$(DEPS) browser
	@npm --prefix internal/browsertest ci --silent --no-audit --no-fund

.PHONY: deps-test
deps-test:
	@$(DEPS) test

.PHONY: image
image: build bin/THIRD_PARTY_NOTICES containers ## Build the container images uncial, uncial-engine and uncial-mock: make image [TAG=latest]
	@impl/deploy/image.sh bin "$(VERSION)" "$(TAG)"

.PHONY: image-mock
image-mock: bin-mock containers ## Build the container image uncial-mock alone, without Tesseract: make image-mock [TAG=latest]
	@mkdir -p bin/image-mock && cp bin/uncial-mock bin/image-mock/
	@go -C gen/tools/release run . notices '$(CURDIR)/bin/uncial-mock' >bin/image-mock/THIRD_PARTY_NOTICES
	@impl/deploy/image.sh bin/image-mock "$(VERSION)" "$(TAG)" mock

.PHONY: containers
containers: ## Prepare this machine to run the test containers (as root: install and start Docker)
	@testcontainers/setup.sh

.PHONY: verify
verify: ## Check that generated files and go.mod are up to date; changes nothing
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	mkdir -p "$$fresh/gen/tools"; cp go.mod go.sum openapi.yaml "$$fresh"; cp gen/tools/go.* "$$fresh/gen/tools"; \
	find gen -maxdepth 1 -type f ! -name '*.gen.go' ! -name openapi.yaml -exec cp {} "$$fresh/gen" \;; \
	(cd "$$fresh" && go generate ./gen/); \
	diff -r -x tools -x clients -x released gen "$$fresh/gen" || { echo "gen/ is out of date; run make generate"; exit 1; }
	go mod tidy -diff
	go -C gen/tools mod verify

.PHONY: generate
generate: ## Generate gen/ from openapi.yaml
	go generate ./gen/

.PHONY: lint
lint: lint-contract ## Lint the contract and the code, and check the format; changes nothing
	$(TOOL) golangci-lint run ./...
	cd gen/tools/release && go tool -modfile=../lint/go.mod golangci-lint run ./...
	@test -z "$$($(TOOL) gofumpt -l $$(git ls-files '*.go' ':!*.gen.go'))" || { echo "not formatted; run make format"; exit 1; }

.PHONY: lint-contract
lint-contract: deps-test
	@npm --prefix gen/tools ci --silent --no-audit --no-fund
	@cd gen/tools && npx --no-install redocly lint --config redocly.yaml ../../openapi.yaml

.PHONY: format
format: ## Format the code
	$(TOOL) gofumpt -w $$(git ls-files '*.go' ':!*.gen.go')

.PHONY: vuln
vuln: ## Look for known vulnerabilities (needs the vulnerability database on the network)
	$(TOOL) govulncheck ./...

.PHONY: bench
bench: deps-bench ## Compare speed, processor time and memory with references in the same run, and print the goals: make bench [PART=print] [PAGES=dir]
	UNCIAL_PAGES=$(abspath $(PAGES)) UNCIAL_REQUIRE_CONTAINERS=1 go test -tags bench -count=1 -v -timeout 60m -run '^TestBench$$$(if $(PART),/^$(PART)$$)' ./impl/bench

.PHONY: deps-bench
deps-bench:
	@$(DEPS) bench

.PHONY: bench-packages
bench-packages: deps ## Run the benchmarks of individual packages; most report a ratio to a reference in the same run
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: torture
torture: deps ## Kill workers and services, overload the service, send slowly, read for long, fuzz; prints figures (half an hour, mostly fuzzing)
	go test -tags torture -count=1 -v -p 1 -timeout 10m -run '^TestTorture' ./internal/edge ./impl ./impl/ocr/workerpool
	go test -count=1 -timeout 10m ./internal/fair ./internal/edge ./impl/fetch ./impl/ocr/workerpool ./impl/ocr/remote
	go test -count=1 -v -timeout 10m -run 'Crash|Kill|Textures|^TestFile_.*(Time|Deadline)' ./impl/app ./impl/ledger ./impl/ocr/reading
	$(MAKE) --no-print-directory fuzz

# Before version 1.27, Go may end a run in time with "context deadline exceeded" (https://go.dev/issue/75804), so what fails runs a second
# time. An input that fails is saved, and fails again.
.PHONY: fuzz
fuzz: ## Fuzz every parser of untrusted bytes: make fuzz [FUZZTIME=60s]
	@grep -roH --include=*_test.go '^func Fuzz[A-Za-z_]*' impl internal mock contracttests | while IFS=: read -r file target; do \
	echo "$$(dirname $$file) $${target#func }"; \
	fuzz() { go test -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(or $(FUZZTIME),60s) "./$$(dirname $$file)"; }; \
	fuzz || fuzz || exit 1; done

.PHONY: torture-audit
torture-audit: ## Audit and archive ten million entries on SQLite, with a bound on memory; takes ten minutes or more
	go test -tags torture -count=1 -v -timeout 2h -run '^TestTorture_Audit' ./impl/ledger

.PHONY: accuracy
accuracy: deps ## Measure error rates on rendered pages, or a folder with ground truth: make accuracy [PAGES=dir] [ARGS='--enhance --html FILE']
	go run ./impl/cmd/uncial-accuracy $(ARGS) $(PAGES)

.PHONY: clean
clean: ## Remove what was built; .uncial/ stays
	rm -rf bin
