import Domain
import Support
import Testing

/// The id and the times that the master key gives a new object.
@Suite struct SystemFieldsTests {
    private let objects: ObjectFixture

    init() throws {
        objects = try ObjectFixture()
    }

    private func members(of object: Pointer) async throws -> [String: JSONValue] {
        let command = ObjectCommand(object.className, .get(object.id))
        return try await objects.service().perform(command, as: objects.master).members
    }

    @Test(
        "each member that the master key gives is stored, and the others are generated",
        arguments: [
            (#"{"objectId":"a1"}"#, ["objectId": "a1"]),
            (
                #"{"createdAt":"2020-01-02T03:04:05.678Z"}"#,
                ["createdAt": "2020-01-02T03:04:05.678Z", "updatedAt": "2020-01-02T03:04:05.678Z"]
            ),
            (#"{"updatedAt":"2020-01-02T03:04:05Z"}"#, ["updatedAt": "2020-01-02T03:04:05.000Z"]),
            (
                #"{"createdAt":{"__type":"Date","iso":"2020-01-02T03:04:05.678Z"},"updatedAt":"2021-01-01T00:00:00Z"}"#,
                ["createdAt": "2020-01-02T03:04:05.678Z", "updatedAt": "2021-01-01T00:00:00.000Z"]
            ),
        ]
    )
    func stored(body: String, expected: [String: String]) async throws {
        let object = try await objects.create(body, as: objects.master)
        let members = try await members(of: object)
        for (name, value) in expected { #expect(members[name] == .string(value), "\(name)") }
        #expect(Set(members.keys) == ["objectId", "createdAt", "updatedAt"])
    }

    @Test(
        "a client cannot give a system field, regardless of its value",
        arguments: ["objectId", "createdAt", "updatedAt"],
        [#""a1""#, #""2020-01-02T03:04:05.678Z""#, "null", "1"]
    )
    func refusedToClients(name: String, value: String) async throws {
        let error = await #expect(throws: ServiceError.self) { try await objects.create(#"{"\#(name)":\#(value)}"#) }
        #expect(error?.code == .invalidKey)
    }

    @Test(
        "an invalid value is refused by the name of its member",
        arguments: [
            #"{"objectId":""}"#, #"{"objectId":"a b"}"#, #"{"objectId":1}"#, #"{"objectId":null}"#,
            #"{"createdAt":"yesterday"}"#, #"{"createdAt":1}"#, #"{"updatedAt":null}"#,
            #"{"updatedAt":{"__type":"Date","iso":"2020-13-01T00:00:00Z"}}"#,
        ]
    )
    func invalid(body: String) async throws {
        let error = await #expect(throws: ServiceError.self) { try await objects.create(body, as: objects.master) }
        #expect(error?.code == .badRequest)
        let name = String(body.dropFirst(2).prefix { $0 != "\"" })
        #expect(error?.message.hasPrefix(name) == true)
    }

    @Test("an id that exists is refused, and its object stays as it is")
    func taken() async throws {
        let object = try await objects.create(#"{"objectId":"a1","n":1}"#, as: objects.master)
        let error = await #expect(throws: ServiceError.self) {
            try await objects.create(#"{"objectId":"a1","n":2}"#, as: objects.master)
        }
        #expect(error?.code == .duplicateValue)
        #expect(try await members(of: object)["n"] == .integer(1))
    }

    @Test(
        "a change of an object cannot give its id or its creation, even with the master key",
        arguments: ["objectId", "createdAt"]
    )
    func notInChanges(name: String) throws {
        let body = try objects.json(#"{"\#(name)":"2020-01-02T03:04:05.678Z"}"#)
        let error = #expect(throws: ServiceError.self) { try ObjectChange(body, allowsPaths: true) }
        #expect(error?.code == .invalidKey)
    }

    private func update(_ object: Pointer, _ body: String, as caller: Caller) async throws -> [String: JSONValue] {
        let change = try ObjectChange(try objects.json(body), allowsPaths: true)
        let command = ObjectCommand(object.className, .update(object.id, change, where: nil, returnsObject: false))
        return try await objects.service().perform(command, as: caller).members
    }

    @Test(
        "a change has the time that the master key gives",
        arguments: [#""2020-01-02T03:04:05.678Z""#, #"{"__type":"Date","iso":"2020-01-02T03:04:05.678Z"}"#]
    )
    func changeTime(value: String) async throws {
        let object = try await objects.create(#"{"n":1}"#)
        let reply = try await update(object, #"{"n":2,"updatedAt":\#(value)}"#, as: objects.master)
        #expect(reply["updatedAt"] == "2020-01-02T03:04:05.678Z")
        let members = try await members(of: object)
        #expect(members["updatedAt"] == "2020-01-02T03:04:05.678Z" && members["n"] == .integer(2))
    }

    @Test("a client cannot give the time of a change, and an invalid time is refused by its name")
    func refusedChangeTime() async throws {
        let object = try await objects.create(#"{"n":1}"#)
        for (body, caller, code) in [
            (#"{"n":2,"updatedAt":"2020-01-02T03:04:05.678Z"}"#, objects.client, ServiceError.Code.invalidKey),
            (#"{"n":2,"updatedAt":null}"#, objects.master, .badRequest),
        ] {
            let error = await #expect(throws: ServiceError.self) { try await update(object, body, as: caller) }
            #expect(error?.code == code && error?.message.contains("updatedAt") == true)
        }
        #expect(try await members(of: object)["n"] == .integer(1))
    }
}
