import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

/// Who is let into the calls of relations and feeds, and what their answers look like.
@Suite struct PeopleRouteTests {
    /// A call, and the status that a guest, the owner, another user and the master key get.
    struct Call: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: String?
        let statuses: [Int]

        init(_ method: String, _ path: String, _ body: String? = nil, _ statuses: [Int]) {
            (self.method, self.path, self.body, self.statuses) = (method, path, body, statuses)
        }

        var testDescription: String { "\(method) \(path)" }
    }

    private static let callers: [CastMember] = [.guest, .owner, .other, .master]
    private static let owner = #"{"__type":"Pointer","className":"_User","objectId":"<owner>"}"#
    private static let query = #"{"className":"_User","where":{"objectId":"<other>"}}"#
    private static let status = #"{"query":\#(query),"data":{"source":\#(owner)}}"#
    private static let inbox = "owner=\(owner.percentEncoded.replacing("%3cowner%3e", with: "<owner>"))"

    private static let friend = #"{"friend":<member pointer>}"#
    private static let forOwner = [403, 201, 403, 201]

    static let calls: [Call] = [
        Call("POST", "users/<owner>/friendship/<member>", #"{"a":1}"#, [403, 200, 403, 200]),
        Call("POST", "users/<owner>/friendship/<member>", nil, [403, 200, 403, 200]),
        Call("POST", "users/self/friendship/<member>", "{}", [403, 200, 200, 403]),
        Call("POST", "users/<owner>/friendship/<owner>", "{}", [403, 400, 403, 400]),
        Call("POST", "users/<owner>/friendship/missing", "{}", [403, 400, 403, 400]),
        Call("PUT", "users/<owner>/friendship/<other>", #"{"friendship":{"a":1}}"#, [403, 200, 403, 200]),
        Call("PUT", "users/<owner>/friendship/<member>", #"{"a":1}"#, [403, 400, 403, 400]),
        Call("DELETE", "users/<owner>/friendship/<other>", "{}", [403, 200, 403, 200]),
        Call("DELETE", "users/self/friendship/<other>", nil, [403, 200, 200, 403]),
        Call("GET", "users/<owner>/followers", nil, [200, 200, 200, 200]),
        Call("GET", "users/<owner>/followees?include=followee&count=1", nil, [200, 200, 200, 200]),
        Call("GET", "users/self/followers", nil, [403, 200, 200, 403]),
        Call("GET", "users/<owner>/followersAndFollowees", nil, [200, 200, 200, 200]),
        Call("GET", "users/self/friends", nil, [403, 200, 200, 403]),
        Call("GET", "users/<owner>/friends", nil, [404, 404, 404, 404]),
        Call("GET", "users/strictlyQuery?where=%7B%22a%22%3A1%7D", nil, [403, 200, 200, 200]),
        Call("GET", "users/strictlyQuery", nil, [403, 200, 200, 200]),
        Call("GET", "users/strictlyQuery?where=%7B%22email%22%3A%22a%22%7D", nil, [403, 400, 400, 400]),
        Call("GET", "users/strictlyQuery?where=%7B%22a%22%3A%7B%22%24gt%22%3A1%7D%7D", nil, [403, 400, 400, 400]),
        Call("GET", "users/strictlyQuery?skip=1&where=%7B%22a%22%3A1%7D", nil, [403, 400, 400, 400]),
        Call("POST", "users/friendshipRequests", friend, [403, 201, 201, 403]),
        Call("POST", "users/friendshipRequests", #"{"user":\#(owner),"friend":<member pointer>}"#, forOwner),
        Call("PUT", "users/friendshipRequests/<request>/accept", "{}", [403, 403, 200, 200]),
        Call("PUT", "users/friendshipRequests/<request>/decline", nil, [403, 403, 200, 200]),
        Call("PUT", "users/friendshipRequests/-/accept", "{}", [400, 400, 400, 400]),
        Call("GET", "users/self/friendBlocklist", nil, [403, 200, 200, 403]),
        Call("GET", "users/<owner>/friendBlocklist", nil, [404, 404, 404, 404]),
        Call("POST", "users/self/friendBlocklist/<member>", nil, [403, 200, 200, 403]),
        Call("DELETE", "users/self/friendBlocklist/<member>", "{}", [403, 200, 200, 403]),
        Call("POST", "statuses", status, [403, 201, 403, 201]),
        Call("POST", "statuses", "[]", [400, 400, 400, 400]),
        Call("GET", "statuses", nil, [200, 200, 200, 200]),
        Call("GET", "statuses/<status>", nil, [403, 200, 200, 200]),
        Call("GET", "statuses/-", nil, [404, 404, 404, 404]),
        Call("DELETE", "statuses/<status>", "{}", [403, 200, 403, 200]),
        Call("GET", "subscribe/statuses", nil, [403, 200, 200, 403]),
        Call("GET", "subscribe/statuses?\(inbox)", nil, [403, 200, 403, 200]),
        Call("GET", "subscribe/statuses?sinceId=a", nil, [400, 400, 400, 400]),
        Call("GET", "subscribe/statuses/count?\(inbox)&inboxType=private", nil, [403, 200, 403, 200]),
        Call("POST", "subscribe/statuses/resetUnreadCount", #"{"owner":\#(owner)}"#, [403, 200, 403, 200]),
        Call("POST", "subscribe/statuses/resetUnreadCount?\(inbox)", nil, [403, 200, 403, 200]),
        Call("POST", "subscribe/statuses/resetUnreadCount", nil, [403, 200, 200, 403]),
        Call("DELETE", "subscribe/statuses/inbox?\(inbox)&messageId=1", "{}", [403, 200, 403, 200]),
        Call("DELETE", "subscribe/statuses/inbox", #"{"owner":\#(owner),"messageId":"1"}"#, [403, 200, 403, 200]),
        Call("DELETE", "subscribe/statuses/inbox", "{}", [400, 400, 400, 400]),
        Call("POST", "installations", #"{"deviceToken":"t"}"#, [201, 201, 201, 201]),
    ]

    @Test("each call is open to whom it is for", arguments: calls)
    func access(call: Call) async throws {
        for (caller, status) in zip(PeopleRouteTests.callers, call.statuses) {
            // Each on a new server, because calls change what the next one would find.
            try await TestServer().test { client in
                let people = try await People(client)
                let response = try await people.send(call.method, call.path, call.body, as: caller)
                #expect(response.status.code == status, "\(caller): \(response.text)")
            }
        }
    }

    @Test("an installation that exists is answered with 200, in a batch too, and a new one with its path")
    func installations() async throws {
        try await TestServer().test { client in
            let body = #"{"deviceToken":"t","channels":["a"]}"#
            let made = try await client.send("POST", "/1.1/installations", body)
            let id = try #require(try made.json()["objectId"]?.stringValue)
            #expect(made.status == .created)
            #expect(made.headers[.location] == "/1.1/classes/_Installation/\(id)")
            let again = try await client.send("POST", "/1.1/installations", body)
            #expect(again.status == .ok)
            #expect(try again.json()["objectId"] == .string(id))
            // Objective-C sends each operation as a POST of its own.
            let item = #"{"method":"POST","path":"/1.1/installations","body":{"__internalId":"A","deviceToken":"#
            let saved = try await client.send(
                "POST",
                "/1.1/batch/save",
                #"{"requests":[\#(item)"t","badge":1}},\#(item)"t","channels":{"__op":"AddUnique","objects":["b"]}}}]}"#
            )
            #expect(try saved.json()["A"]?.objectValue?["objectId"] == .string(id))
            let shown = try await client.send("GET", "/1.1/installations/\(id)").json()
            #expect(shown["channels"] == .array(["a", "b"]))
            #expect(shown["badge"] == .integer(1))
        }
    }

    @Test("a query of an inbox that is too long for a URL comes alone in a batch")
    func longQuery() async throws {
        try await TestServer().test { client in
            let people = try await People(client)
            let params = #"{"where":{},"owner":<owner>,"inboxType":"private","sinceId":0,"maxId":0}"#
            let request = #"{"method":"GET","path":"/1.1/subscribe/statuses","params":\#(params)}"#
            for (member, pointer, text) in [
                (CastMember.other, "<other pointer>", #"[{"success":{"results":[{"#),
                (.other, "<owner pointer>", #"[{"error":{"code":403,"#),
                (.other, "null", #"[{"success":{"results":[{"#),
            ] {
                let body = #"{"requests":[\#(request.replacing("<owner>", with: pointer))]}"#
                let response = try await people.send("POST", "batch", body, as: member)
                #expect(response.status == .ok)
                #expect(response.text.hasPrefix(text), "\(response.text)")
            }
        }
    }

    @Test("a batch does not publish a status, and says that it needs a request of its own", arguments: ["", "/save"])
    func statusInBatch(path: String) async throws {
        try await TestServer().test { client in
            let people = try await People(client)
            let status = #"{"query":{"className":"_Follower"},"data":{"a":1}}"#
            let body = #"{"requests":[{"method":"POST","path":"/1.1/statuses","body":\#(status)}]}"#
            let response = try await people.send("POST", "batch\(path)", body, as: .owner)
            let message = "POST /1.1/statuses is not allowed in a batch; send a separate request."
            let refusal = #"{"code":1,"error":"\#(message)"}"#
            #expect(response.text == (path.isEmpty ? #"[{"error":\#(refusal)}]"# : refusal))
        }
    }

    @Test("changes of relations are requests of a batch, in order with others, each for whom it is")
    func batch() async throws {
        try await TestServer().test { client in
            let people = try await People(client)
            let requests = """
                {"method":"POST","path":"/1.1/users/self/friendship/<member>","body":{"a":1}},
                {"method":"PUT","path":"/1.1/users/<owner>/friendship/<member>","body":{"a":2}},
                {"method":"GET","path":"/1.1/classes/_Followee","params":{"where":{"a":2}}},
                {"method":"POST","path":"/1.1/users/<other>/friendship/<member>"},
                {"method":"POST","path":"/1.1/users/friendshipRequests","body":{"friend":<member pointer>}},
                {"method":"PUT","path":"/1.1/users/friendshipRequests/<mine>/accept"},
                {"method":"POST","path":"/1.1/users/self/friendBlocklist/<other>"},
                {"method":"DELETE","path":"/1.1/users/self/friendBlocklist/<other>"},
                {"method":"DELETE","path":"/1.1/users/self/friendship/<member>","body":{}},
                {"method":"PUT","path":"/1.1/users/self/friendship/<member>","body":{"a":3}},
                {"method":"POST","path":"/1.1/users/self/friendship/-"},
                {"method":"POST","path":"/1.1/users/<owner>/friendBlocklist/<other>"}
                """
            let response = try await people.send("POST", "batch", #"{"requests":[\#(requests)]}"#, as: .owner)
            let answers = try JSONValue(parsing: Array(response.text.utf8), field: "body").arrayValue ?? []
            let codes = answers.map { $0.objectValue?["error"]?.objectValue?["code"]?.integerValue }
            #expect(codes == [nil, nil, nil, 206, nil, nil, nil, nil, nil, 221, 211, 404])
            let members = answers.map { Set(($0.objectValue?["success"]?.objectValue ?? [:]).keys) }
            let time = "updatedAt"
            #expect(members[..<3] == [[], ["objectId", time], ["results"]])
            #expect(members[4..<9] == [["objectId", "createdAt"], ["objectId", time], [], [], []])
            let found = answers[2].objectValue?["success"]?.objectValue?["results"]?.arrayValue
            #expect(found?.count == 1)
        }
    }

    @Test("a search for friends that is too long for a URL comes alone in a batch, and is as strict")
    func longSearch() async throws {
        try await TestServer().test { client in
            let people = try await People(client)
            func request(_ condition: String) -> String {
                #"{"method":"GET","path":"/1.1/users/strictlyQuery","params":{"where":\#(condition)}}"#
            }
            for (requests, text) in [
                (request(#"{"objectId":"<owner>"}"#), #"[{"success":{"results":[{"#),
                (request(#"{"email":"a@b.example"}"#), #"[{"error":{"code":1,"#),
                (request("{}") + "," + request("{}"), #"[{"error":{"code":1,"#),
            ] {
                let response = try await people.send("POST", "batch", #"{"requests":[\#(requests)]}"#, as: .owner)
                #expect(response.text.hasPrefix(text), "\(response.text)")
            }
        }
    }

    @Test(
        "a query of friends or of the block list that is too long for a URL comes alone in a batch",
        arguments: [("friends", "followee"), ("friendBlocklist", "blockedUser")]
    )
    func longList(list: String, field: String) async throws {
        try await TestServer().test { client in
            let people = try await People(client)
            let accepted = try await people.send("PUT", "users/friendshipRequests/<request>/accept", "{}", as: .other)
            #expect(accepted.status == .ok)
            if list == "friendBlocklist" {
                let blocked = try await people.send("POST", "users/self/friendBlocklist/<other>", nil, as: .owner)
                #expect(blocked.status == .ok)
            }
            func request(_ pointer: String, _ user: String = "self") -> String {
                let params = #"{"where":{"\#(field)":{"$in":[\#(pointer)]}},"limit":10}"#
                return #"{"method":"GET","path":"/1.1/users/\#(user)/\#(list)","params":\#(params)}"#
            }
            let found = request("<other pointer>")
            for (requests, caller, text) in [
                (found, CastMember.owner, #"[{"success":{"results":[{"#),
                (request("<member pointer>"), .owner, #"[{"success":{"results":[]}}]"#),
                (found, .member, #"[{"success":{"results":[]}}]"#), (found, .guest, #"[{"error":{"code":206,"#),
                (request("<other pointer>", "<owner>"), .owner, #"[{"error":{"code":404,"#),
                (found + "," + found, .owner, #"[{"error":{"code":1,"#),
            ] {
                let response = try await people.send("POST", "batch", #"{"requests":[\#(requests)]}"#, as: caller)
                #expect(response.status == .ok)
                #expect(response.text.hasPrefix(text), "\(response.text)")
            }
        }
    }

    @Test("class permissions close each call of relations and feeds")
    func permissions() async throws {
        let cases: [(name: String, operation: String, call: Call)] = [
            ("_Followee", "create", Call("POST", "users/self/friendship/<member>", "{}", [])),
            ("_Follower", "create", Call("POST", "users/self/friendship/<member>", "{}", [])),
            ("_Followee", "update", Call("PUT", "users/self/friendship/<other>", #"{"a":1}"#, [])),
            ("_Followee", "add_fields", Call("POST", "users/self/friendship/<member>", #"{"n":1}"#, [])),
            ("_Followee", "delete", Call("DELETE", "users/self/friendship/<other>", nil, [])),
            ("_Follower", "find", Call("GET", "users/self/followers", nil, [])),
            ("_Followee", "find", Call("GET", "users/self/friends", nil, [])),
            ("_FriendshipRequest", "create", Call("POST", "users/friendshipRequests", PeopleRouteTests.friend, [])),
            ("_FriendshipRequest", "update", Call("PUT", "users/friendshipRequests/<mine>/decline", nil, [])),
            ("_Blocklist", "create", Call("POST", "users/self/friendBlocklist/<member>", nil, [])),
            ("_Blocklist", "delete", Call("DELETE", "users/self/friendBlocklist/<member>", nil, [])),
            ("_Blocklist", "find", Call("GET", "users/self/friendBlocklist", nil, [])),
            ("_Status", "create", Call("POST", "statuses", PeopleRouteTests.status, [])),
            ("_Status", "find", Call("GET", "subscribe/statuses", nil, [])),
            ("_Status", "get", Call("GET", "statuses/<status>", nil, [])),
            ("_Status", "delete", Call("DELETE", "statuses/<status>", nil, [])),
        ]
        for (name, operation, call) in cases {
            try await TestServer().test { client in
                let people = try await People(client)
                let closed = try await people.send("PUT", "permissions/\(name)", #"{"\#(operation)":[]}"#, as: .master)
                #expect(closed.status == .ok, "\(closed.text)")
                let response = try await people.send(call.method, call.path, call.body, as: .owner)
                #expect(try response.refusal() == .forbidden(operation, name), "\(call)")
            }
        }
    }

    @Test("the objects of inboxes and of their queue are for the master key")
    func internals() async throws {
        try await TestServer().test { client in
            let people = try await People(client)
            for name in ["_Inbox", "_InboxItem", "_PeopleJob"] {
                for caller in [CastMember.guest, .owner] {
                    #expect(try await people.send("GET", "classes/\(name)", nil, as: caller).status == .forbidden)
                    #expect(try await people.send("POST", "classes/\(name)", "{}", as: caller).status == .badRequest)
                }
                #expect(try await people.send("GET", "classes/\(name)", nil, as: .master).status == .ok)
                #expect(try await people.send("POST", "classes/\(name)", "{}", as: .master).status == .badRequest)
            }
        }
    }
}

/// A cast of which the owner follows the other one, asks for its friendship, and has sent it a private status.
private struct People {
    private let cast: Cast
    private var values: [String: String] = [:]

    init(_ client: TestClient) async throws {
        cast = try await Cast(client)
        for member in [CastMember.owner, .other, .member] {
            values["<\(member)>"] = cast.ids[member] ?? ""
            values["<\(member) pointer>"] = cast.pointer(to: member)
        }
        #expect(try await send("POST", "users/self/friendship/<other>", "{}", as: .owner).status == .ok)
        values["<request>"] = try await id(of: "users/friendshipRequests", #"{"friend":<other pointer>}"#)
        let toOwner = #"{"friend":<owner pointer>}"#
        let mine = try await send("POST", "users/friendshipRequests", toOwner, as: .member).json()
        values["<mine>"] = mine["objectId"]?.stringValue
        let status = #"{"query":{"className":"_User","where":{"objectId":"<other>"}},"inboxType":"private"}"#
        values["<status>"] = try await id(of: "statuses", status)
    }

    func send(
        _ method: String,
        _ path: String,
        _ body: String?,
        as caller: CastMember
    ) async throws -> TestResponse {
        try await cast.send(method, filled(path), body.map(filled), as: caller)
    }

    private func id(of path: String, _ body: String) async throws -> String {
        try #require(try await send("POST", path, body, as: .owner).json()["objectId"]?.stringValue)
    }

    private func filled(_ text: String) -> String {
        values.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }
}
