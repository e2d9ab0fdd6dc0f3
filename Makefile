.PHONY: serve build test quick check unit conformance soak bench format image

# Swift's own libraries are linked in, so that the binary runs where no Swift is installed.
RELEASE = swift build -c release --product lcfile --static-swift-stdlib

# Builds what is missing and runs the server on its defaults.
serve:
	scripts/bootstrap build
	$(RELEASE)
	exec .build/release/lcfile serve --sample Tests/Support/Images/rocket.jpg

build:
	scripts/bootstrap build
	$(RELEASE)

# Everything that CI runs.
test: check unit conformance

check:
	scripts/bootstrap test
	swift format lint --strict --parallel --recursive Sources Tests Benchmarks Package.swift
	scripts/check-imports

# Debug information doubles what the linker writes, and a test run of CI is not debugged. SwiftPM finds tests by the
# index; what it says of other modules is left out.
TESTS = -debug-info-format none -Xswiftc -index-ignore-system-modules -Xswiftc -index-ignore-clang-modules

unit:
	LCFILE_WARNINGS=errors swift build --build-tests $(TESTS)
	LCFILE_WARNINGS=errors swift test --skip-build $(TESTS)

conformance: unit
	Tests/Conformance/run

# Before each commit: two minutes after a build. The unit tests, and end to end the few that are marked `smoke`.
quick: unit
	Tests/Conformance/run --smoke

# Hours of what `test` does for minutes: kills, attacks, and all cases of the tables of which `test` runs some.
# SOAK="ledger --kills 300" names scripts of Tests/Soak and bounds them.
soak:
	scripts/bootstrap test
	$(RELEASE)
	Tests/Soak/run $(SOAK)

bench:
	scripts/bootstrap bench
	$(RELEASE)
	swift build -c release --product StoreBenchmark --static-swift-stdlib
	Benchmarks/run

format:
	swift format format --in-place --parallel --recursive Sources Tests Benchmarks Package.swift

# The container image; needs a Docker engine.
image:
	docker build -t lcfile .
