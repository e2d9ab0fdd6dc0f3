internal import Domain
internal import FoundationEssentials
internal import GRDB
internal import Synchronization

/// The SQL functions that call Domain: tests that have no form in SQL, regular expressions, and distances.
///
/// A statement refers to a test by a number, which is registered while the query runs. The first error of a test is
/// stored with it, because SQLite returns only a message.
final class QueryFunctions: Sendable {
    /// A test or filter of a running query.
    private struct Entry {
        let question: Question
        let budget: QueryBudget?
        var failure: (any Error)?
    }

    private enum Question {
        case test(FieldPath, Condition.Test)
        case readable(Subjects)
    }

    private struct Entries {
        var next: Int64 = 0
        var byNumber: [Int64: Entry] = [:]
    }

    private let entries = Mutex(Entries())

    /// Adds the functions to a connection.
    func add(to db: Database) throws {
        db.add(function: test(parsing: LastParsed()))
        db.add(function: body(parsing: LastParsed()))
        db.add(function: found)
        try ReadableFunction.add(to: db, self)
        db.add(function: QueryFunctions.distance)
        db.add(function: QueryFunctions.bytes)
    }

    /// Registers a test and returns its number in statements; ``release(_:)`` it.
    func register(_ test: Condition.Test, at path: FieldPath, within budget: QueryBudget?) -> Int64 {
        register(.test(path, test), budget)
    }

    /// Registers subjects and returns their number for the check of ACLs; ``release(_:)`` it.
    func register(_ subjects: Subjects) -> Int64 {
        register(.readable(subjects), nil)
    }

    /// The subjects that are registered under a number.
    func subjects(_ number: Int64) -> Subjects? {
        guard case .readable(let subjects)? = entries.withLock({ $0.byNumber[number]?.question }) else { return nil }
        return subjects
    }

    private func register(_ question: Question, _ budget: QueryBudget?) -> Int64 {
        entries.withLock { entries in
            entries.next += 1
            entries.byNumber[entries.next] = Entry(question: question, budget: budget)
            return entries.next
        }
    }

    /// Removes tests, and returns the first error that one of them threw.
    func release(_ numbers: [Int64]) -> (any Error)? {
        guard !numbers.isEmpty else { return nil }
        return entries.withLock { entries in
            numbers.compactMap { entries.byNumber.removeValue(forKey: $0)?.failure }.first
        }
    }

    /// `lcfile_test(number, json)`: whether the test holds for a field, given as JSON.
    private func test(parsing last: LastParsed) -> DatabaseFunction {
        DatabaseFunction("lcfile_test", argumentCount: 2, pure: true) { [self] values in
            try run(values) { path, test, text, budget in
                try test.holds(try text.map(last.value(of:)), along: path.inner, within: budget)
            }
        }
    }

    /// `lcfile_body(number, body)`: whether the test holds for its field, given all fields as JSON.
    private func body(parsing last: LastParsed) -> DatabaseFunction {
        DatabaseFunction("lcfile_body", argumentCount: 2, pure: true) { [self] values in
            try run(values) { path, test, text, budget in
                let fields = try text.map(last.value(of:))?.objectValue
                return try test.holds(fields?[path.field], along: path.inner, within: budget)
            }
        }
    }

    /// `lcfile_found(number, text)`: whether a regular expression matches a string.
    private var found: DatabaseFunction {
        DatabaseFunction("lcfile_found", argumentCount: 2, pure: true) { [self] values in
            try run(values) { _, test, text, budget in
                guard case .matches(let pattern) = test, let text else { return false }
                return try pattern.isFound(in: text, within: budget)
            }
        }
    }

    /// `lcfile_distance(latitude, longitude, latitude, longitude)` in radians.
    private static let distance = DatabaseFunction("lcfile_distance", argumentCount: 4, pure: true) { values in
        let degrees = values.compactMap { Double.fromDatabaseValue($0) }
        guard degrees.count == 4 else { return nil }
        return GeoPoint(latitude: degrees[0], longitude: degrees[1])
            .distance(to: GeoPoint(latitude: degrees[2], longitude: degrees[3]))
    }

    /// `lcfile_bytes(json)`: the UTF-8 of a string, given as JSON; NULL for other values.
    private static let bytes = DatabaseFunction("lcfile_bytes", argumentCount: 1, pure: true) { values in
        guard let json = String.fromDatabaseValue(values[0]), json.utf8.first == UInt8(ascii: "\"") else { return nil }
        return try JSONValue(parsing: Array(json.utf8), field: "body").stringValue.map { Data($0.utf8) }
    }

    private func run(
        _ values: [DatabaseValue],
        _ body: (FieldPath, Condition.Test, String?, QueryBudget?) throws -> Bool
    ) throws -> Bool {
        guard let number = Int64.fromDatabaseValue(values[0]), let entry = entries.withLock({ $0.byNumber[number] }),
            case .test(let path, let test) = entry.question
        else { return false }
        do {
            try entry.budget?.check()
            return try body(path, test, String.fromDatabaseValue(values[1]), entry.budget)
        } catch {
            entries.withLock { $0.byNumber[number]?.failure = error }
            throw error
        }
    }
}
