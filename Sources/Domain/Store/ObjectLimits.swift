/// The limits of objects and classes, each a setting.
package struct ObjectLimits: Sendable {
    /// The maximum size of an object's JSON in bytes.
    package var objectSize: Int
    /// The maximum number of fields of a class.
    package var columns: Int
    /// The maximum number of classes of an app, without the built-in ones.
    package var classes: Int
    /// The maximum number of indexes of a class that the master key created.
    package var indexes: Int
    /// The percentage of classes and columns that guests can fill; the rest is reserved for users and the master key.
    package var guestShare: Int
    /// The percentage of them that users can fill; the rest is reserved for the master key.
    package var userShare: Int

    /// Creates limits; the defaults are those of the settings.
    package init(
        objectSize: Int = 128 << 10,
        columns: Int = 300,
        classes: Int = 500,
        indexes: Int = 20,
        guestShare: Int = 60,
        userShare: Int = 80
    ) {
        self.objectSize = objectSize
        self.columns = columns
        self.classes = classes
        self.indexes = indexes
        self.guestShare = guestShare
        self.userShare = userShare
    }
}

extension ObjectLimits {
    /// The share of a limit that a caller can fill, and the settings that define it.
    ///
    /// All callers of an app share one limit. If guests could use all of it, the owner could not create a class any
    /// more.
    func share(of limit: Int, named setting: String, for caller: Caller) -> (count: Int, settings: String) {
        switch caller.identity {
        case .master: (limit, setting)
        case .user: (max(1, limit * userShare / 100), "\(setting), objects.userShare")
        case .guest: (max(1, limit * guestShare / 100), "\(setting), objects.guestShare")
        }
    }
}

extension ObjectLimits {
    /// Throws ``ServiceError/Code/objectTooLarge`` if an object with its ACL has more bytes than the limit.
    func requireSize(of object: StoredObject) throws {
        let acl = object.acl.map { JSONValue.object($0.json).encoded().count } ?? 0
        let size = JSONValue.object(object.fields).encoded().count + acl
        guard size <= objectSize else {
            throw ServiceError(
                .objectTooLarge,
                "The object has \(size) bytes; the limit is \(objectSize) (objects.maxSize)."
            )
        }
    }

    /// Throws ``ServiceError/Code/badRequest`` if a class has the maximum number of indexes.
    func requireCapacity(forIndexOf schema: ClassSchema) throws {
        guard schema.indexes.count < indexes else {
            throw ServiceError(.badRequest, "The class has \(indexes) indexes, the limit (objects.maxIndexes).")
        }
    }
}

extension WriteTransaction {
    /// The schema of a class that a caller creates.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the app has as many classes as the caller is allowed to fill it
    ///   with.
    func newClass(_ name: ClassName, within limits: ObjectLimits, for caller: Caller) throws -> ClassSchema {
        let limit = limits.share(of: limits.classes, named: "objects.maxClasses", for: caller)
        guard try name.isBuiltIn || schemas().count(where: { !$0.name.isBuiltIn }) < limit.count else {
            throw ServiceError(
                .badRequest,
                "The app has too many classes for the new class '\(name)'; the limit is \(limit.count) (\(limit.settings))."
            )
        }
        return ClassSchema(name: name)
    }
}
