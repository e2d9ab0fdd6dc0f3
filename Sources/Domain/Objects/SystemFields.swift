/// The id and the times of a new object or file, and the time that an update gives.
package struct SystemFields {
    let id: ObjectID
    let createdAt: Timestamp
    let updatedAt: Timestamp

    /// The members of a body that name them.
    package static let names: Set<String> = ["objectId", "createdAt", "updatedAt"]

    /// Takes what the body gives, as imports do (protocol/data 10), and generates the rest.
    ///
    /// - Parameters:
    ///   - given: The members of the body among ``names``.
    ///   - caller: The caller, who must have the master key to give one.
    ///   - ids: Generates the id that the body does not give.
    ///   - clock: Returns the time that it does not give.
    /// - Throws: ``ServiceError/Code/invalidKey`` for other callers, ``ServiceError/Code/badRequest`` naming the member
    ///   with an invalid value.
    init(_ given: [String: JSONValue], by caller: Caller, ids: ObjectIDGenerator, clock: () -> Timestamp) throws {
        try SystemFields.require(given, settableBy: caller)
        id = try given["objectId"].map(SystemFields.id) ?? ids.next()
        createdAt = try given["createdAt"].map { try SystemFields.time($0, "createdAt") } ?? clock()
        updatedAt = try given["updatedAt"].map { try SystemFields.time($0, "updatedAt") } ?? createdAt
    }

    /// The fields of a file whose upload was announced with them.
    init(id: ObjectID, createdAt: Timestamp, updatedAt: Timestamp) {
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// The time that the body of an update gives to the object; `nil` if it gives none.
    ///
    /// - Throws: As ``init(_:by:ids:clock:)``.
    static func updatedAt(_ given: [String: JSONValue], by caller: Caller) throws -> Timestamp? {
        try require(given, settableBy: caller)
        return try given["updatedAt"].map { try time($0, "updatedAt") }
    }

    /// Throws ``ServiceError/Code/invalidKey`` if the body gives a member and the caller has no master key.
    static func require(_ given: [String: JSONValue], settableBy caller: Caller) throws {
        if let name = given.keys.min(), !caller.isMaster { throw FieldPath.refusal(of: name) }
    }

    private static func id(_ value: JSONValue) throws -> ObjectID {
        guard let id = value.stringValue.flatMap(ObjectID.init) else {
            throw ServiceError(.badRequest, "objectId must be a String of 1 to 64 letters and digits.")
        }
        return id
    }

    /// Parses a time: a string, as in replies and exports, or a value of type Date.
    private static func time(_ value: JSONValue, _ name: String) throws -> Timestamp {
        let text = value.stringValue ?? value.objectValue?["iso"]?.stringValue
        guard let time = text.flatMap({ Timestamp(iso8601: $0) }) else {
            throw ServiceError(.badRequest, "\(name) must be a time in ISO 8601, such as 2026-01-31T08:00:00.000Z.")
        }
        return time
    }
}
