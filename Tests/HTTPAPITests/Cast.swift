import Domain
import HTTPTypes
import NIOCore
import Testing

@testable import HTTPAPI

/// The callers of an app in the tables of permissions.
enum CastMember: String, CaseIterable {
    /// The app key and no session.
    case guest
    /// The user that permissions and ACLs name.
    case owner
    /// A user that no permission and no ACL names.
    case other
    /// A user in the role that permissions and ACLs name.
    case member
    case master
}

/// The callers to which a permission of a class or an ACL is open.
enum CastAudience: String, CaseIterable {
    case everyone
    /// All who are logged in; ACLs have no subject for them.
    case users
    /// The owner alone.
    case user
    case role
    case nobody

    /// The audiences that an ACL can name.
    static let ofACLs = allCases.filter { $0 != .users }

    func includes(_ caller: CastMember) -> Bool {
        if caller == .master { return true }
        return switch self {
        case .everyone: true
        case .users: caller != .guest
        case .user: caller == .owner
        case .role: caller == .member
        case .nobody: false
        }
    }
}

/// A caller of each kind on one server, and what tests ask as them.
struct Cast {
    let client: TestClient
    private(set) var ids: [CastMember: String] = [:]
    private var tokens: [CastMember: String] = [:]

    /// Signs the users up, with the password `p4ss`, and makes the role `Editors`.
    init(_ client: TestClient) async throws {
        self.client = client
        for member in [CastMember.owner, .other, .member] {
            let account = #"{"username":"\#(member)","password":"p4ss"}"#
            let user = try await client.send("POST", "/1.1/users", account).json()
            ids[member] = user["objectId"]?.stringValue
            tokens[member] = user["sessionToken"]?.stringValue
        }
        _ = try await role("Editors", acl: #"{"*":{"read":true}}"#, holding: .member)
    }

    /// Makes a role as the master key; gives its id.
    func role(_ name: String, acl: String, holding member: CastMember) async throws -> String {
        let relation = #"{"__op":"AddRelation","objects":[\#(pointer(to: member))]}"#
        return try await created("roles", #"{"name":"\#(name)","ACL":\#(acl),"users":\#(relation)}"#)
    }

    func pointer(to member: CastMember) -> String {
        #"{"__type":"Pointer","className":"_User","objectId":"\#(ids[member] ?? "")"}"#
    }

    /// The list that opens an operation of a class to an audience.
    func entries(_ audience: CastAudience) -> String {
        switch audience {
        case .everyone, .users: #"["\#(audience)"]"#
        case .user: #"["user:\#(ids[.owner] ?? "")"]"#
        case .role: #"["role:Editors"]"#
        case .nobody: "[]"
        }
    }

    /// The ACL that gives a right to an audience and to no other caller.
    func acl(_ audience: CastAudience, _ right: String) -> String {
        let subject: String? =
            switch audience {
            case .everyone: "*"
            case .user: ids[.owner]
            case .role: "role:Editors"
            case .users, .nobody: nil
            }
        return subject.map { #"{"\#($0)":{"\#(right)":true}}"# } ?? "{}"
    }

    /// Sends a request below `/1.1/`, with a JSON body unless it is `nil`.
    func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        as caller: CastMember = .master
    ) async throws -> TestResponse {
        try await client.send(method, "/1.1/\(path)", body, headers(of: caller))
    }

    /// Sends the request of a way, with values in place of its placeholders.
    func send(_ way: Way, _ values: [String: String], as caller: CastMember) async throws -> TestResponse {
        func filled(_ text: String) -> String {
            values.reduce(text) { $0.replacing("<\($1.key)>", with: $1.value) }
        }
        var path = "/1.1/\(filled(way.path))"
        if let condition = way.condition {
            path += (path.contains("?") ? "&" : "?") + "where=" + filled(condition).percentEncoded
        }
        var headers = headers(of: caller)
        if way.body != nil { headers[.contentType] = way.isTunnel ? "text/plain" : "application/json" }
        return try await client.execute(
            uri: path,
            method: try #require(HTTPRequest.Method(way.method)),
            headers: headers,
            body: way.body.map { ByteBuffer(string: filled($0)) }
        )
    }

    /// Makes an object as the master key; gives its id.
    func created(_ path: String, _ body: String) async throws -> String {
        let response = try await send("POST", path, body)
        #expect(response.status == .created, "\(response.text)")
        return try #require(try response.json()["objectId"]?.stringValue)
    }

    func headers(of caller: CastMember) -> HTTPFields {
        switch caller {
        case .guest: return Who.client.headers
        case .master: return Who.master.headers
        case .owner, .other, .member:
            var headers = Who.client.headers
            headers[.known("X-LC-Session")] = tokens[caller]
            return headers
        }
    }
}

/// A request that carries out an operation in one of the ways of the protocol; `<name>` is a placeholder for a value.
struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    var method = "POST"
    let path: String
    /// A `where` of the URL.
    var condition: String?
    var body: String?
    /// Whether it is sent as text, as old browsers do.
    var isTunnel = false

    var testDescription: String { name }

    /// Whether it is the only request of a `/batch`, which is answered with 200 whatever becomes of it.
    var isBatch: Bool { path == "batch" }

    static func batch(_ request: String) -> Way { batch("batch", request) }

    static func batch(_ name: String, _ request: String) -> Way {
        Way(name: name, path: "batch", body: #"{"requests":[\#(request)]}"#)
    }

    static func save(_ requests: String) -> Way { save("batch/save", requests) }

    static func save(_ name: String, _ requests: String) -> Way {
        Way(name: name, path: "batch/save", body: #"{"requests":[\#(requests)]}"#)
    }

    static func tunnel(_ path: String, _ body: String) -> Way {
        Way(name: "tunnel", path: path, body: body, isTunnel: true)
    }
}

extension TestResponse {
    /// The code and the message of a refused request, single or the only one of a batch; `nil` if it succeeded.
    func refusal() throws -> Refusal? {
        let value = try JSONValue(parsing: Array(text.utf8), field: "body")
        if let items = value.arrayValue { return Refusal(items.first?.objectValue?["error"]) }
        return status.code < 400 ? nil : Refusal(value)
    }
}

struct Refusal: Equatable {
    let code: Int64
    let message: String

    init(_ code: Int64, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    init?(_ value: JSONValue?) {
        guard let members = value?.objectValue, let code = members["code"]?.integerValue else { return nil }
        self.init(code, members["error"]?.stringValue ?? "")
    }

    static func forbidden(_ operation: String, _ name: String) -> Refusal {
        Refusal(403, "Forbidden to \(operation) by class '\(name)' permissions.")
    }

    static func noWriting(_ id: String) -> Refusal {
        Refusal(403, "Forbidden writing by object's ACL, the object id is \(id).")
    }

    static let noReading = Refusal(403, "Forbidden reading by object's ACL.")
    static let noSession = Refusal(206, "The user cannot be altered by a client without the session.")
}

extension String {
    /// As a value of a URL's query.
    var percentEncoded: String {
        utf8.map { byte in
            byte.isASCIIAlphanumeric ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal
        }.joined()
    }
}
