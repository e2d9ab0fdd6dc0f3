package import Testing

/// Waits for a condition without keeping a core busy, and records an issue and throws if it does not become true.
///
/// The bound only ends a run whose condition never becomes true: a test does not measure time, and a machine that runs
/// thousands of tests on two cores can let one wait for minutes.
package func eventually(
    _ what: Comment = "the condition does not become true",
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        try #require(ContinuousClock.now < end, what, sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(2))
    }
}
