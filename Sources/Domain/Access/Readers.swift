/// The ACL entries that count when objects are read: the value by which stores leave out objects that the caller is not
/// allowed to read.
package enum Readers: Sendable, Hashable {
    /// No ACL stops them: the master key, and lcfile itself.
    case unrestricted
    /// Objects without an ACL, and those whose ACL lets one of the subjects read.
    case subjects(Subjects)

    /// Whether they may read what has this ACL; `nil` means everyone may.
    package func canRead(_ acl: AccessControlList?) -> Bool {
        switch self {
        case .unrestricted: true
        case .subjects(let subjects): acl?.grants(.read, to: subjects) ?? true
        }
    }

    /// The same of an ACL in stored form.
    package func canRead(stored acl: [UInt8]?) -> Bool {
        switch self {
        case .unrestricted: true
        case .subjects(let subjects): acl?.withUnsafeBufferPointer { subjects.have(.read, in: $0) } ?? true
        }
    }
}

/// The ACL entries that apply to a caller: `*`, the user's id, `role:<name>` for each role; created once for a session.
package struct Subjects: Sendable, Hashable {
    /// Each of them.
    package let all: Set<String>
    /// All as a JSON array, as a store compares them.
    package let json: String

    /// The ACL entries of a guest.
    package static let guest = Subjects([AccessControlList.everyoneEntry])

    /// What stands for a user.
    package init(user: ObjectID, roles: Set<String>) {
        self.init([AccessControlList.everyoneEntry, user.description] + roles.map(AccessControlList.subject(ofRole:)))
    }

    private init(_ subjects: [String]) {
        all = Set(subjects)
        json = String(decoding: JSONValue.array(all.sorted().map(JSONValue.string)).encoded(), as: UTF8.self)
    }

    /// Whether an ACL grants one of them a right.
    ///
    /// - Parameters:
    ///   - right: What is asked for.
    ///   - acl: The ACL as canonical JSON, as stores hold it; it is not parsed, because a query may check every row.
    /// - Returns: Whether some entry says so.
    package func have(_ right: AccessControlList.Right, in acl: UnsafeBufferPointer<UInt8>) -> Bool {
        var entries = MemberScanner(acl)
        while let (name, rights) = entries.next() {
            // `read` stands before `write`.
            let isGranted =
                switch right {
                case .read: acl[rights].starts(with: #"{"read":true"#.utf8)
                case .write: acl[rights].reversed().starts(with: #"}eurt:"etirw""#.utf8)
                }
            if isGranted, all.contains(String(decoding: acl[name], as: UTF8.self)) { return true }
        }
        return false
    }

    package static func == (left: Subjects, right: Subjects) -> Bool { left.json == right.json }

    package func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
