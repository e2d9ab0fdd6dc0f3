extension ObjectStore {
    /// Stores the usage of the app's files and uploads in the place of a wrong one.
    package func correctUsage(to usage: Usage) async throws {
        try await write { try $0.save(usage, at: .now()) }
    }
}
