internal import Domain

/// An index of a class's table, with the terms that the class's schema gives it.
struct ClassIndex: Hashable, Sendable {
    /// Its name in PostgreSQL.
    let name: String
    /// The name of the class's table.
    let table: String
    /// The fields, as messages name them.
    let fields: String
    let isUnique: Bool
    private let terms: String

    init(_ index: IndexDefinition, of schema: ClassSchema, on table: ClassTable) {
        name = table.name(of: index)
        self.table = table.name
        fields = index.name
        isUnique = index.isUnique
        terms = index.fields.map { KeySQL.indexed($0, in: schema, isUnique: index.isUnique) }.joined(separator: ", ")
    }

    /// The statement that builds it, in a transaction or, concurrently, outside of one.
    func statement(concurrently: Bool = false) -> String {
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(concurrently ? "CONCURRENTLY " : "")\(name) ON \(table) (\(terms))"
    }

    /// Whether PostgreSQL has it and uses it: one whose building ended early is not valid.
    func isValid(_ connection: PostgresConnection) throws -> Bool {
        let result = try connection.run(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(\(name))"
        )
        return result.count > 0 && result.boolean(0, 0)
    }
}

/// Indexes that must be built outside of a transaction before the body that wants them can run.
struct MissingIndexes: Error {
    let indexes: [ClassIndex]
}
