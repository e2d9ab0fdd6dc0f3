import Domain
import HTTPTypes
import Testing

@testable import HTTPAPI

/// Fields of users that clients must not write, and users that others must not change, on every way in.
@Suite struct UserFieldAttackTests {
    /// A field, a value, and the code of the refusal where the protocol gives one.
    struct ClosedField: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let code: Int64?

        var testDescription: String { name }
    }

    private static let open = #"{"*":{"read":true,"write":true}}"#
    private static let hash = #""$2b$04$6m.Cq8IjUbPLe6EV9EzGXe5Ok4wE5rBl6Yp/3nCyAyt7cW2nWpZmG""#
    private static let date = #"{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"}"#
    private static let noID = #""000000000000000000000000""#

    static let closed = [
        ClosedField(name: "sessionToken", value: #""aaaaaaaaaaaaaaaaaaaaaaaaa""#, code: 117),
        ClosedField(name: "emailVerified", value: "true", code: 117),
        ClosedField(name: "mobilePhoneVerified", value: "true", code: 117),
        ClosedField(name: "salt", value: #""salt""#, code: nil),
        ClosedField(name: "bcryptPassword", value: hash, code: nil),
        ClosedField(name: "_password", value: #""x""#, code: 105),
        ClosedField(name: "_hashed_password", value: #""x""#, code: 105),
        ClosedField(name: "_token", value: #""x""#, code: 105),
        ClosedField(name: "_sessionToken", value: #""x""#, code: 105),
        ClosedField(name: "_acl", value: open, code: 105),
        ClosedField(name: "_id", value: noID, code: 105),
        ClosedField(name: "_salt", value: #""x""#, code: 105),
        ClosedField(name: "objectId", value: noID, code: 105),
        ClosedField(name: "createdAt", value: date, code: 105),
        ClosedField(name: "updatedAt", value: date, code: 105),
        ClosedField(name: "className", value: #""_Role""#, code: 105),
    ]

    /// Members of a body that write the field in one of the forms that operations have.
    private static let forms = [
        #""<field>":<value>"#, #""city":"Lyon","<field>":<value>"#, #""<field>":{"__op":"Delete"}"#,
        #""<field>":{"__op":"Increment","amount":1}"#, #""<field>":{"__op":"Add","objects":["x"]}"#,
        #""<field>":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"_User","objectId":"<none>"}]}"#,
        #""<field>":{"__op":"Batch","ops":[{"__op":"Add","objects":["x"]}]}"#, #""<field>.x":"y""#,
        #""<field>.x":{"__op":"Delete"}"#,
    ]

    private static let account = #""username":"new","password":"p4ss","#
    private static let signUps = [
        Way(name: "users", path: "users", body: #"{\#(account)<members>}"#),
        Way(name: "class", path: "classes/_User", body: #"{\#(account)<members>}"#),
        Way(name: "with the flag", path: "classes/_User?new=true", body: #"{\#(account)<members>}"#),
        .batch(#"{"method":"POST","path":"/1.1/classes/_User","body":{\#(account)<members>}}"#),
        .batch("batch of users", #"{"method":"POST","path":"/1.1/users","body":{\#(account)<members>}}"#),
        .save(
            #"""
            {"method":"POST","path":"/1.1/classes/_User","new":true,"body":{"__internalId":"A",\#(account)<members>}}
            """#
        ),
    ]

    private static let updates = [
        Way(name: "users", method: "PUT", path: "users/<id>", body: "{<members>}"),
        Way(name: "class", method: "PUT", path: "classes/_User/<id>", body: "{<members>}"),
        Way(name: "with the flag", method: "PUT", path: "classes/_User/<id>?fetchWhenSave=true", body: "{<members>}"),
        Way(
            name: "condition",
            method: "PUT",
            path: "classes/_User/<id>",
            condition: #"{"objectId":"<id>"}"#,
            body: "{<members>}"
        ),
        .batch(#"{"method":"PUT","path":"/1.1/classes/_User/<id>","body":{<members>}}"#),
        .save(#"{"method":"PUT","path":"/1.1/classes/_User/<id>","body":{"__internalId":"<id>"<, members>}}"#),
        .tunnel("users/<id>", #"{"_method":"PUT"<, members>}"#),
    ]

    @Test("a sign-up takes no field that is closed", arguments: signUps, closed)
    func signUp(way: Way, field: ClosedField) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            let response = try await cast.send(
                way,
                ["members": #""\#(field.name)":\#(field.value)"#],
                as: .guest
            )
            let refusal = try #require(try response.refusal())
            #expect(response.status == (way.isBatch ? .ok : .badRequest))
            #expect(field.code == nil || refusal.code == field.code)
            let path = "users?where=" + #"{"username":"new"}"#.percentEncoded + "&count=1"
            #expect(try await cast.send("GET", path).json()["count"] == .integer(0))
        }
    }

    @Test("a user gives itself no field that is closed, in whatever form", arguments: updates, closed)
    func own(way: Way, field: ClosedField) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            let before = try await state(of: .owner, cast)
            for form in Self.forms {
                let members = form.replacing("<field>", with: field.name).replacing("<value>", with: field.value)
                    .replacing("<none>", with: "000000000000000000000000")
                let response = try await change(members, by: way, as: .owner, cast)
                let refusal = try response.refusal()
                #expect(refusal != nil, "\(members)")
                #expect(response.status == (way.isBatch ? .ok : .badRequest), "\(members)")
                if form == Self.forms.first, let code = field.code { #expect(refusal?.code == code) }
            }
            #expect(try await state(of: .owner, cast) == before)
        }
    }

    @Test("no other client changes a user", arguments: updates)
    func others(way: Way) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            let before = try await state(of: .owner, cast)
            for members in [
                #""username":"taken-over""#, #""password":"mine now""#, #""email":"mine@example.org""#,
                #""ACL":\#(Self.open)"#, #""ACL":{}"#, #""mobilePhoneNumber":"+8613800000099""#,
                #""authData":{"github":{"uid":"mine"}}"#, #""authData":null"#,
                #""username":"taken-over","password":"mine now""#, #""city":"Lyon""#,
                #""n":{"__op":"Increment","amount":1}"#, "",
                #""all":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"X","objectId":"a"}]}"#,
            ] {
                for caller in [CastMember.guest, .other, .member] {
                    let response = try await change(members, by: way, as: caller, cast)
                    #expect(try response.refusal() == .noSession, "\(caller): \(members)")
                    #expect(response.status == (way.isBatch ? .ok : .forbidden), "\(caller): \(members)")
                }
            }
            #expect(try await state(of: .owner, cast) == before)
        }
    }

    @Test("an account keeps its form", arguments: updates)
    func form(way: Way) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            let before = try await state(of: .owner, cast)
            for members in [
                #""password":{"__op":"Delete"}"#, #""password":null"#, #""password":"""#, #""password":5"#,
                #""password":["x"]"#, #""password":{"$ne":1}"#, #""password":{"__op":"Add","objects":["x"]}"#,
                #""password.x":"y""#, #""password":{"__type":"Bytes","base64":"aGk="}"#, #""ACL.*":\#(Self.open)"#,
                #""ACL.*.write":true"#, #""ACL":{"__op":"Delete"}"#, #""authData":5"#, #""authData":{"github":{}}"#,
                #""authData.github.uid.x":1"#, #""authData":{"__op":"Add","objects":[1]}"#, #""username":"""#,
                #""username":null"#, #""email":"x""#,
            ] {
                let response = try await change(members, by: way, as: .owner, cast)
                #expect(try response.refusal() != nil, "\(members)")
            }
            #expect(try await state(of: .owner, cast) == before)
        }
    }

    private func change(
        _ members: String,
        by way: Way,
        as caller: CastMember,
        _ cast: Cast
    ) async throws -> TestResponse {
        let more = members.isEmpty ? "" : ",\(members)"
        let values = ["members": members, ", members": more, "id": cast.ids[.owner] ?? ""]
        return try await cast.send(way, values, as: caller)
    }

    /// The user as the master key sees it, and whether its session and its password are still valid.
    private func state(of member: CastMember, _ cast: Cast) async throws -> [String] {
        let id = cast.ids[member] ?? ""
        let account = #"{"username":"\#(member)","password":"p4ss"}"#
        return [
            try await cast.send("GET", "users/\(id)?returnACL=true").text,
            try await cast.send("GET", "users/me", as: member).json()["objectId"]?.stringValue ?? "no session",
            try await cast.send("POST", "login", account).json()["objectId"]?.stringValue ?? "no log-in",
        ]
    }
}
