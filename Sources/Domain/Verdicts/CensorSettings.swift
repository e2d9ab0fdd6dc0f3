/// One app's settings of censorship, which the master key changes while the server runs; stored as an object of the class
/// `_CensorSettings`.
package struct CensorSettings: Sendable, Hashable {
    /// Whether new images are checked (`auto`).
    package var isAutomatic = false
    /// Whether an image is served only after it passed (`hold`).
    package var holds = false
    /// The score below which the classifier passes an image (`passBelow`).
    package var passBelow = 0.2
    /// The score above which the classifier rejects an image (`rejectAbove`).
    package var rejectAbove = 0.8
    /// The greatest number of bits in which the hashes of two copies of an image differ (`hashDistance`).
    package var hashDistance = 31
    /// The file that is served instead of one that is blocked; `nil` for 403 (`blockedImage`).
    package var blockedImage: ObjectID?
    /// Seconds for which clients can cache images while ``isAutomatic`` is set (`cacheSeconds`).
    package var cacheSeconds = 3600
    /// Whether the user who owns a file sees its verdict (`showToOwner`).
    package var isShownToOwner = false

    /// Creates the default settings.
    package init() {}

    /// The id of the object that stores them.
    package static let id = ObjectID(uncheckedHex: "censorsettings")

    /// The members of the API, and the fields of the stored object.
    package var members: [String: JSONValue] {
        [
            "auto": .bool(isAutomatic), "hold": .bool(holds), "passBelow": .number(passBelow),
            "rejectAbove": .number(rejectAbove), "hashDistance": .integer(Int64(hashDistance)),
            "blockedImage": blockedImage.map { .string($0.description) } ?? .null,
            "cacheSeconds": .integer(Int64(cacheSeconds)), "showToOwner": .bool(isShownToOwner),
        ]
    }

    /// The settings after a change.
    ///
    /// - Parameter given: The members to change.
    /// - Returns: The new settings.
    /// - Throws: ``ServiceError/Code/badRequest`` naming a member that is unknown or out of range.
    package func changed(by given: [String: JSONValue]) throws -> CensorSettings {
        var settings = self
        for (name, value) in given.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "auto": settings.isAutomatic = try CensorSettings.flag(value, name)
            case "hold": settings.holds = try CensorSettings.flag(value, name)
            case "showToOwner": settings.isShownToOwner = try CensorSettings.flag(value, name)
            case "passBelow": settings.passBelow = try CensorSettings.score(value, name)
            case "rejectAbove": settings.rejectAbove = try CensorSettings.score(value, name)
            case "hashDistance": settings.hashDistance = try CensorSettings.whole(value, name, 0...64)
            case "cacheSeconds": settings.cacheSeconds = try CensorSettings.whole(value, name, 0...31_536_000)
            case "blockedImage": settings.blockedImage = try CensorSettings.file(value)
            default: throw ServiceError(.badRequest, "'\(name.prefix(64))' is not a setting of censorship.")
            }
        }
        guard settings.passBelow <= settings.rejectAbove else {
            throw ServiceError(.badRequest, "passBelow must not be greater than rejectAbove.")
        }
        return settings
    }

    private static func flag(_ value: JSONValue, _ name: String) throws -> Bool {
        guard case .bool(let flag) = value else { throw ServiceError(.badRequest, "\(name) must be true or false.") }
        return flag
    }

    private static func score(_ value: JSONValue, _ name: String) throws -> Double {
        guard let score = value.numberValue, (0...1).contains(score) else {
            throw ServiceError(.badRequest, "\(name) must be a number from 0 to 1.")
        }
        return score
    }

    private static func whole(_ value: JSONValue, _ name: String, _ range: ClosedRange<Int64>) throws -> Int {
        guard let number = value.integerValue, range.contains(number) else {
            throw ServiceError(
                .badRequest,
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return Int(number)
    }

    private static func file(_ value: JSONValue) throws -> ObjectID? {
        if case .null = value { return nil }
        guard let id = value.stringValue.flatMap(ObjectID.init) else {
            throw ServiceError(.badRequest, "blockedImage must be the objectId of a file, or null.")
        }
        return id
    }
}

extension ReadTransaction {
    /// The app's settings of censorship.
    package func censorSettings() throws -> CensorSettings {
        let stored = try object(CensorSettings.id, in: .censorSettings)?.fields ?? [:]
        return try CensorSettings().changed(by: stored)
    }
}

extension WriteTransaction {
    /// Replaces the app's settings of censorship.
    package func save(_ settings: CensorSettings, at now: Timestamp) throws {
        if var object = try object(CensorSettings.id, in: .censorSettings) {
            object.fields = settings.members
            object.updatedAt = now
            try update(object, in: .censorSettings)
        } else {
            let object = StoredObject(id: CensorSettings.id, createdAt: now, updatedAt: now, fields: settings.members)
            try insert(object, into: .censorSettings)
        }
    }
}
