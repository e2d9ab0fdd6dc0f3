/// The limits of objects and classes, each a setting.
package struct ObjectLimits: Sendable {
    /// The maximum size of an object's JSON in bytes.
    package var objectSize: Int
    /// The same for the master key, if it is greater: imports have objects of up to 16 MB (protocol/data 11, code 116).
    package var masterObjectSize: Int
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

    /// The maximum of both settings for the size of an object, in bytes.
    package static let maxObjectSize = 16 << 20

    /// Creates limits; the defaults are those of the settings.
    package init(
        objectSize: Int = 128 << 10,
        masterObjectSize: Int = ObjectLimits.maxObjectSize,
        columns: Int = 300,
        classes: Int = 500,
        indexes: Int = 20,
        guestShare: Int = 60,
        userShare: Int = 80
    ) {
        self.objectSize = objectSize
        self.masterObjectSize = masterObjectSize
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
    /// The maximum size of an object that a caller stores, in bytes, and the setting that defines it.
    ///
    /// - Parameters:
    ///   - caller: The caller.
    ///   - formerSize: The size of the object before the change; 0 for a new one. Callers without the master key can
    ///     change an imported object above their limit as long as it does not grow.
    /// - Returns: The size and the name of the setting.
    func largestObject(of caller: Caller, instead formerSize: Int = 0) -> (size: Int, setting: String) {
        caller.isMaster && masterObjectSize > objectSize
            ? (masterObjectSize, "objects.maxMasterSize") : (max(objectSize, formerSize), "objects.maxSize")
    }

    /// Checks that an object with its ACL has no more bytes than the limit.
    ///
    /// - Parameters:
    ///   - object: The object after the change.
    ///   - formerSize: Its size in bytes before the change; 0 for a new one.
    ///   - caller: The caller who stores it.
    /// - Throws: ``ServiceError/Code/objectTooLarge``.
    func requireSize(of object: StoredObject, instead formerSize: Int = 0, by caller: Caller) throws {
        let acl = object.acl.map { JSONValue.object($0.json).encoded().count } ?? 0
        let size = JSONValue.object(object.fields).encoded().count + acl
        let limit = largestObject(of: caller, instead: formerSize)
        guard size <= limit.size else {
            throw ServiceError(
                .objectTooLarge,
                "The object has \(size) bytes; the limit is \(limit.size) (\(limit.setting))."
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
