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

    /// Takes every limit; the defaults are those of the settings.
    package init(objectSize: Int = 128 << 10, columns: Int = 300, classes: Int = 500, indexes: Int = 20) {
        self.objectSize = objectSize
        self.columns = columns
        self.classes = classes
        self.indexes = indexes
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
    func requireRoom(forIndexOf schema: ClassSchema) throws {
        guard schema.indexes.count < indexes else {
            throw ServiceError(.badRequest, "The class has \(indexes) indexes, the limit (objects.maxIndexes).")
        }
    }
}

extension ObjectWriter {
    /// A class that is about to be made.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the app has all the classes that it may.
    func newClass(_ name: ClassName, within limits: ObjectLimits) throws -> ClassSchema {
        guard try schemas().count(where: { !$0.name.isBuiltIn }) < limits.classes else {
            throw ServiceError(
                .badRequest,
                "The class '\(name)' would be one too many; the limit is \(limits.classes) (objects.maxClasses)."
            )
        }
        return ClassSchema(name: name)
    }
}
