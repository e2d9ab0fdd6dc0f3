/// A regular expression of a query: its text, its options, and its compiled form.
package struct Pattern: Sendable, Hashable {
    /// The text as the client sent it, in PCRE's dialect.
    package let text: String
    /// A combination of `i`, `m`, `s`, `x`.
    package let options: String
    private let compiled: any CompiledPattern
    private let path: String

    /// Compiles an expression.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming its defect, or the limit of the engine.
    package init(_ text: String, options: String, path: String, engine: any PatternEngine) throws {
        guard options.allSatisfy({ "imsx".contains($0) }) else {
            throw ServiceError(.malformedJSON, "\(path).$options must consist of 'i', 'm', 's' and 'x'.")
        }
        self.text = text
        self.options = options
        self.path = path
        compiled = try engine.compile(text, options: options, path: path)
    }

    /// Whether the expression matches anywhere in a string.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if it takes more steps than the limit; errors of the budget.
    package func isFound(in subject: String, within budget: QueryBudget? = nil) throws -> Bool {
        try compiled.isFound(in: subject, path: path, within: budget)
    }

    /// Compares text and options, which determine the compiled form.
    package static func == (left: Pattern, right: Pattern) -> Bool {
        left.text == right.text && left.options == right.options
    }

    /// Hashes text and options.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(options)
    }
}

/// Compiles regular expressions; PCRE2 implements it.
package protocol PatternEngine: Sendable {
    /// Compiles an expression; `path` names it in errors.
    ///
    /// Throws ``ServiceError/Code/malformedJSON`` for a malformed expression.
    func compile(_ text: String, options: String, path: String) throws -> any CompiledPattern
}

/// A compiled expression; thread-safe.
package protocol CompiledPattern: Sendable {
    /// The memory of the compiled form in bytes.
    var size: Int { get }

    /// Whether the expression matches anywhere in the string; `path` names it in errors.
    ///
    /// A limit bounds the steps of one call, for all offsets at which a match can begin together; beyond it, the call
    /// throws ``ServiceError/Code/badRequest``. It checks the budget between steps and throws the budget's errors.
    func isFound(in subject: String, path: String, within budget: QueryBudget?) throws -> Bool
}
