import Domain
import PCREPatterns
import Support
import Testing

@Suite struct ConditionCheckTests {
    private let objects: ObjectFixture

    init() throws {
        objects = try ObjectFixture()
    }

    private func condition(_ json: String) throws -> Condition {
        var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
        return try parser.parse(try objects.json(json))
    }

    /// More values than are compared inside a transaction.
    private func costly(with number: Int) throws -> Condition {
        let values = ((1000..<2000).map(String.init) + ["\(number)"]).joined(separator: ",")
        return try condition(#"{"n":{"$in":[\#(values)]}}"#)
    }

    private func update(_ object: Pointer, under condition: Condition) throws -> ObjectCommand {
        let change = try ObjectChange(try objects.json(#"{"m":2}"#), allowsPaths: true)
        return ObjectCommand(object.className, .update(object.id, change, where: condition, returnsObject: false))
    }

    @Test("a condition of many values decides a change as a small one does", arguments: [(1, true), (2, false)])
    func costlyConditions(number: Int, holds: Bool) async throws {
        let object = try await objects.create(#"{"n":1}"#)
        let command = try update(object, under: try costly(with: number))
        if holds {
            _ = try await objects.service().perform(command, as: objects.client)
        } else {
            let error = await #expect(throws: ServiceError.self) {
                try await objects.service().perform(command, as: objects.client)
            }
            #expect(error?.code == .noEffect)
        }
        #expect(
            try await objects.store.read { try $0.object(object.id, in: object.className)?.fields["m"] }
                == (holds ? .integer(2) : nil)
        )
    }

    @Test("an object that changes between its check and its change is checked again")
    func changesBetween() async throws {
        let object = try await objects.create(#"{"n":1}"#)
        let command = try update(object, under: try costly(with: 1))
        // The first read after this is that of the check; what it saw is not true any more when the change comes.
        objects.store.afterNextRead {
            _ = try? await objects.update(object, #"{"n":5}"#)
        }
        let error = await #expect(throws: ServiceError.self) {
            try await objects.service().perform(command, as: objects.client)
        }
        #expect(error?.code == .noEffect)
    }

    @Test("in a batch, changes before and after a costly condition happen in order")
    func batches() async throws {
        let object = try await objects.create(#"{"n":1}"#)
        let set = { (text: String) in
            let change = try ObjectChange(try objects.json(text), allowsPaths: true)
            return ObjectCommand(object.className, .update(object.id, change, where: nil, returnsObject: false))
        }
        let commands = [try set(#"{"n":7}"#), try update(object, under: try costly(with: 7)), try set(#"{"k":3}"#)]
        var batch = ObjectBatch()
        let replies = try await objects.service()
            .perform(commands.map { .success($0) }, in: &batch, as: objects.client)
        for reply in replies { _ = try reply.get() }
        let fields = try await objects.store.read { try $0.object(object.id, in: object.className)?.fields }
        #expect(fields == ["n": .integer(7), "m": .integer(2), "k": .integer(3)])
    }

    @Test("batch/save refuses a costly condition on an object that the same request changes before")
    func saves() async throws {
        let object = try await objects.create(#"{"n":1}"#)
        func item(_ body: String, _ condition: Condition?) throws -> SaveItem {
            try SaveItem(
                className: object.className,
                id: object.id,
                creates: false,
                body: try objects.json(body),
                where: condition,
                returnsObject: false
            )
        }
        let items = [try item(#"{"n":9}"#, nil), try item(#"{"m":2}"#, try costly(with: 9))]
        let error = await #expect(throws: ServiceError.self) {
            try await objects.service().save(items, as: objects.client)
        }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasSuffix("Send this item in a request of its own.") == true)
        #expect(
            try await objects.store.read { try $0.object(object.id, in: object.className)?.fields["n"] } == .integer(1)
        )
    }

    @Test("batch/save refuses a costly condition on an object that the same request creates")
    func savesOfNewObjects() async throws {
        func item(_ body: String, creates: Bool, _ condition: Condition?) throws -> SaveItem {
            try SaveItem(
                className: objects.task,
                id: nil,
                creates: creates,
                body: try objects.json(body),
                where: condition,
                returnsObject: false
            )
        }
        let items = [
            try item(#"{"__internalId":"new","n":1}"#, creates: true, nil),
            try item(#"{"__internalId":"new","m":2}"#, creates: false, try costly(with: 1)),
        ]
        let error = await #expect(throws: ServiceError.self) {
            try await objects.service().save(items, as: objects.client)
        }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasSuffix("Send this item in a request of its own.") == true)
    }

    /// A condition that holds for each object, with a value of 3 MB from a sub-query.
    private func large(_ name: String) async throws -> Condition {
        let parts = Array(repeating: #"{"n":1}"#, count: 10_000).joined(separator: ",")
        try await objects.create(#"{"a":["\#(name)",\#(parts)]}"#, in: ClassName(name))
        return try condition(#"{"x":{"$dontSelect":{"query":{"className":"\#(name)","where":{}},"key":"a"}}}"#)
    }

    @Test("batch/save counts the values from the sub-queries of all its conditions, because it keeps them together")
    func memoryOfConditions() async throws {
        var items: [SaveItem] = []
        for name in ["A", "B", "C", "D"] {
            let object = try await objects.create(#"{"n":1}"#)
            let item = try SaveItem(
                className: object.className,
                id: object.id,
                creates: false,
                body: try objects.json(#"{"n":2}"#),
                where: try await large(name),
                returnsObject: false
            )
            items.append(item)
        }
        let (few, all) = (Array(items.prefix(2)), items)
        let error = await #expect(throws: ServiceError.self) {
            try await objects.service().save(all, as: objects.client)
        }
        #expect(error?.code == .malformedJSON)
        #expect(try await objects.find().allSatisfy { $0.objectValue?["n"] == .integer(1) })
        _ = try await objects.service().save(few, as: objects.client)
        #expect(try await objects.find().count { $0.objectValue?["n"] == .integer(2) } == 2)
    }

    @Test("a batch keeps the values from sub-queries of one change at a time, and does not count them together")
    func memoryInBatches() async throws {
        let object = try await objects.create(#"{"n":1}"#)
        var commands: [Result<ObjectCommand, any Error>] = []
        for name in ["A", "B", "C", "D"] {
            commands.append(.success(try update(object, under: try await large(name))))
        }
        var batch = ObjectBatch()
        let replies = try await objects.service().perform(commands, in: &batch, as: objects.client)
        #expect(replies.count == 4)
        for reply in replies { _ = try reply.get() }
    }

    @Test("a change with far more than an object may hold is refused before its transaction")
    func largeChanges() async throws {
        let limits = ObjectLimits(objectSize: 100)
        let object = try await objects.create(#"{"a":[]}"#)
        let list = String(repeating: #""xxxxxxxxxx","#, count: 6000) + "1"
        let change = try ObjectChange(
            try objects.json(#"{"a":{"__op":"Remove","objects":[\#(list)]}}"#),
            allowsPaths: true
        )
        let command = ObjectCommand(object.className, .update(object.id, change, where: nil, returnsObject: false))
        let error = await #expect(throws: ServiceError.self) {
            try await objects.service(limits).perform(command, as: objects.client)
        }
        #expect(error?.code == .objectTooLarge)
    }
}
