/// The ACL entries that count when objects are read; stores use them to leave out objects that the caller is not
/// allowed to read.
package enum Readers: Sendable, Hashable {
    /// No ACL applies: the master key, and lcfile itself.
    case unrestricted
    /// Objects without an ACL, and objects whose ACL grants one of the subjects read access.
    case subjects(Subjects)

    /// Whether an object with this ACL can be read; `nil` means an object without an ACL.
    package func canRead(_ acl: AccessControlList?) -> Bool {
        switch self {
        case .unrestricted: true
        case .subjects(let subjects): acl?.grants(.read, to: subjects) ?? true
        }
    }

    /// Whether an object can be read, with the ACL in stored form.
    package func canRead(stored acl: [UInt8]?) -> Bool {
        switch self {
        case .unrestricted: true
        case .subjects(let subjects): acl?.withUnsafeBufferPointer { subjects.have(.read, in: $0) } ?? true
        }
    }
}

/// The ACL entries that apply to a caller: `*`, the user's id, `role:<name>` for each role; created once for a session.
package struct Subjects: Sendable, Hashable {
    /// The set of entries.
    package let all: Set<String>
    /// The entries as a JSON array, the form in which a store compares them.
    package let json: String
    /// The entries as their names stand in stored ACLs.
    private let names: TextTable

    /// The ACL entries of a guest.
    package static let guest = Subjects([AccessControlList.everyoneEntry])

    /// The ACL entries of a user.
    package init(user: ObjectID, roles: Set<String>) {
        self.init([AccessControlList.everyoneEntry, user.description] + roles.map(AccessControlList.subject(ofRole:)))
    }

    private init(_ subjects: [String]) {
        all = Set(subjects)
        json = String(decoding: JSONValue.array(all.sorted().map(JSONValue.string)).encoded(), as: UTF8.self)
        names = TextTable(all.map { JSONValue.string($0).encoded().dropFirst().dropLast() }, answer: true)
    }

    /// Whether an ACL grants one of the subjects a right.
    ///
    /// - Parameters:
    ///   - right: The right to check.
    ///   - acl: The ACL as canonical JSON, the stored form; it is not parsed, because a query can check every row.
    /// - Returns: `true` if an entry grants the right.
    package func have(_ right: AccessControlList.Right, in acl: UnsafeBufferPointer<UInt8>) -> Bool {
        var entries = MemberScanner(acl)
        while let (name, rights) = entries.next() {
            // In canonical JSON `read` precedes `write`.
            let isGranted =
                switch right {
                case .read: acl[rights].starts(with: #"{"read":true"#.utf8)
                case .write: acl[rights].reversed().starts(with: #"}eurt:"etirw""#.utf8)
                }
            if isGranted, names.answer(for: UnsafeBufferPointer(rebasing: acl[name])) == true { return true }
        }
        return false
    }

    package static func == (left: Subjects, right: Subjects) -> Bool { left.json == right.json }

    package func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
