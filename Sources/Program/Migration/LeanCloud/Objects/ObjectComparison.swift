internal import FileClient
internal import FoundationEssentials

/// Compares an object of an export with the one that the server has.
///
/// Values that mean the same are equal: pointers with or without the fields of their objects, files by their id, times
/// with other digits, whole numbers with and without a fraction. What the server does not show (hashes of passwords,
/// tokens) is not compared.
struct ObjectComparison: Sendable {
    /// The class.
    let className: String
    /// The fields of the class on the server, whose defaults objects show without having them.
    let fields: [String: ClassField]

    /// The names of the fields that differ, in order.
    func differences(_ exported: JSON, _ stored: JSON) -> [String] {
        let (old, new) = (withoutMissing(exported).members ?? [:], withoutMissing(stored).members ?? [:])
        // An empty `authData` of a user says that LeanCloud has no identity; without the member it says nothing.
        let hasUnlinked = className == "_User" && exported["authData"] != nil && old["authData"] == nil
        return Set(old.keys).union(new.keys).filter { name in
            if name == "authData", hasUnlinked { return true }
            return !isLeftOut(name) && !isSame(name, old[name], new[name])
        }.sorted()
    }

    /// The object without the values that count as missing: of a user, names that are null or empty, and `authData`
    /// without a platform (docs/accounts.md#imported-users).
    func withoutMissing(_ object: JSON) -> JSON {
        guard className == "_User", let members = object.members else { return object }
        return .object(
            members.filter { name, value in
                switch name {
                case "username", "email", "mobilePhoneNumber": value != .null && value != .string("")
                case "authData": value != .null && value != .object([:])
                default: true
                }
            }
        )
    }

    private static let leftOut: Set<String> = ["__type", "className"]
    private static let secrets: Set<String> = ["password", "salt", "bcryptPassword", "sessionToken"]
    /// What the server makes itself, from the key, the app, its settings and its checks of images.
    private static let madeOfFiles: Set<String> = ["url", "bucket", "provider", "censorResult"]
    /// What the server adds to a user that lacks it; `authData` only if the export does not have the member.
    private static let addedToUsers: Set<String> = ["username", "emailVerified", "mobilePhoneVerified", "authData"]

    private func isLeftOut(_ name: String) -> Bool {
        ObjectComparison.leftOut.contains(name) || className == "_User" && ObjectComparison.secrets.contains(name)
            || className == "_File" && ObjectComparison.madeOfFiles.contains(name)
    }

    private func isSame(_ name: String, _ old: JSON?, _ new: JSON?) -> Bool {
        switch (className, name) {
        case (_, "ACL"): return ObjectComparison.grants(old) == ObjectComparison.grants(new)
        case (_, "createdAt"), (_, "updatedAt"):
            // A row without times gets those of the import.
            guard let old else { return true }
            return ObjectComparison.time(old.string ?? old["iso"]?.string) == ObjectComparison.time(new?.string)
        case ("_File", "mime_type"): return old == nil || essence(old) == essence(new)
        case ("_File", "metaData"):
            // The server adds members, such as the size.
            let (old, new) = (old?.members ?? [:], new?.members ?? [:])
            return old.allSatisfy { name, value in
                name == "__source" || new[name].map { ObjectComparison.isSame(value, $0) } == true
            }
        case ("_User", _) where old == nil && ObjectComparison.addedToUsers.contains(name): return true
        default: break
        }
        if ObjectComparison.isRelation(old) || ObjectComparison.isRelation(new) { return true }
        guard let old, let new else {
            if className == "_User", old ?? .null == .null, new ?? .null == .null { return true }
            guard old == nil, let new, let shown = fields[name]?.defaultValue else { return old == nil && new == nil }
            return ObjectComparison.isSame(shown, new)
        }
        return ObjectComparison.isSame(old, new)
    }

    private func essence(_ type: JSON?) -> String {
        (type?.string ?? "").prefix { $0 != ";" }.trimmingSuffix { $0 == " " }.lowercased()
    }

    static func isRelation(_ value: JSON?) -> Bool { value?["__type"]?.string == "Relation" }

    /// The granted rights by entry; `false` means the same as a missing right, and a missing ACL that all have all.
    private static func grants(_ acl: JSON?) -> [String: Set<String>] {
        guard let entries = (acl ?? ExtendedJSON.everyone).members else { return grants(nil) }
        return entries.mapValues { Set(($0.members ?? [:]).filter { $0.value == .bool(true) }.keys) }
            .filter { !$0.value.isEmpty }
    }

    private static func isSame(_ old: JSON, _ new: JSON) -> Bool {
        switch (old, new) {
        case (.integer(let left), .number(let right)): return Double(left) == right
        case (.number(let left), .integer(let right)): return left == Double(right)
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.object(let left), .object(let right)):
            if let (left, right) = (typed(left), typed(right)) as? (TypedValue, TypedValue) { return left == right }
            return left.count == right.count
                && left.allSatisfy { name, value in right[name].map { isSame(value, $0) } == true }
        default: return old == new
        }
    }

    private enum TypedValue: Equatable {
        case pointer(String, String)
        case date(Date)
        case bytes(Data)
    }

    private static func typed(_ members: [String: JSON]) -> TypedValue? {
        switch members["__type"]?.string {
        case "File": (members["objectId"]?.string ?? members["id"]?.string).map { .pointer("_File", $0) }
        case "Pointer", "Object": .pointer(members["className"]?.string ?? "", members["objectId"]?.string ?? "")
        case "Date": time(members["iso"]?.string).map { .date($0) }
        case "Bytes": bytes(members["base64"]?.string).map { .bytes($0) }
        default: nil
        }
    }

    /// The bytes of Base64; the server stores it without the line breaks that Objective-C writes.
    private static func bytes(_ text: String?) -> Data? {
        let digits = text?.utf8.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        return digits.flatMap { Data(base64Encoded: Data($0)) }
    }

    /// Whether an object of an export was changed after the one that the server has; one without a time was not.
    static func isNewer(_ exported: JSON, than stored: JSON) -> Bool {
        guard let given = time(exported["updatedAt"]?.string), let known = time(stored["updatedAt"]?.string) else {
            return false
        }
        return given > known
    }

    /// A time, to the millisecond.
    private static func time(_ text: String?) -> Date? {
        guard var text else { return nil }
        if let known = try? Date(text, strategy: withFraction) { return rounded(known) }
        if let dot = text.firstIndex(of: ".") { text.removeSubrange(dot..<(text.lastIndex(of: "Z") ?? text.endIndex)) }
        return try? Date(text, strategy: Date.ISO8601FormatStyle())
    }

    private static func rounded(_ time: Date) -> Date {
        Date(timeIntervalSince1970: (time.timeIntervalSince1970 * 1000).rounded() / 1000)
    }

    private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var text = String(self)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
