.PHONY: serve build manual model test test-extended quick check swift-packages unit conformance conformance-packages \
  fetched-model test-engines test-buckets soak bench format image release dist deb package-test

# Swift's own libraries are linked in, so that the binary runs where no Swift is installed.
# The binary names the commit; a source archive has none.
COMMIT := $(shell git describe --always --dirty=-modified --abbrev=12 --exclude='*' 2>/dev/null)
RELEASE = LCFILE_COMMIT=$(COMMIT) swift build -c release --product lcfile --static-swift-stdlib
CLASSIFIER = swift build -c release --product lcfile-classifier --static-swift-stdlib

# Builds the server and runs it with the default settings.
serve:
	scripts/bootstrap build
	$(RELEASE)
	exec .build/release/lcfile serve --sample Tests/Support/Images/rocket.jpg

build:
	scripts/bootstrap build
	$(RELEASE)

# The manual pages, in .build/manual.
manual: build
	scripts/manual

# What the server needs to classify images: the model, and the program that computes with OpenCV.
model:
	scripts/bootstrap model
	scripts/fetch-model
	$(CLASSIFIER)

# Everything that CI runs. What is downloaded comes while the processors work.
test:
	$(MAKE) --jobs=2 check swift-packages
	$(MAKE) --jobs=2 unit conformance-packages
	Tests/Conformance/run

check:
	scripts/bootstrap test
	swift format lint --strict --parallel --recursive Sources Tests Benchmarks Package.swift
	scripts/check-imports
	scripts/check-links
	scripts/check-dockerfile

swift-packages:
	swift package resolve

# Debug information doubles what the linker writes, and CI does not debug its test runs. SwiftPM needs an index of Swift
# to find tests; that of other modules, and of 800 files in C++, takes a twentieth of the build.
TESTS = -debug-info-format none -Xswiftc -index-ignore-system-modules -Xswiftc -index-ignore-clang-modules \
  -Xcc -index-store-path -Xcc ""

unit: fetched-model
	LCFILE_WARNINGS=errors swift build --build-tests $(TESTS)
	LCFILE_WARNINGS=errors scripts/unit-tests $(TESTS)

# For the tests of the classifier; downloads it once.
fetched-model:
	scripts/fetch-model

conformance: unit
	Tests/Conformance/run

# Downloads the Python packages of the conformance tests, and imports these tests.
conformance-packages:
	Tests/Conformance/run --set-up

# The end-to-end tests that `test` leaves out: each takes seconds. Before a release, and after a change in their area.
test-extended: unit conformance-packages
	Tests/Conformance/run --extended

# The tests of the interface with the objects of all servers in PostgreSQL, and then through two servers on PostgreSQL and
# an S3 store; scripts of the project start both. ENGINES="Tests/Conformance/objects" selects folders.
test-engines: unit conformance-packages
	Tests/Conformance/engines $(ENGINES)
	Tests/Conformance/engines --servers 2 $(ENGINES)

# The tests of the interface with the blobs of every server in a bucket of SeaweedFS.
test-buckets: unit conformance-packages
	Tests/Conformance/buckets $(BUCKETS)

# Before each commit: the unit tests and the end-to-end tests marked `smoke`, in two minutes after a build.
quick: unit
	Tests/Conformance/run --smoke

# Kills and attacks for hours, and all cases of the tables of which `test` runs a part.
# SOAK="ledger --kills 300" selects scripts of Tests/Soak and limits them.
soak:
	scripts/bootstrap test
	$(RELEASE)
	Tests/Soak/run $(SOAK)

bench: conformance-packages
	scripts/bootstrap bench
	scripts/fetch-model
	$(RELEASE)
	$(CLASSIFIER)
	swift build -c release --product StoreBenchmark --static-swift-stdlib
	swift build -c release --product BareHummingbird --static-swift-stdlib
	Benchmarks/run

format:
	swift format format --in-place --parallel --recursive Sources Tests Benchmarks Package.swift

# Both programs and the manual.
release: model manual

# A tarball of everything that is installed, in .build/dist.
dist: release
	scripts/bootstrap dist
	scripts/dist

# The Debian packages lcfile and lcfile-classifier, in .build/dist.
deb: release
	scripts/bootstrap dist
	scripts/deb

# Installs, upgrades and removes the Debian package in a fresh Debian. As root; not a part of `test`, because it takes
# minutes. PACKAGED="--binary FILE --checkouts FOLDER" tests a binary that was built elsewhere.
package-test:
	scripts/bootstrap package
	Tests/Packaging/run $(PACKAGED)

# The container image; needs a Docker engine.
image:
	docker build --build-arg COMMIT="$(COMMIT)" --build-arg VERSION="$$(scripts/version)" \
	  --build-arg REVISION="$$(git rev-parse HEAD)" -t lcfile .
