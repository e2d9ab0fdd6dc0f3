package import Domain
internal import Glibc

/// The bytes of deleted files that can be restored.
extension FolderBlobs {
    package func trashNames(endingWith byte: UInt8) throws -> TrashFolderNames {
        var found = TrashFolderNames()
        if byte == .min { try addOthers(&found.foreign, in: "trash") }
        let path = "trash/\([byte].hexadecimal)"
        guard canList(path, &found.foreign) else { return found }
        try forEachName(in: "\(folder)/\(path)") { name in
            if let entry = ObjectID(name), trash.folder(of: entry) == "\(folder)/\(path)" {
                found.entries.append(entry)
            } else {
                FolderBlobs.add("\(path)/\(name)", &found.foreign)
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
