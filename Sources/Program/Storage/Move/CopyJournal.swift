package import Domain
internal import Glibc

/// The files whose bytes a move has put into an app's folder, compared with their digests.
///
/// A folder's blob does not tell of which file it is, so a move reads and compares what it finds there. For the files of
/// the journal the size is enough: so the last run, for which servers are stopped, reads nothing again. The journal has
/// a file for each of the 256 folders of blobs, which is written whole when that folder is done.
///
/// Every call blocks.
package struct CopyJournal: Sendable {
    private let folder: String

    /// The name of the folder of the journal, in that of the app.
    package static let name = "lcfile.copied"
    private static let draft = ".partial"

    /// Creates the access to the journal of an app's folder; opens nothing.
    ///
    /// - Parameter folder: The app's folder.
    package init(in folder: String) {
        self.folder = "\(folder)/\(CopyJournal.name)"
    }

    /// The files of one folder of blobs.
    ///
    /// - Parameter byte: The beginning of the names of the blobs.
    /// - Returns: The ids; none if the folder was not completed.
    /// - Throws: ``ExitError`` if the journal cannot be read.
    package func files(beginningWith byte: UInt8) throws -> Set<ObjectID> {
        guard let bytes = try FileBytes.contents(of: path(byte)) else { return [] }
        return Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { ObjectID(String($0)) })
    }

    /// Writes the files of one folder of blobs, whose bytes are on the disk; on return, the list is, too.
    ///
    /// - Parameters:
    ///   - files: All ids.
    ///   - byte: The beginning of the names of the blobs.
    /// - Throws: ``ExitError``; the list then is the former or the whole new one.
    package func write(_ files: [ObjectID], beginningWith byte: UInt8) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw ExitError.storage("the folder \(folder) cannot be created: \(StorageFolder.systemError())")
        }
        let path = path(byte)
        let draft = path + CopyJournal.draft
        let file = FileBytes.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        guard file >= 0 else { throw ExitError.storage("\(draft) cannot be written: \(StorageFolder.systemError())") }
        defer { close(file) }
        try FileBytes.write(Array(files.map { "\($0)\n" }.joined().utf8), to: file, draft)
        guard fsync(file) == 0 else {
            throw ExitError.storage("\(draft) cannot be synced: \(StorageFolder.systemError())")
        }
        try StorageContents.rename(draft, to: path)
    }

    /// Removes the journal, if there is one.
    ///
    /// - Throws: ``ExitError``.
    package func remove() throws {
        if try StorageContents.isPresent(folder) { try StorageContents.removeFolder(folder) }
    }

    private func path(_ byte: UInt8) -> String { "\(folder)/\([byte].hexadecimal)" }
}
