internal import Domain
internal import Glibc

/// Measures the services over SQLite against the same SQL through GRDB alone, in one process; docs/benchmarks.md says
/// what the figures mean, and `Benchmarks/run objects` runs it.
///
///     StoreBenchmark measure <database> <rows> [<rows> ...]   fills a new database in steps, then reads
///     StoreBenchmark creates <database> <seconds> [<note>]    creates objects in such a database
///     StoreBenchmark postgres <address> <rows>                a store on PostgreSQL beside one statement of libpq
///     StoreBenchmark statements                               reads statements of CQL; `Benchmarks/run cql` runs it
@main
struct StoreBenchmark {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("StoreBenchmark: \(error)")
            exit(1)
        }
    }

    /// On the cooperative pool, where the server's requests run, and not on the main thread.
    @concurrent
    private static func run(_ words: [String]) async throws {
        if words == ["statements"] { return try StatementReading.measure() }
        if words.count == 3, words[0] == "postgres", let rows = Int(words[2]), rows > 0 {
            return try await PostgresReading(url: words[1]).measure(rows: rows)
        }
        guard words.count >= 3, let first = Int(words[2]), first > 0 else { throw Failure("see the source for usage") }
        let subject = try Subject(path: words[1])
        switch words[0] {
        case "measure":
            try await measure(subject, steps: words.dropFirst(2).compactMap { Int($0) }.sorted())
        case "creates":
            try await create(in: subject, seconds: Double(first), note: words.dropFirst(3).joined(separator: " "))
        default:
            throw Failure("there is no '\(words[0])'")
        }
        try subject.close()
        if words[0] == "measure" { try await measureCached(path: words[1]) }
    }

    private static func measure(_ subject: Subject, steps: [Int]) async throws {
        let total = steps.last ?? 0
        try await subject.makeClasses()
        let tables = try subject.tables()
        var rows = RowMaker(owner: subject.owner, ranks: Int64(max(1, total / 1000)))
        try subject.sql.insert(10_000, into: tables.owner) { rows.ownerObject() }
        rows.owners = try subject.sql.ids(of: tables.owner)

        // A get must cost the same however large the class is.
        var filled = 0
        for step in steps {
            try subject.sql.insert(step - filled, into: tables.item) { rows.itemObject() }
            filled = step
            try await subject.get(tables, note: ", \(step) objects").timed().report()
        }
        try subject.sql.insert(total, into: tables.file) { try rows.fileObject() }

        let inProcessOnly = try [subject.file(tables), subject.findMany(tables)]
        let overHTTP = try [
            subject.get(tables), subject.findOne(tables), subject.newest(tables), subject.count(tables),
        ]
        for measure in inProcessOnly + overHTTP { try await measure.timed().report() }
        for measure in overHTTP { try await measure.rates(tasks: 16).report() }
    }

    /// Gets of objects that are in the row cache after the first round.
    private static func measureCached(path: String) async throws {
        let subject = try Subject(path: path, rowCache: 64 << 20)
        let get = try subject.get(try subject.tables(), of: 1000, note: ", cached")
        try await get.timed().report()
        try await get.rates(tasks: 16).report()
        try subject.close()
    }

    private static func create(in subject: Subject, seconds: Double, note: String) async throws {
        let tables = try subject.tables()
        var rows = RowMaker(owner: subject.owner, ranks: 1000)
        rows.owners = try subject.sql.ids(of: tables.owner)
        let changes = try (0..<1000).map { _ in
            try ObjectChange(.object(rows.itemFields()), allowsPaths: false)
        }
        let create: Side = { call in
            let command = ObjectCommand(subject.item, .create(changes[call % changes.count], returnsObject: false))
            return try await subject.objects.perform(command, as: subject.caller).created == nil ? 0 : 1
        }
        var one: [Double] = []
        var many: [Double] = []
        for _ in 0..<Measure.rounds {
            one.append(try await rate(of: create, tasks: 1, seconds: seconds))
            many.append(try await rate(of: create, tasks: 64, seconds: seconds))
        }
        Comparison(
            name: "creates, 64 at once\(note.isEmpty ? "" : ", \(note)")",
            unit: "/s",
            mine: many.median,
            other: one.median,
            otherName: "one at a time"
        ).report()
    }
}

/// Why there are no figures.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
