internal import Crypto

/// The identities of a user on other platforms: `{"github":{"uid":"u1",…},"weixin":{"openid":"o1",…}}` (protocol/data
/// 6.5).
package struct AuthData: Sendable, Hashable {
    /// The field of a user.
    package static let field = "authData"
    /// The platform of anonymous users.
    package static let anonymous = "anonymous"

    /// What is known of each platform, our own entries for unions (`_weixin_unionid`) among them.
    package private(set) var platforms: [String: JSONValue]

    /// Takes what a user holds; `nil` if it holds none.
    package init(stored value: JSONValue?) {
        platforms = value?.objectValue ?? [:]
    }

    /// As it is stored.
    package var json: JSONValue { .object(platforms) }

    /// Carries out what a client asks, in order.
    package mutating func apply(_ changes: [Change]) throws {
        for change in changes {
            switch change {
            case .removeAll: platforms = [:]
            case .remove(let platform): platforms[platform] = nil
            case .set(let platform, let data):
                platforms[platform] = data
                claimUnion(of: platform, data)
            }
        }
        // A user with another identity is no longer anonymous. The entry of a union exists as long as a platform
        // belongs to it.
        let unions = Set(platforms.compactMap { AuthData.unionIdentity(of: $0.key, $0.value) })
        let isKnown = platforms.keys.contains { $0 != AuthData.anonymous && !$0.hasPrefix("_") }
        platforms = try platforms.filter { platform, data in
            if platform == AuthData.anonymous { return !isKnown }
            return try !platform.hasPrefix("_") || unions.contains(AuthData.identity(platform, data))
        }
        guard platforms.count <= AuthData.maxPlatforms else { throw AuthData.tooMany }
    }

    /// The identities of the user, as strings; each belongs to one user of the app.
    ///
    /// - Throws: ``ServiceError/Code/missingLinkedID`` (250) for a platform that does not say.
    package func identities() throws -> Set<String> {
        Set(try platforms.map { try AuthData.identity($0.key, $0.value) })
    }

    /// The union that a platform's data belongs to, as such a text.
    package static func unionIdentity(of platform: String, _ data: JSONValue) -> String? {
        union(of: platform, data).map { text("\($0.entry)", $0.id) }
    }

    /// The identity on a platform, as such a string.
    package static func identity(_ platform: String, _ data: JSONValue) throws -> String {
        let name =
            switch platform {
            case "weixin", "qq": "openid"
            case anonymous: "id"
            default: "uid"
            }
        let id: String? =
            switch data.objectValue?[name] {
            case .string(let text)?: text
            case .integer(let number)?: "\(number)"
            default: nil
            }
        guard let id, !id.isEmpty else {
            throw ServiceError(
                .missingLinkedID,
                "The user ID of the linked account is missing: authData.\(platform).\(name)."
            )
        }
        return text(platform, id)
    }

    /// Ids that are long, or could be written in several ways, stand as their digest; `#` is in no platform's name.
    private static func text(_ platform: String, _ id: String) -> String {
        if id.utf8.count <= 200, id.utf8.allSatisfy({ $0 < 0x80 }) { return "\(platform):\(id)" }
        return "\(platform)#\(SHA256.hash(data: Array(id.utf8)).hexadecimal)"
    }

    /// Writes the entry of a union whose main account a platform says it is (protocol/data 6.5).
    private mutating func claimUnion(of platform: String, _ data: JSONValue) {
        guard let union = AuthData.union(of: platform, data),
            ["true", "1"].contains(data.objectValue?["main_account"]?.flagText)
        else { return }
        platforms[union.entry] = ["uid": .string(union.id)]
    }

    /// An anonymous id is not verified, so it belongs to no union.
    private static func union(of platform: String, _ data: JSONValue) -> (entry: String, id: String)? {
        guard platform != anonymous, let members = data.objectValue, let name = members["platform"]?.stringValue,
            let id = members["unionid"]?.stringValue, FieldPath.isFieldName(name), !id.isEmpty
        else { return nil }
        return ("_\(name)_unionid", id)
    }

    /// More platforms than a user can have accounts on.
    static let maxPlatforms = 100

    static let tooMany = ServiceError(
        .badRequest,
        "authData has more than \(maxPlatforms) platforms, the limit."
    )
}

extension AuthData {
    /// One thing that a client asks of `authData`.
    package enum Change: Sendable {
        /// Links a platform, or replaces what is known of it.
        case set(String, JSONValue)
        case remove(String)
        case removeAll
    }

    /// Reads what a member `authData`, or `authData.<platform>`, of a body says.
    ///
    /// Names that begin with `_` are ours: some SDKs send them back as they got them, so they change nothing.
    ///
    /// - Parameters:
    ///   - value: The plain value; nothing removes what is there.
    ///   - platform: Of `authData.<platform>`; `nil` for all of it.
    /// - Returns: What it asks, by platform; `nil` for names of ours.
    /// - Throws: ``ServiceError/Code/typeMismatch`` (111), ``ServiceError/Code/invalidKey`` (105).
    package static func changes(_ value: JSONValue?, of platform: String?) throws -> [Change] {
        if let platform {
            return try change(value ?? .null, of: platform).map { [$0] } ?? []
        }
        switch value {
        case nil, .null?:
            return [.removeAll]
        case .object(let members)?:
            guard members.count <= AuthData.maxPlatforms else { throw AuthData.tooMany }
            return try members.sorted { $0.key < $1.key }.compactMap { try change($0.value, of: $0.key) }
        default:
            throw ServiceError(
                .typeMismatch,
                "Invalid value type for field 'authData', expect type is {:type \"Object\"}."
            )
        }
    }

    private static func change(_ value: JSONValue, of platform: String) throws -> Change? {
        guard FieldPath.isFieldName(platform) else {
            throw ServiceError(.invalidKey, "Invalid key name in authData: '\(platform.prefix(64))'.")
        }
        guard !platform.hasPrefix("_") else { return nil }
        switch value {
        case .null: return .remove(platform)
        case .object: return .set(platform, value)
        default:
            throw ServiceError(.typeMismatch, "Invalid value type for field 'authData.\(platform)', expect an Object.")
        }
    }
}

extension JSONValue {
    /// A flag that SDKs write as a boolean, a number or a text.
    fileprivate var flagText: String? {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .string(let text): text
        default: nil
        }
    }
}
