import Testing

@testable import Domain

@Suite struct AdmissionTests {
    @Test("jobs beyond the limit are refused at once, and the place is free again afterwards")
    func limit() async throws {
        let admission = Admission(limit: 1, refusal: "Too many.")
        try await admission.run {
            let error = await #expect(throws: ServiceError.self) { try await admission.run {} }
            #expect(error?.code == .overloaded)
        }
        await #expect(throws: CancellationError.self) { try await admission.run { throw CancellationError() } }
        try await admission.run {}
    }
}
