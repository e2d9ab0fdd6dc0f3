/// One token of a CQL statement, with its position for error messages.
struct CQLToken: Sendable {
    /// The kind of the token and its content.
    let kind: Kind
    /// The line, from 1.
    let line: Int
    /// The column, from 1, counted in Unicode scalars.
    let column: Int

    enum Kind: Sendable, Hashable {
        /// A keyword, or a name: of a class, a function, a member, or a field with its path.
        case word(String)
        /// A string without its quotes, decoded.
        case string(String)
        /// A number without a sign.
        case number(String)
        /// An operator or a mark.
        case symbol(String)
        case end
    }

    /// Whether the token is this keyword, in any case.
    func isWord(_ keyword: String) -> Bool {
        guard case .word(let word) = kind, word.utf8.count == keyword.utf8.count else { return false }
        return word.lowercased() == keyword
    }

    func isSymbol(_ symbol: String) -> Bool {
        kind == .symbol(symbol)
    }

    /// The token as error messages show it; long ones are cut.
    var shown: String {
        switch kind {
        case .word(let text), .number(let text), .symbol(let text): "'\(text.prefix(32))'"
        case .string(let text): "the string '\(text.prefix(32))'"
        case .end: "the end of the statement"
        }
    }

    /// The error that the statement is wrong at this token.
    func refusal(_ what: String) -> ServiceError {
        CQLToken.refusal(line: line, column: column, what)
    }

    /// The error for a position, in LeanCloud's form (protocol/data 4.7).
    static func refusal(line: Int, column: Int, _ what: String) -> ServiceError {
        ServiceError(
            .cqlSyntax,
            "CQL syntax error.Detail: Parse error at line \(line), column \(column): \(what)."
        )
    }
}
