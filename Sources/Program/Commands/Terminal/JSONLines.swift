internal import FoundationEssentials

/// Values as JSON, one on each line.
enum JSONLines {
    /// Prints a line for each value; throws if standard output cannot be written.
    static func print(_ values: [some Encodable]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for value in values { Terminal.printLine(String(decoding: try encoder.encode(value), as: UTF8.self)) }
        try ResultOutput.standard.requireWritten()
    }
}
