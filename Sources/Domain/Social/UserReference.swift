/// A user in a path: an id, or `self` for the user of the session.
package enum UserReference: Sendable, Equatable {
    case caller
    case id(ObjectID)

    /// Parses a segment of a path; a string that is no id names a user who does not exist.
    ///
    /// - Throws: ``ServiceError/Code/userNotFound``.
    package init(_ text: String) throws {
        guard text != "self" else {
            self = .caller
            return
        }
        guard let id = ObjectID(text) else { throw ServiceError(.userNotFound, "Could not find user.") }
        self = .id(id)
    }

    /// The user's id.
    ///
    /// - Throws: ``ServiceError/Code/sessionRequired`` for `self` without a session.
    func id(for caller: Caller) throws -> ObjectID {
        switch self {
        case .id(let id): return id
        case .caller:
            guard let user = caller.user else { throw Caller.noSession }
            return user.id
        }
    }
}

extension Pointer {
    /// Parses a pointer to a user in a body or, as JSON text, in a parameter; `nil` for a missing one.
    ///
    /// - Throws: ``ServiceError/Code/malformedPointer`` naming the field.
    static func user(_ json: JSONValue?, field: String) throws -> ObjectID? {
        var json = json
        if case .string(let text)? = json {
            json = text.isEmpty ? nil : try JSONValue(parsing: Array(text.utf8), field: field, depth: 8)
        }
        guard let json, json != .null else { return nil }
        guard let members = json.objectValue, let pointer = try? Pointer(members), pointer.className == .user else {
            throw ServiceError(.malformedPointer, "\(field) must be a pointer to an object of '_User'.")
        }
        return pointer.id
    }
}
