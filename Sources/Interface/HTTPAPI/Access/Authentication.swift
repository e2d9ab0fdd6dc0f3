internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Determines the caller for the routes that follow (protocol/files 1.2, protocol/data 1.2).
struct Authentication: RouterMiddleware {
    let authenticator: Authenticator
    let apps: [AppID: AppServices]
    let limits: RequestLimits

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let address = context.clientAddress
        let fields = CredentialFields(request.headers)
        var caller: Caller
        do {
            caller = try authenticator.authenticate(Credentials(fields)).at(address: address ?? "")
        } catch {
            try limits.takeRequest(from: address)
            throw error
        }
        if let token = fields.sessionToken {
            // A token that no session has costs a query each time.
            try limits.requireRequest(by: caller)
            caller = try await apps.services(of: caller).sessions.caller(caller, showing: token)
        }
        try limits.takeRequest(by: caller)
        context.caller = caller
        context.notes.note(caller.app)
        return try await next(request, context)
    }
}

/// The fields of a request that can be credentials.
///
/// Credentials have many names, each of which is compared with these fields only.
struct CredentialFields {
    private let fields: [HTTPField]

    /// Takes the fields that begin with `X-`, as all credentials of SDKs do.
    init(_ fields: HTTPFields) {
        self.fields = fields.filter { $0.name.canonicalName.utf8.starts(with: "x-".utf8) }
    }

    /// The value of the first of the names whose field exists and is not empty.
    func first(_ names: [HTTPField.Name]) -> String? {
        for name in names {
            var value: String?
            for field in fields where field.name == name {
                // Several lines are one list (RFC 9110 section 5.3), which no credential matches.
                value = value.map { "\($0), \(field.value)" } ?? field.value
            }
            if let value, !value.isEmpty { return value }
        }
        return nil
    }

    /// The session token of a request, not checked.
    var sessionToken: String? { first(HTTPField.Name.session) }
}

extension HTTPFields {
    /// The session token of a request, not checked.
    var sessionToken: String? { CredentialFields(self).sessionToken }
}

extension Credentials {
    /// Reads the current headers and those of old SDKs; in each list the first header that exists counts.
    init?(_ fields: CredentialFields) {
        guard let id = fields.first(HTTPField.Name.appID) else { return nil }
        if let key = fields.first(HTTPField.Name.masterKey) {
            self.init(appID: id, proof: .masterKey(key))
        } else if let key = fields.first(HTTPField.Name.appKey) {
            self.init(appID: id, proof: .key(key))
        } else if let text = fields.first(HTTPField.Name.signature) {
            self.init(appID: id, proof: .signature(text))
        } else {
            return nil
        }
    }
}

extension HTTPFields {
    /// Whether some of the fields can be credentials: those of LeanCloud's SDKs, and `Authorization`.
    ///
    /// A client that follows a redirect can repeat all of them at another server.
    var canHaveCredentials: Bool {
        contains { field in
            let name = field.name.canonicalName
            return name == "authorization" || ["x-lc-", "x-avoscloud-", "x-uluru-"].contains { name.hasPrefix($0) }
        }
    }
}

extension HTTPField.Name {
    static let appID = ["X-LC-Id", "X-AVOSCloud-Application-Id", "X-Uluru-Application-Id"].map(known)
    static let appKey = ["X-LC-Key", "X-AVOSCloud-Application-Key", "X-Uluru-Application-Key"].map(known)
    static let masterKey = ["X-AVOSCloud-Master-Key", "X-Uluru-Master-Key"].map(known)
    static let signature = ["X-LC-Sign", "X-AVOSCloud-Request-Sign"].map(known)
    static let session = ["X-LC-Session", "X-AVOSCloud-Session-Token", "X-Uluru-Session-Token"].map(known)
    static let production =
        ["X-LC-Prod", "X-AVOSCloud-Application-Production", "X-Uluru-Application-Production"].map(known)
    static let client = [
        "X-LC-UA", "X-LC-Hook-Key", "X-AVOSCloud-Client-Version", "X-AVOSCloud-Super-Key", "X-Uluru-Client-Version",
        "X-Requested-With",
    ].map(known)
}
