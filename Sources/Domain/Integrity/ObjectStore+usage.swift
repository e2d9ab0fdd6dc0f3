extension ObjectStore {
    /// Stores the usage of the app's files and uploads in the place of a wrong or damaged one.
    package func correctUsage(to usage: Usage) async throws {
        try await write { try $0.replaceUsage(with: usage, at: .now()) }
    }
}
