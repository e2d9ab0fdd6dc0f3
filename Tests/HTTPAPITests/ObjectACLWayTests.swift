import HTTPTypes
import Testing

@testable import HTTPAPI

/// ACLs of objects on every way in: who reads and who changes them.
@Suite struct ObjectACLWayTests {
    private static let item = "classes/Note/<id>"
    private static let itemOfBatch = #""path":"/1.1/classes/Note/<id>""#

    @Test(
        "callers in an object's ACL can read it",
        arguments: [
            Way(name: "alone", method: "GET", path: item),
            .batch(#"{"method":"GET",\#(itemOfBatch)}"#),
            .tunnel(item, #"{"_method":"GET"}"#),
        ]
    )
    func reading(way: Way) async throws {
        try await forEach(right: "read") { cast, id, isAllowed, caller in
            let response = try await cast.send(way, ["id": id], as: caller)
            #expect(try response.refusal() == (isAllowed ? nil : .noReading), "\(caller)")
            #expect(response.text.contains(#""n":1"#) == isAllowed, "\(caller)")
        }
    }

    @Test(
        "callers with ACL read access find an object",
        arguments: [
            Way(name: "alone", method: "GET", path: "classes/Note?count=1", condition: #"{"objectId":"<id>"}"#),
            .batch(
                #"""
                {"method":"GET","path":"/1.1/classes/Note","params":{"where":{"objectId":"<id>"},"count":1}}
                """#
            ),
        ]
    )
    func finding(way: Way) async throws {
        try await forEach(right: "read") { cast, id, isAllowed, caller in
            let text = try await cast.send(way, ["id": id], as: caller).text
            #expect(text.contains(id) == isAllowed, "\(caller)")
            #expect(text.contains(#""count":\#(isAllowed ? 1 : 0)"#), "\(caller)")
        }
    }

    @Test(
        "callers with ACL write access can change an object",
        arguments: [
            Way(name: "update", method: "PUT", path: item, body: #"{"n":2}"#),
            Way(name: "delete", method: "DELETE", path: item),
            .batch("update of a batch", #"{"method":"PUT",\#(itemOfBatch),"body":{"n":2}}"#),
            .batch("delete of a batch", #"{"method":"DELETE",\#(itemOfBatch)}"#),
            .save("update of batch/save", #"{"method":"PUT",\#(itemOfBatch),"body":{"n":2,"__internalId":"<id>"}}"#),
            Way(name: "operation", method: "PUT", path: item, body: #"{"n":{"__op":"Increment","amount":1}}"#),
            Way(name: "ACL", method: "PUT", path: item, body: #"{"ACL":{"*":{"read":true,"write":true}}}"#),
        ],
        ["read", "write"]
    )
    func writing(way: Way, right: String) async throws {
        try await forEach(right: right) { cast, id, isNamed, caller in
            let before = try await cast.send("GET", "classes/Note/\(id)?returnACL=true").text
            let response = try await cast.send(way, ["id": id], as: caller)
            let isChanged = try await cast.send("GET", "classes/Note/\(id)?returnACL=true").text != before
            let isAllowed = caller == .master || isNamed && right == "write"
            #expect(try response.refusal() == (isAllowed ? nil : .noWriting(id)), "\(caller)")
            #expect(isChanged == isAllowed, "\(caller)")
        }
    }

    /// Runs a body on a new object for each audience that has a right of it, and for each caller.
    private func forEach(
        right: String,
        _ body: @escaping @Sendable (Cast, _ id: String, _ isNamed: Bool, CastMember) async throws -> Void
    ) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            for audience in CastAudience.ofACLs {
                for caller in CastMember.allCases {
                    let acl = cast.acl(audience, right)
                    let id = try await cast.created("classes/Note", #"{"n":1,"ACL":\#(acl)}"#)
                    try await body(cast, id, audience.includes(caller), caller)
                }
            }
        }
    }
}
