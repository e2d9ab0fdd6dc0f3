import Domain
import Support
import Testing

/// Objects above the limit of clients, which only the master key creates.
@Suite struct LargeObjectTests {
    private let objects: ObjectFixture
    private let limits = ObjectLimits(objectSize: 18, masterObjectSize: 28)

    init() throws {
        objects = try ObjectFixture()
    }

    /// An object of a size in bytes: 8 bytes more than its string.
    private func body(_ size: Int) -> String { #"{"a":"\#(String(repeating: "x", count: size - 8))"}"# }

    private func update(_ object: Pointer, _ body: String, as caller: Caller) async throws {
        let change = try ObjectChange(try objects.json(body), allowsPaths: true)
        let command = ObjectCommand(object.className, .update(object.id, change, where: nil, returnsObject: false))
        _ = try await objects.service(limits).perform(command, as: caller)
    }

    private func expectTooLarge(_ setting: String, _ body: () async throws -> Void) async {
        let error = await #expect(throws: ServiceError.self) { try await body() }
        #expect(error?.code == .objectTooLarge && error?.message.contains("(\(setting))") == true)
    }

    @Test("each caller has its own limit, and the error names its setting")
    func create() async throws {
        try await objects.create(body(18), limits: limits)
        try await objects.create(body(28), limits: limits, as: objects.master)
        await expectTooLarge("objects.maxSize") { try await objects.create(body(19), limits: limits) }
        await expectTooLarge("objects.maxMasterSize") {
            try await objects.create(body(29), limits: limits, as: objects.master)
        }
    }

    @Test("a client can change a larger object as long as it does not grow")
    func change() async throws {
        let object = try await objects.create(body(25), limits: limits, as: objects.master)
        try await update(object, body(25), as: objects.client)
        await expectTooLarge("objects.maxSize") { try await update(object, body(26), as: objects.client) }
        try await update(object, body(20), as: objects.client)
        await expectTooLarge("objects.maxSize") { try await update(object, body(21), as: objects.client) }
        try await update(object, body(28), as: objects.master)
    }

    @Test("the master key's limit is never below that of clients")
    func smallerMasterLimit() async throws {
        let limits = ObjectLimits(objectSize: 18, masterObjectSize: 10)
        try await objects.create(body(18), limits: limits, as: objects.master)
        await expectTooLarge("objects.maxSize") {
            try await objects.create(body(19), limits: limits, as: objects.master)
        }
    }
}
