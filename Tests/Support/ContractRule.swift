package import Domain
package import Testing

/// One promise of a port's contract, checked on a fresh implementation.
///
/// A suite runs all rules of its port with `@Test(arguments:)`, so the report names a broken promise.
package struct ContractRule<Subject: Sendable>: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    package let check: @Sendable (Subject) async throws -> Void

    package init(_ promise: String, _ check: @escaping @Sendable (Subject) async throws -> Void) {
        testDescription = promise
        self.check = check
    }
}

/// Expects that an action throws an error with a code.
package func expectFailure<Value>(
    _ code: ServiceError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    of action: () async throws -> Value
) async {
    do {
        _ = try await action()
        Issue.record("The action did not fail.", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? ServiceError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
