import Support
import Testing

@testable import Domain

@Suite struct LiveQueryParsingTests {
    private let fixture: LiveFixture

    init() throws {
        fixture = try LiveFixture(LiveQueryLimits(conditionSize: 200))
    }

    private func subscribe(_ body: String, as caller: Caller? = nil) async throws -> LiveQueryID {
        let members = try #require(try fixture.users.json(body).objectValue)
        return try await fixture.live.subscribe(members, as: caller ?? fixture.guest)
    }

    @Test(
        "the same query has the same id in the forms of all SDKs",
        arguments: [
            #"{"id":"i","query":{"className":"Task","where":{"a":1,"b":{"$gt":2}}}}"#,
            #"{"id":"i","query":{"className":"Task","where":{"b":{"$gt":2},"a":1},"returnACL":false,"keys":"a"}}"#,
            #"{"id":"i","query":{"className":"Task","where":"{\"b\":{\"$gt\":2}, \"a\":1}","limit":"10","skip":"0"}}"#,
            #"{"id":"i","clientTimestamp":5,"sessionToken":"x","query":{"className":"Task","where":"{\"a\":1,\"b\":{\"$gt\":2}}","order":"-a","include":"b"}}"#,
        ]
    )
    func sameID(body: String) async throws {
        let id = try await subscribe(#"{"id":"i","query":{"className":"Task","where":{"a":1,"b":{"$gt":2}}}}"#)
        #expect(try await subscribe(body) == id)
        #expect(fixture.live.status.subscriptions == 1)
        #expect(id.description.count == 32)
    }

    @Test(
        "a missing condition is null, empty text and the empty object",
        arguments: [#""where":null,"#, #""where":"","#, #""where":"{}","#, #""where":"null","#, #""where":{},"#]
    )
    func emptyCondition(part: String) async throws {
        let id = try await subscribe(#"{"id":"i","query":{"className":"Task"}}"#)
        #expect(try await subscribe(#"{"id":"i","query":{\#(part)"className":"Task"}}"#) == id)
    }

    @Test(
        "another installation, class, condition or view has another id",
        arguments: [
            #"{"id":"j","query":{"className":"Task","where":{"a":1}}}"#,
            #"{"id":"i","query":{"className":"Other","where":{"a":1}}}"#,
            #"{"id":"i","query":{"className":"Task","where":{"a":2}}}"#,
            #"{"id":"i","query":{"className":"Task","where":{"a":1},"returnACL":true}}"#,
        ]
    )
    func otherID(body: String) async throws {
        let id = try await subscribe(#"{"id":"i","query":{"className":"Task","where":{"a":1}}}"#)
        #expect(try await subscribe(body) != id)
        #expect(fixture.live.status.subscriptions == 2)
    }

    @Test(
        "a body that is not a live query is refused, and the message names the field",
        arguments: [
            (#"{"query":{"className":"Task"}}"#, .badRequest, "id"),
            (#"{"id":"","query":{"className":"Task"}}"#, .badRequest, "id"),
            (#"{"id":7,"query":{"className":"Task"}}"#, .badRequest, "id"),
            (#"{"id":"a\u0001","query":{"className":"Task"}}"#, .badRequest, "id"),
            (#"{"id":"i"}"#, .badRequest, "query"),
            (#"{"id":"i","query":[]}"#, .badRequest, "query"),
            (#"{"id":"i","query":{}}"#, .invalidClassName, "className"),
            (#"{"id":"i","query":{"className":"9"}}"#, .invalidClassName, "9"),
            (#"{"id":"i","query":{"className":"_Identity"}}"#, .objectNotFound, "Class"),
            (#"{"id":"i","query":{"className":"Task","where":7}}"#, .malformedJSON, "where"),
            (#"{"id":"i","query":{"className":"Task","where":[]}}"#, .malformedJSON, "where"),
            (#"{"id":"i","query":{"className":"Task","where":"{"}}"#, .malformedJSON, "where"),
            (#"{"id":"i","query":{"className":"Task","where":"[]"}}"#, .malformedJSON, "where"),
            (#"{"id":"i","query":{"className":"Task","where":{"a":{"$what":1}}}}"#, .malformedJSON, "$what"),
            (#"{"id":"i","query":{"className":"Task","returnACL":"maybe"}}"#, .badRequest, "returnACL"),
            (
                #"{"id":"i","query":{"className":"Task","where":{"a":{"$inQuery":{"className":"B","where":{}}}}}}"#,
                .badRequest, "$inQuery"
            ),
            (
                #"{"id":"i","query":{"className":"Task","where":{"$or":[{"a":{"$notInQuery":{"className":"B"}}}]}}}"#,
                .badRequest, "$notInQuery"
            ),
            (
                #"{"id":"i","query":{"className":"T","where":{"a":{"$select":{"query":{"className":"B"},"key":"k"}}}}}"#,
                .badRequest, "$select"
            ),
            (
                #"{"id":"i","query":{"className":"T","where":{"$or":[{"a":1},{"$relatedTo":{"object":{"__type":"Pointer","className":"B","objectId":"b"},"key":"k"}}]}}}"#,
                .badRequest, "$relatedTo"
            ),
        ] as [(String, ServiceError.Code, String)]
    )
    func refusals(body: String, code: ServiceError.Code, word: String) async throws {
        let error = await #expect(throws: ServiceError.self) { _ = try await subscribe(body) }
        #expect(error?.code == code)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        #expect(fixture.live.status.subscriptions == 0)
    }

    @Test("a condition beyond its size and an id beyond its length are refused", arguments: [false, true])
    func sizes(asText: Bool) async throws {
        let text = String(repeating: "x", count: 200)
        let condition = asText ? #""{\"a\":\"\#(text)\"}""# : #"{"a":"\#(text)"}"#
        let large = await #expect(throws: ServiceError.self) {
            _ = try await subscribe(#"{"id":"i","query":{"className":"Task","where":\#(condition)}}"#)
        }
        #expect(large?.code == .badRequest)
        #expect(large?.message.contains("liveQueries.conditionSize") == true)
        let long = String(repeating: "i", count: 257)
        await #expect(throws: ServiceError.self) {
            _ = try await subscribe(#"{"id":"\#(long)","query":{"className":"Task"}}"#)
        }
    }

    @Test("the patterns of a condition are limited in memory, which a short condition can use up")
    func patternMemory() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(patternMemory: 60_000))
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.subscribe(#"{"a":{"$regex":"(abcd){1200}"},"b":{"$regex":"(abcd){1201}"}}"#)
        }
        #expect(error?.code == .malformedJSON)
        #expect(error?.message.hasPrefix("where.b.$regex") == true)
        #expect(error?.message.contains("(liveQueries.patternMemory)") == true)
        #expect(fixture.live.status.subscriptions == 0)
        try await fixture.subscribe(#"{"a":{"$regex":"(abcd){1200}"},"b":{"$regex":"(abcd){1200}"}}"#)
        #expect(fixture.live.status.subscriptions == 1)
    }

    @Test("the default takes as many ordinary patterns as a condition has space for")
    func ordinaryPatterns() async throws {
        let fixture = try LiveFixture()
        let names = (100..<450).map { #"{"a":{"$regex":"^name\#($0)"}}"# }
        try await fixture.subscribe(#"{"$or":[\#(names.joined(separator: ","))]}"#)
        #expect(fixture.live.status.subscriptions == 1)
    }

    @Test("unsubscribing needs an id and a query_id, and ignores unknown ones")
    func unsubscribing() async throws {
        let id = try await fixture.subscribe()
        for body: [String: JSONValue] in [["id": "page"], ["query_id": .string(id.description)]] {
            await #expect(throws: ServiceError.self) { try await fixture.live.unsubscribe(body) }
        }
        try await fixture.live.unsubscribe(["id": "page", "query_id": "x"])
        try await fixture.live.unsubscribe(["id": "other", "query_id": .string(id.description)])
        #expect(fixture.live.status.subscriptions == 1)
        try await fixture.live.unsubscribe(["id": "page", "query_id": .string(id.description)])
        #expect(fixture.live.status.subscriptions == 0)
    }

    @Test("a class whose queries are closed to the caller is refused, and users see at least themselves")
    func closedClass() async throws {
        try await fixture.change { $0.permissions[.find] = [.users] }
        let refused = await #expect(throws: ServiceError.self) { try await fixture.subscribe() }
        #expect(refused?.code == .forbidden)
        let ann = try await fixture.user("ann")
        try await fixture.subscribe(as: ann)
        try await fixture.subscribe(in: .user, as: ann)
        let users = await #expect(throws: ServiceError.self) { try await fixture.subscribe(in: .user) }
        #expect(users?.code == .forbidden)
        let sessions = await #expect(throws: ServiceError.self) { try await fixture.subscribe(in: .session, as: ann) }
        #expect(sessions?.code == .forbidden)
        try await fixture.subscribe(in: .session, as: fixture.master)
    }
}
