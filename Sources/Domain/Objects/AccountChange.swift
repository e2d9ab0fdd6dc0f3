/// The part of a change of a user that concerns the account: fields with their own rules.
struct AccountChange {
    /// The changes of `authData`.
    let authData: [AuthData.Change]
    /// The hash of the password that the change sets.
    private(set) var passwordHash: PasswordHash?
    /// See ``ObjectChange/importedHash``.
    private let importedHash: PasswordHash?
    /// The account names that the change sets or deletes.
    let names: [AccountName]
    /// The account names that the change sets.
    let given: [AccountName]
    /// Fields that the reply shows although they were removed from the change.
    let fields: Set<String>

    /// Removes the account fields from a change; the remaining change is applied as for every class.
    ///
    /// - Throws: 105, 111 for `authData` of another form; 117 for account fields that cannot be written in this way.
    init(taking change: inout ObjectChange) throws {
        if let secret = AccountChange.secrets.first(where: change.fields.contains) {
            throw ServiceError(.readOnlyField, "The field '\(secret)' is read only.")
        }
        if change.isFromOtherServer { change.removeEmptyNames() }
        var authData: [AuthData.Change] = []
        let removed = change.remove(AuthData.field)
        for (path, operation) in removed {
            guard path.inner.count <= 1 else {
                throw ServiceError(.invalidKey, "Invalid key name. '\(path)' is nested too deep in authData.")
            }
            let value: JSONValue?
            switch operation {
            case .set(let new): value = new
            case .delete: value = nil
            default:
                throw ServiceError(.typeMismatch, "The field 'authData' can only be set or deleted.")
            }
            authData += try AuthData.changes(value, of: path.inner.first, isImport: change.isFromOtherServer)
            guard authData.count <= AuthData.maxPlatforms else { throw AuthData.tooMany }
        }
        self.authData = authData
        fields = removed.isEmpty ? [] : [AuthData.field]
        passwordHash = change.passwordHash
        importedHash = change.importedHash
        let touched = change.fields
        names = AccountName.allCases.filter { touched.contains($0.rawValue) }
        given = names.filter { [change = change] in ![nil, .null].contains(change.value(of: $0.rawValue)) }
    }

    /// Fields that are never stored with a user: ``AccountPreparation`` removes them from the requests of clients.
    static let secrets = ["password", "salt", "bcryptPassword", "sessionToken"]

    /// Fields that a change of other fields can change; the reply shows those that it changed.
    static let derivedFields = AccountName.allCases.compactMap(\.verifiedField) + [AuthData.field]

    /// Drops the hash of a repeated import that says nothing new about the password, so that nothing ends by it.
    ///
    /// - Parameters:
    ///   - user: The user as stored.
    ///   - time: The time of the last change that the import gives.
    mutating func dropKnownPassword(of user: StoredObject, changedAt time: Timestamp) {
        guard let hash = importedHash, ImportedCredentials.know(hash, of: user, changedAt: time) else { return }
        passwordHash = nil
    }

    /// Throws ``ServiceError/Code/missingUsername`` (200) if the change gives a new user no name.
    func requireName() throws {
        guard !given.isEmpty || names.contains(.username) else {
            throw ServiceError(.missingUsername, "Username is missing or empty.")
        }
    }

    /// The platforms whose data a verifier confirms.
    var claimed: [String] { linked.map(\.platform).filter { $0 != AuthData.anonymous } }

    /// The platforms that the change links or logs in with.
    var linked: [(platform: String, data: JSONValue)] {
        authData.compactMap { change in
            if case .set(let platform, let data) = change { (platform, data) } else { nil }
        }
    }
}

extension ObjectChange {
    /// Removes account names without a value from an import: exports have null and empty strings for them, and unique
    /// names would collide.
    fileprivate mutating func removeEmptyNames() {
        for name in AccountName.allCases.map(\.rawValue) {
            guard let text = value(of: name), text == .null || text == .string("") else { continue }
            _ = remove(name)
        }
    }
}
