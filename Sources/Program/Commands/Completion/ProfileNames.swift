internal import ArgumentParser
internal import FoundationEssentials

/// The candidates for the name of a profile.
enum ProfileNames {
    /// Reads the names from the user's file when the shell requests them; none if the file cannot be read.
    static var completion: CompletionKind { .custom(candidates) }

    @Sendable private static func candidates(_ arguments: [String], _ index: Int, _ prefix: String) -> [String] {
        guard let file = try? ProfileFile(in: ProcessInfo.processInfo.environment) else { return [] }
        return file.profiles.keys.sorted()
    }
}
