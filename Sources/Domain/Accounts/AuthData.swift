internal import Crypto

/// The identities of a user on other platforms: `{"github":{"uid":"u1",…},"weixin":{"openid":"o1",…}}` (protocol/data
/// 6.5).
package struct AuthData: Sendable, Hashable {
    /// The field of a user.
    package static let field = "authData"
    /// The platform of anonymous users.
    package static let anonymous = "anonymous"

    /// The data of each platform, including lcfile's own entries for unions (`_weixin_unionid`).
    package private(set) var platforms: [String: JSONValue]

    /// Reads a user's stored `authData`; `nil` means that the user has none.
    package init(stored value: JSONValue?) {
        platforms = value?.objectValue ?? [:]
    }

    /// The stored form.
    package var json: JSONValue { .object(platforms) }

    /// Applies a client's changes in order.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - isImport: Whether the master key imports the user: data of a platform without an id is stored too, as it was
    ///     on the other server, and identifies no user.
    /// - Throws: ``ServiceError/Code/missingLinkedID`` (250) for a platform without an id,
    ///   ``ServiceError/Code/badRequest`` for too many platforms.
    package mutating func apply(_ changes: [Change], isImport: Bool = false) throws {
        for change in changes {
            switch change {
            case .removeAll: platforms = [:]
            case .remove(let platform): platforms[platform] = nil
            case .set(let platform, let data):
                if !isImport { _ = try AuthData.identity(platform, data) }
                platforms[platform] = data
                claimUnion(of: platform, data)
            }
        }
        // A user with another identity is no longer anonymous. The entry of a union exists as long as a platform
        // belongs to it.
        let unions = Set(platforms.compactMap { AuthData.unionIdentity(of: $0.key, $0.value) })
        let isKnown = platforms.keys.contains { $0 != AuthData.anonymous && !$0.hasPrefix("_") }
        platforms = platforms.filter { platform, data in
            if platform == AuthData.anonymous { return !isKnown }
            guard platform.hasPrefix("_") else { return true }
            return (try? AuthData.identity(platform, data)).map(unions.contains) ?? false
        }
        guard platforms.count <= AuthData.maxPlatforms else { throw AuthData.tooMany }
    }

    /// The identities of the user, as strings; each belongs to one user of the app.
    package var identities: Set<String> {
        Set(platforms.compactMap { try? AuthData.identity($0.key, $0.value) })
    }

    /// Whether a platform's id is in the second of its members, which identified no user in earlier versions.
    var hasSecondID: Bool { platforms.contains { AuthData.hasSecondID($0.key, $0.value) } }

    /// The same of the data of one platform.
    static func hasSecondID(_ platform: String, _ data: JSONValue) -> Bool {
        let members = idMembers(of: platform)
        guard id(in: data, members.first) == nil, let second = members.second else { return false }
        return id(in: data, second) != nil
    }

    /// The identity of the union to which a platform's data belongs, as a string.
    package static func unionIdentity(of platform: String, _ data: JSONValue) -> String? {
        union(of: platform, data).map { text(escaped($0.entry), $0.id) }
    }

    /// The identity on a platform, as a string: `github:u1`, or `weixin_app/openid:o1` for an id in the platform's second
    /// member.
    ///
    /// The member is a part of the second form: otherwise, with a verifier that checks one of the members, a client could
    /// log in as another user by the value of the other one.
    ///
    /// - Throws: ``ServiceError/Code/missingLinkedID`` (250) for data without an id.
    package static func identity(_ platform: String, _ data: JSONValue) throws -> String {
        let members = idMembers(of: platform)
        let name = escaped(platform)
        if let id = id(in: data, members.first) { return text(name, id) }
        if let other = members.second, let id = id(in: data, other) { return text("\(name)/\(other)", id) }
        var missing = "authData.\(platform).\(members.first)"
        if let other = members.second { missing += " or authData.\(platform).\(other)" }
        throw ServiceError(.missingLinkedID, "The user ID of the linked account is missing: \(missing).")
    }

    /// The members of a platform's data that can have the id, in the order in which they are read.
    private static func idMembers(of platform: String) -> (first: String, second: String?) {
        switch platform {
        case anonymous: ("id", nil)
        case "weixin", "qq": ("openid", "uid")
        default: ("uid", "openid")
        }
    }

    /// The id in a member of a platform's data; `nil` for an empty one and for other types.
    private static func id(in data: JSONValue, _ member: String) -> String? {
        let id: String? =
            switch data.objectValue?[member] {
            case .string(let text)?: text
            case .integer(let number)?: "\(number)"
            default: nil
            }
        return id?.isEmpty == true ? nil : id
    }

    /// Builds an identity; a long or non-ASCII id is replaced by its digest.
    ///
    /// - Parameters:
    ///   - name: The escaped name of the platform, followed by `/` and the member if it is the second one; it has neither
    ///     `:` nor `#`.
    ///   - id: The id.
    /// - Returns: The identity.
    private static func text(_ name: String, _ id: String) -> String {
        if id.utf8.count <= 200, id.utf8.allSatisfy({ $0 < 0x80 }) { return "\(name):\(id)" }
        return "\(name)#\(SHA256.hash(data: Array(id.utf8)).hexadecimal)"
    }

    /// A platform's name as it is written in an identity: letters, digits, `_` and `-` unchanged, every other byte as two
    /// hexadecimal digits after `%`.
    private static func escaped(_ platform: String) -> String {
        var text = ""
        for byte in platform.utf8 {
            if byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                text += "%\([byte].hexadecimal)"
            }
        }
        return text
    }

    /// Whether the string is a valid name of a platform: 1 to 128 printable ASCII characters without `.` and `$`, which
    /// have a meaning in paths.
    private static func isPlatformName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "$")
            }
    }

    /// Adds the entry of a union if the platform's data claims the union's main account (protocol/data 6.5).
    private mutating func claimUnion(of platform: String, _ data: JSONValue) {
        guard let union = AuthData.union(of: platform, data),
            ["true", "1"].contains(data.objectValue?["main_account"]?.flagText)
        else { return }
        platforms[union.entry] = ["uid": .string(union.id)]
    }

    /// The union of a platform's data; `nil` for anonymous ids, which are not verified.
    private static func union(of platform: String, _ data: JSONValue) -> (entry: String, id: String)? {
        guard platform != anonymous, let members = data.objectValue, let name = members["platform"]?.stringValue,
            let id = members["unionid"]?.stringValue, isPlatformName(name), !id.isEmpty
        else { return nil }
        return ("_\(name)_unionid", id)
    }

    /// The maximum number of platforms of a user.
    static let maxPlatforms = 100

    static let tooMany = ServiceError(
        .badRequest,
        "authData has more than \(maxPlatforms) platforms, the limit."
    )
}

