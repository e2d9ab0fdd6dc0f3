import Domain
import Foundation
import Synchronization
import Testing

@testable import Storage

/// Ends a move at a numbered step, as a killed process does.
final class Kill: Sendable {
    struct Killed: Error {}

    private let remaining: Mutex<Int?>

    /// - Parameter steps: The steps before the end; `nil` for a move that is not killed.
    init(after steps: Int?) {
        remaining = Mutex(steps)
    }

    func step() throws {
        try remaining.withLock { remaining in
            guard let count = remaining else { return }
            guard count > 0 else { throw Killed() }
            remaining = count - 1
        }
    }
}

/// Databases whose objects are numbers: a file has a line for each, a schema is in memory.
struct FakeMoves: MoveEngine {
    /// Schemas by their names.
    final class Schemas: Sendable {
        let numbers = Mutex<[String: [Int64]]>([:])
        /// The marks of copies.
        let marks = Mutex<[String: String]>([:])
    }

    let databaseName = "lcfile.sqlite"
    let schemas: Schemas
    let kill: Kill
    /// What the look at every write-ahead log finds.
    var damage: DamagedLog?

    func logDamage(in folder: String) -> DamagedLog? { damage }

    func settle(in folder: String) throws { try kill.step() }

    func readFile<Result>(_ path: String, _ body: (any DumpSource) throws -> Result) throws -> Result {
        try kill.step()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try body(FakeDump(numbers: text.split(separator: "\n").map { try #require(Int64($0)) }))
    }

    func file(_ path: String) -> any DumpTarget {
        FakeTarget(kill: kill, isFilled: access(path, F_OK) == 0) { numbers in
            try "incomplete".write(toFile: path, atomically: false, encoding: .utf8)
            try kill.step()
            let text = numbers.map { "\($0)\n" }.joined()
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        }
    }

    func isFilled(_ schema: String) -> Bool {
        schemas.numbers.withLock { $0[schema] != nil }
    }

    func readSchema<Result>(_ schema: String, _ body: (any DumpSource) throws -> Result) throws -> Result {
        guard let numbers = schemas.numbers.withLock({ $0[schema] }) else { throw OpenFailure(message: "is missing") }
        return try body(FakeDump(numbers: numbers))
    }

    func id(of schema: String) throws -> String {
        try kill.step()
        return schemas.marks.withLock { $0[schema] } ?? "id of \(schema)"
    }

    func schema(_ schema: String, markedAs copy: String?) -> any DumpTarget {
        FakeTarget(kill: kill, isFilled: isFilled(schema)) { numbers in
            schemas.numbers.withLock { $0[schema] = numbers }
            schemas.marks.withLock { $0[schema] = copy }
        }
    }

    func retireSchema(
        _ schema: String,
        as name: String,
        _ body: (any DumpSource) throws -> Void
    ) throws -> OpenFailure? {
        try kill.step()
        try readSchema(schema, body)
        try kill.step()
        schemas.numbers.withLock { numbers in
            numbers[name] = numbers[schema]
            numbers[schema] = nil
        }
        try kill.step()
        return nil
    }
}

/// The objects of the numbers.
struct FakeDump: DumpSource {
    let numbers: [Int64]

    func forEachItem(_ body: (DumpItem) throws -> Void) throws {
        try body(.begin(try ClassName("Task"), schema: Array("{}".utf8)))
        for number in numbers {
            let row = ObjectRow(
                id: try #require(ObjectID("object\(number)")),
                createdAt: Timestamp(milliseconds: number),
                updatedAt: Timestamp(milliseconds: number),
                acl: nil,
                body: Array("{}".utf8)
            )
            try body(.row(number: number, row))
        }
    }
}

/// A target that stores the numbers at the end.
private struct FakeTarget: DumpTarget {
    let kill: Kill
    let isFilled: Bool
    let store: ([Int64]) throws -> Void

    func load(_ source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws {
        guard !isFilled else { throw OpenFailure(message: "has objects") }
        try write(source, check)
    }

    func update(to source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws {
        guard isFilled else { throw OpenFailure(message: "has no objects") }
        try write(source, check)
    }

    private func write(_ source: any DumpSource, _ check: (any DumpSource) throws -> Void) throws {
        var numbers: [Int64] = []
        try source.forEachItem { item in
            if case .row(let number, _) = item { numbers.append(number) }
        }
        try check(FakeDump(numbers: numbers))
        try kill.step()
        try store(numbers)
        try kill.step()
    }
}
