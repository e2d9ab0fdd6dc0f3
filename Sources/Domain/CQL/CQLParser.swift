/// Parses CQL, the query language of LeanCloud that resembles SQL (protocol/data 4.7).
///
/// Keywords and names of functions are read in any case, names of classes and fields as they are. No word is reserved:
/// `order` is a keyword where ORDER BY can stand, and the name of a field where a field can stand.
///
///     statement := select | insert | update | delete
///     select    := SELECT column {, column} FROM class [WHERE or] [LIMIT [skip ,] n] [ORDER BY key {, key}]
///                | SELECT column {, column} FROM class [WHERE or] ORDER BY key {, key} LIMIT [skip ,] n
///     column    := * | field | COUNT ( * | objectId ) | INCLUDE field
///     key       := [+ | -] field [ASC | DESC]
///     insert    := INSERT INTO class ( field {, field} ) VALUES row {, row}
///     row       := ( value {, value} )
///     update    := UPDATE class SET field = value {, field = value} WHERE or
///     delete    := DELETE FROM class WHERE or
///     or        := and {OR and}
///     and       := term {AND term}
///     term      := ( or ) | RELATED field TO value | SIZE ( field ) = value | field test
///     test      := (= | != | <> | < | <= | > | >=) value | (= | != | <>) ( select )
///                | [NOT] LIKE value | [NOT] REGEXP value | [NOT] IN (list | ( select )) | ALL list | IS [NOT] EXISTS
///                | NEAR value [MIN value [unit]] [MAX value [unit]] | WITHIN value AND value
///     unit      := KM | MILES | RADIANS
///     list      := ( value {, value} ) | ?
///     value     := [+ | -] number | string | TRUE | FALSE | NULL | ? | array | object | function
///     array     := [ [value {, value}] ]
///     object    := { [name : value {, name : value}] }      name: a word or a string
///     function  := DATE ( value ) | POINTER ( value , value ) | GEOPOINT ( value , value ) | FILE ( value )
///                | BASE64 ( value ) | CURRENT_TIMESTAMP ( ) | OP ( value [, value] )
///
/// The last ASC or DESC applies to all keys without a direction of their own. UPDATE and DELETE need `objectId = id` as
/// a term that no OR contains.
struct CQLParser {
    private let tokens: [CQLToken]
    private var position = 0
    /// The values of the placeholders that have not been read.
    private var values: ArraySlice<JSONValue>
    let now: Timestamp
    private var depth = 0

    /// The maximum nesting of parentheses, arrays, objects and sub-queries in a statement.
    private static let maxDepth = 50

    init(_ text: String, values: [JSONValue], now: Timestamp) throws {
        tokens = try CQLScanner.tokens(of: text)
        self.values = values[...]
        self.now = now
    }

    /// Parses the whole text; throws ``ServiceError/Code/cqlSyntax``.
    mutating func statement() throws -> CQLStatement {
        let statement: CQLStatement
        if take("select") {
            statement = .select(try selection())
        } else if take("insert") {
            statement = try insertion()
        } else if take("update") {
            statement = try update()
        } else if take("delete") {
            statement = try deletion()
        } else {
            throw expected("SELECT, INSERT, UPDATE or DELETE")
        }
        guard current.kind == .end else { throw expected("the end of the statement") }
        return statement
    }

    // MARK: Tokens

    /// The next token; the end stays the next token forever.
    var current: CQLToken { tokens[position] }

    /// The token after the next one.
    func peek(_ distance: Int = 1) -> CQLToken {
        tokens[min(position + distance, tokens.count - 1)]
    }

    mutating func advance() {
        position = min(position + 1, tokens.count - 1)
    }

    /// Takes a keyword if it is next.
    mutating func take(_ keyword: String) -> Bool {
        guard current.isWord(keyword) else { return false }
        advance()
        return true
    }

    /// Takes a symbol if it is next.
    mutating func take(symbol: String) -> Bool {
        guard current.isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func require(_ keyword: String) throws {
        guard take(keyword) else { throw expected(keyword.uppercased()) }
    }

    mutating func require(symbol: String) throws {
        guard take(symbol: symbol) else { throw expected("'\(symbol)'") }
    }

    /// Takes a name.
    mutating func name(of what: String) throws -> String {
        guard case .word(let name) = current.kind else { throw expected(what) }
        advance()
        return name
    }

    func expected(_ what: String) -> ServiceError {
        current.refusal("expected \(what), found \(current.shown)")
    }

    /// The value of the placeholder that was just taken.
    mutating func placeholder(_ token: CQLToken) throws -> JSONValue {
        guard let value = values.popFirst() else { throw token.refusal("no value for this '?' in pvalues") }
        return value
    }

    /// Parses a nested part.
    mutating func nested<Part>(_ parse: (inout CQLParser) throws -> Part) throws -> Part {
        guard depth < CQLParser.maxDepth else {
            throw current.refusal("nested deeper than \(CQLParser.maxDepth), the limit")
        }
        depth += 1
        defer { depth -= 1 }
        return try parse(&self)
    }
}
