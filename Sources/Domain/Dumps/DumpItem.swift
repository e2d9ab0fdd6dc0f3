/// A part of a dump: of the stream of all objects of an app, as one engine reads it and another one loads it.
///
/// The classes come in the order of their names. After each come its rows in the order of their numbers, its
/// memberships in the order of field, owner and member, and its counters in the order of their fields, all by bytes.
package enum DumpItem: Sendable {
    /// A class begins; with its schema as the engines store it (``ClassSchema/storedJSON``).
    case begin(ClassName, schema: [UInt8])
    /// An object of the class, byte for byte; with the engine's number of its row, the order of creation.
    case row(number: Int64, ObjectRow)
    /// A member of a relation of one of the objects.
    case membership(field: String, Membership)
    /// The last number that a field with auto-increment used.
    case counter(field: String, last: Int64)
}

/// The database of an app from which a dump is read.
///
/// Every call blocks.
package protocol DumpSource {
    /// Calls the body with all items of one snapshot; the memory does not grow with their number.
    ///
    /// - Throws: ``OpenFailure`` if the database cannot be read, is of another version, or contains a damaged row, which
    ///   the error names; and errors of the body.
    func forEachItem(_ body: (DumpItem) throws -> Void) throws
}

/// A database of an app that gets the items of a dump.
///
/// Every call blocks.
package protocol DumpTarget {
    /// Loads all items of a dump into the empty database, lets the caller check what was loaded, and makes it durable.
    ///
    /// If it throws, or the process ends meanwhile, a server finds no objects in the database; only after a lost answer
    /// to the commit can all of them be there.
    ///
    /// - Parameters:
    ///   - source: The dump.
    ///   - check: Gets what was loaded, as it is read back; an error refuses it.
    /// - Throws: ``OpenFailure`` about the target, for example if it contains objects, and errors of the source and of
    ///   the check.
    func load(_ source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws

    /// Changes a database that has the items of an earlier dump of the same app, so that it has those of a newer one.
    ///
    /// Only what differs is written (``DumpDelta``). If it throws, or the process ends meanwhile, the database has the
    /// former items or the new ones; one that the check refuses is not used any more.
    ///
    /// - Parameters:
    ///   - source: The newer dump.
    ///   - check: Gets all items of the database, as they are read back; an error refuses them.
    /// - Throws: ``OpenFailure`` about the target, and errors of the source and of the check.
    func update(to source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws
}
