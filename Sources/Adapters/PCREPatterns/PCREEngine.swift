internal import CPCRE
package import Domain

/// Regular expressions by PCRE2, the dialect that the SDKs write (protocol/data 4.1).
///
/// Matching is interpreted, not compiled to machine code, because only then do steps and memory have exact bounds.
package struct PCREEngine: PatternEngine {
    private let limits: PCRELimits

    /// - Parameter limits: What one match may cost.
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
        return try PCREPattern(adopting: pattern, limits: limits, path: path)
    }

    /// PCRE2's own text for an error: a phrase such as "missing closing parenthesis".
    private static func message(_ code: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let length = pcre2_get_error_message_8(code, &buffer, buffer.count)
        return length > 0 ? String(decoding: buffer.prefix(Int(length)), as: UTF8.self) : "unknown error"
    }
}

/// What one match of one expression with one string may cost.
package struct PCRELimits: Sendable {
    /// How often the matcher may backtrack from one starting offset: some milliseconds.
    package var steps: UInt32
    /// How many items of the expression it may try from all starting offsets together.
    package var totalSteps: Int
    /// In KiB.
    package var memory: UInt32

    /// The defaults are beyond what honest expressions need.
    package init(steps: UInt32 = 200_000, totalSteps: Int = 2_000_000, memory: UInt32 = 4096) {
        self.steps = steps
        self.totalSteps = totalSteps
        self.memory = memory
    }
}
