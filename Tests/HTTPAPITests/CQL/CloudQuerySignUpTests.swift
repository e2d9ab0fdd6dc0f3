import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

@Suite struct CloudQuerySignUpTests {
    @Test(
        "an INSERT into _User is a sign-up: replies and errors are those of REST",
        arguments: [
            #"{"username":"ann","password":"p4ss"}"#, #"{"username":"ann","password":"p4ss","email":"a@b.example"}"#,
            #"{"username":"ann","password":"p4ss","nick":"A","age":7}"#, #"{"username":"ann"}"#,
            #"{"password":"p4ss"}"#, #"{"username":" ","password":"p4ss"}"#, #"{"username":"ann","password":""}"#,
            #"{"username":"owner","password":"p4ss"}"#, #"{"username":"ann","password":"p4ss","email":"x"}"#,
            #"{"username":"ann","password":"p4ss","mobilePhoneNumber":"x"}"#,
            #"{"username":"ann","password":"p4ss","sessionToken":"t"}"#,
            #"{"username":"ann","password":"p4ss","emailVerified":true}"#, #"{"username":"ann","password":7}"#,
            #"{"username":"ann","password":"p4ss","objectId":"u1"}"#,
            #"{"username":"ann","password":"p4ss","ACL":{"*":{"read":true}}}"#,
            #"{"authData":{"lc":{"openid":"o1","access_token":"t"}}}"#,
        ],
        [CastMember.guest, .other, .master]
    )
    func signUp(body: String, member: CastMember) async throws {
        let fields = try #require(try JSONValue(parsing: Array(body.utf8), field: "body").objectValue)
        let names = fields.keys.sorted()
        let statement =
            "insert into _User(\(names.joined(separator: ","))) values(\(names.map { _ in "?" }.joined(separator: ",")))"
        let values = JSONValue.array(names.compactMap { fields[$0] })
        let byREST = try await signUp(as: member, fields) { client, headers in
            try await client.send("POST", "/1.1/classes/_User", body, headers).json()
        }
        let byCQL = try await signUp(as: member, fields) { client, headers in
            let values = String(decoding: values.encoded(), as: UTF8.self)
            let json = try await client.cloudQuery(statement, values, headers).json()
            return json["results"]?.arrayValue?.first?.objectValue ?? json
        }
        #expect(byCQL["code"] == byREST["code"])
        #expect(byCQL["error"] == byREST["error"])
        #expect(Set(byCQL.keys) == Set(byREST.keys))
    }

    /// Signs up on a server of its own; returns the created user or the error.
    private func signUp(
        as member: CastMember,
        _ fields: [String: JSONValue],
        _ request: @escaping @Sendable (TestClient, HTTPFields) async throws -> [String: JSONValue]
    ) async throws -> [String: JSONValue] {
        try await TestServer().test { client in
            let user = try await request(client, try await Cast(client).headers(of: member))
            let condition = #"{"username":"ann"}"#.percentEncodedPath
            let found = try await client.send("GET", "/1.1/users?where=\(condition)", nil, Who.master.headers).json()
            let shown = found["results"]?.arrayValue?.first?.objectValue ?? [:]
            #expect(shown["password"] == nil)
            if user["code"] == nil, fields["username"] != nil {
                let login = try await client.send("POST", "/1.1/login", #"{"username":"ann","password":"p4ss"}"#)
                #expect(login.status == (fields["password"] == "p4ss" ? .ok : login.status))
                #expect(shown["objectId"] == user["objectId"])
            }
            return user
        }
    }
}
