import HTTPTypes
import Testing

@testable import HTTPAPI

/// Callers without ACL write access cannot change a role, by any call.
@Suite struct RoleAttackTests {
    private static let ofBatch = #""path":"/1.1/classes/_Role/<id>""#
    private static let ways = [
        Way(name: "roles", method: "PUT", path: "roles/<id>", body: "{<members>}"),
        Way(name: "class", method: "PUT", path: "classes/_Role/<id>", body: "{<members>}"),
        Way(name: "with the flag", method: "PUT", path: "classes/_Role/<id>?fetchWhenSave=true", body: "{<members>}"),
        Way(
            name: "condition",
            method: "PUT",
            path: "classes/_Role/<id>",
            condition: #"{"name":{"$exists":true}}"#,
            body: "{<members>}"
        ),
        .batch(#"{"method":"PUT",\#(ofBatch),"body":{<members>}}"#),
        .batch("batch of roles", #"{"method":"PUT","path":"/1.1/roles/<id>","body":{<members>}}"#),
        .save(#"{"method":"PUT",\#(ofBatch),"body":{"__internalId":"<id>"<, members>}}"#),
        .save("batch/save under a new id", #"{"method":"PUT",\#(ofBatch),"body":{"__internalId":"A"<, members>}}"#),
    ]

    private static let mine = #"{"__op":"AddRelation","objects":[<attacker>]}"#
    private static let changes = [
        #""users":\#(mine)"#, #""color":"red","users":\#(mine)"#, #""users":[<attacker>]"#, #""users":<attacker>"#,
        #""users":{"__op":"Batch","ops":[\#(mine)]}"#, #""users":{"__op":"Add","objects":[<attacker>]}"#,
        #""users.objects":[<attacker>]"#, #""__children":[{"className":"_User","cid":"<attacker id>","key":"users"}]"#,
        #""__children":[{"className":"_User","cid":"<attacker id>","key":"roles"}]"#, #""users":{"__op":"Delete"}"#,
        #""name":"Mine""#, #""ACL":{"<attacker id>":{"read":true,"write":true}}"#,
        #""ACL":{"*":{"read":true,"write":true}},"users":\#(mine)"#, "",
    ]

    @Test(
        "a caller without the right to write neither becomes a member nor changes anything else",
        arguments: ways,
        [
            (acl: "{}", attacker: CastMember.other), (acl: #"{"*":{"read":true}}"#, attacker: .other),
            (acl: #"{"role:Closed":{"read":true}}"#, attacker: .member),
        ]
    )
    func changes(way: Way, role: (acl: String, attacker: CastMember)) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            let id = try await cast.role("Closed", acl: role.acl, holding: .member)
            let secret = try await cast.created("classes/Secret", #"{"ACL":{"role:Closed":{"read":true}}}"#)
            let before = try await state(of: id, secret, cast)
            for change in Self.changes {
                let members = change.replacing("<attacker>", with: cast.pointer(to: role.attacker))
                    .replacing("<attacker id>", with: cast.ids[role.attacker] ?? "")
                let values = ["id": id, "members": members, ", members": members.isEmpty ? "" : ",\(members)"]
                let response = try await cast.send(way, values, as: role.attacker)
                #expect(try response.refusal() != nil, "\(members)")
                #expect(response.status == (way.isBatch ? .ok : .forbidden), "\(members)")
                #expect(try await state(of: id, secret, cast) == before, "\(members)")
            }
        }
    }

    /// The role, its members, and who has what it grants.
    private func state(of id: String, _ secret: String, _ cast: Cast) async throws -> [String] {
        let role = #"{"__type":"Pointer","className":"_Role","objectId":"\#(id)"}"#
        func members(_ key: String, _ path: String) async throws -> String {
            let condition = #"{"$relatedTo":{"object":\#(role),"key":"\#(key)"}}"#
            return try await cast.send("GET", "\(path)?where=\(condition.percentEncoded)").text
        }
        return [
            try await cast.send("GET", "roles/\(id)?returnACL=true").text,
            try await members("users", "users"), try await members("roles", "roles"),
            try await cast.send("GET", "classes/Secret/\(secret)", as: .other).text,
            try await cast.send("GET", "classes/Secret/\(secret)", as: .member).text,
        ]
    }
}
