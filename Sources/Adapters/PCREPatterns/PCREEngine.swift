internal import CPCRE
package import Domain

/// Regular expressions by PCRE2, the dialect that the SDKs use (protocol/data 4.1).
///
/// The matcher interprets expressions and does not compile them to machine code, because only then are steps and memory
/// bounded exactly.
package struct PCREEngine: PatternEngine {
    private let limits: PCRELimits

    /// - Parameter limits: The limits for each match.
    package init(limits: PCRELimits = PCRELimits()) {
        self.limits = limits
    }

    package func compile(_ text: String, options: String, path: String) throws -> any CompiledPattern {
        var flags = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT
        if options.contains("i") { flags |= PCRE2_CASELESS }
        if options.contains("m") { flags |= PCRE2_MULTILINE }
        if options.contains("s") { flags |= PCRE2_DOTALL }
        if options.contains("x") { flags |= PCRE2_EXTENDED }
        var code: CInt = 0
        var offset = 0
        let bytes = Array(text.utf8)
        guard let pattern = pcre2_compile_8(bytes, bytes.count, flags, &code, &offset, nil) else {
            throw ServiceError(
                .malformedJSON,
                "\(path) is not a regular expression: \(PCREEngine.message(code)) at byte \(offset)."
            )
        }
        return try PCREPattern(adopting: pattern, limits: limits)
    }

    /// PCRE2's message for an error code: a phrase such as "missing closing parenthesis".
    private static func message(_ code: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let length = pcre2_get_error_message_8(code, &buffer, buffer.count)
        return length > 0 ? String(decoding: buffer.prefix(Int(length)), as: UTF8.self) : "unknown error"
    }
}

/// The limits for one match of one expression with one string.
package struct PCRELimits: Sendable {
    /// The maximum backtracking steps from one starting offset; the default takes some milliseconds.
    package var steps: UInt32
    /// The maximum number of items of the expression to try, from all starting offsets together.
    package var totalSteps: Int
    /// The maximum heap memory in KiB.
    package var memory: UInt32

    /// Creates the limits; ordinary expressions stay far below the defaults.
    package init(steps: UInt32 = 200_000, totalSteps: Int = 2_000_000, memory: UInt32 = 4096) {
        self.steps = steps
        self.totalSteps = totalSteps
        self.memory = memory
    }
}
