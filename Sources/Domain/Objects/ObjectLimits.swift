/// What objects and classes are held to, each a setting.
package struct ObjectLimits: Sendable {
    /// The most bytes of an object's JSON.
    package var objectSize: Int
    /// The most fields of a class.
    package var columns: Int
    /// The most classes of an app, besides the built-in ones.
    package var classes: Int
    /// The most indexes of a class that were asked for.
    package var indexes: Int
    /// Per cent of classes and columns up to which guests make new ones; what is beyond is for users and the master
    /// key.
    package var guestShare: Int
    /// Per cent of them up to which users make new ones; what is beyond is for the master key.
    package var userShare: Int

    /// Takes every limit; the defaults are those of the settings.
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
    /// The part of a limit that a caller may fill, and the settings that say so.
    ///
    /// One number is shared by all callers of an app. If guests could fill it, the owner could not make a class any
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
    /// Throws ``ServiceError/Code/objectTooLarge`` if an object, its ACL with it, has more bytes than it may.
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

    /// Throws ``ServiceError/Code/badRequest`` if a class has all the indexes that it may.
    func requireCapacity(forIndexOf schema: ClassSchema) throws {
        guard schema.indexes.count < indexes else {
            throw ServiceError(.badRequest, "The class has \(indexes) indexes, the limit (objects.maxIndexes).")
        }
    }
}

extension WriteTransaction {
    /// A class that a caller is about to make.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the app has all the classes that the caller may fill it with.
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