extension AuthData {
    /// One change of `authData` that a client requests.
    package enum Change: Sendable {
        /// Links a platform, or replaces its data.
        case set(String, JSONValue)
        case remove(String)
        case removeAll
    }

    /// Reads the member `authData` or `authData.<platform>` of a body.
    ///
    /// Names that begin with `_` belong to lcfile: some SDKs send them back unchanged, so they are ignored. An import
    /// has them too, and they are stored if they belong to one of its platforms.
    ///
    /// - Parameters:
    ///   - value: The plain value; `nil` removes the stored value.
    ///   - platform: The platform of `authData.<platform>`; `nil` for the whole of `authData`.
    ///   - isImport: Whether the master key imports the user.
    /// - Returns: The changes, one for each platform; `nil` for names that belong to lcfile.
    /// - Throws: ``ServiceError/Code/typeMismatch`` (111), ``ServiceError/Code/invalidKey`` (105).
    package static func changes(
        _ value: JSONValue?,
        of platform: String?,
        isImport: Bool = false
    ) throws -> [Change] {
        if let platform {
            return try change(value ?? .null, of: platform, isImport).map { [$0] } ?? []
        }
        switch value {
        case nil, .null?:
            return [.removeAll]
        case .object(let members)?:
            guard members.count <= AuthData.maxPlatforms else { throw AuthData.tooMany }
            return try members.sorted { $0.key < $1.key }.compactMap { try change($0.value, of: $0.key, isImport) }
        default:
            throw ServiceError(
                .typeMismatch,
                "Invalid value type for field 'authData', expect type is {:type \"Object\"}."
            )
        }
    }

    private static func change(_ value: JSONValue, of platform: String, _ isImport: Bool) throws -> Change? {
        guard isPlatformName(platform) else {
            throw ServiceError(.invalidKey, "Invalid key name in authData: \(JSONValue.string(platform).summary).")
        }
        guard isImport || !platform.hasPrefix("_") else { return nil }
        switch value {
        case .null: return .remove(platform)
        case .object: return .set(platform, value)
        default:
            throw ServiceError(.typeMismatch, "Invalid value type for field 'authData.\(platform)', expect an Object.")
        }
    }
}

extension JSONValue {
    /// The string form of a flag that SDKs write as a boolean, a number or a string.
    fileprivate var flagText: String? {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .string(let text): text
        default: nil
        }
    }
}
