/// A regular expression of a query: its text, its options, and the engine that runs it.
package struct Pattern: Sendable, Hashable {
    /// As the client wrote it, PCRE's dialect.
    package let text: String
    /// Any of `i`, `m`, `s`, `x`.
    package let options: String
    private let compiled: any CompiledPattern

    /// Compiles it.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming what is wrong with it.
    package init(_ text: String, options: String, path: String, engine: any PatternEngine) throws {
        guard options.allSatisfy({ "imsx".contains($0) }) else {
            throw ServiceError(.malformedJSON, "\(path).$options must consist of 'i', 'm', 's' and 'x'.")
        }
        self.text = text
        self.options = options
        compiled = try engine.compile(text, options: options, path: path)
    }

    /// Whether it is found anywhere in a string.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` when it takes more steps than it may; what the budget throws.
    package func isFound(in subject: String, within budget: QueryBudget? = nil) throws -> Bool {
        try compiled.isFound(in: subject, within: budget)
    }

    /// By text and options; what is compiled follows from them.
    package static func == (left: Pattern, right: Pattern) -> Bool {
        left.text == right.text && left.options == right.options
    }

    /// By text and options.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(options)
    }
}

/// Compiles regular expressions; PCRE2 implements it.
package protocol PatternEngine: Sendable {
    /// Compiles an expression; `path` names it in errors.
    ///
    /// Throws ``ServiceError/Code/malformedJSON`` for one that is malformed.
    func compile(_ text: String, options: String, path: String) throws -> any CompiledPattern
}

/// An expression that is ready to run, on any thread and on several at once.
package protocol CompiledPattern: Sendable {
    /// Whether it is found anywhere in the string.
    ///
    /// The steps of one call are bounded, from all offsets where a match may begin together; beyond them it throws
    /// ``ServiceError/Code/badRequest``. It checks the budget between steps and throws what that throws.
    func isFound(in subject: String, within budget: QueryBudget?) throws -> Bool
}
