package import Domain
internal import Glibc

/// The bytes of deleted files that can be restored.
extension FolderBlobs {
    package func trashNames(endingWith byte: UInt8) throws -> TrashFolderNames {
        var found = TrashFolderNames()
        let path = trash.folder(endingWith: byte)
        try forEachName(in: path) { name in
            if let entry = ObjectID(name), trash.folder(of: entry) == path {
                found.entries.append(entry)
            } else if found.foreign.count < FolderBlobs.maxForeign {
                found.foreign.append(String("\(path)/\(name)".dropFirst(folder.utf8.count + 1)))
            }
        }
        return found
    }

    package func check(trashed files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try source.check(files, comparingDigests: comparingDigests) { [trash] in trash.path(of: $0.id) }
    }

    package func hasTrashed(_ entry: ObjectID) -> Bool {
        access(trash.path(of: entry), F_OK) == 0
    }

    package func moveToLostAndFound(trashed entry: ObjectID) throws -> String {
        try move(trash.path(of: entry), to: "trash-\(entry)")
    }
}
