internal import Domain

extension LineBuckets {
    /// Adds all readable records of a database; the body handles the others.
    func add(filesOf database: any CopiedDatabase, _ body: ([UnreadableRecord]) throws -> Void) throws {
        try database.forEachPage { files, broken in
            for file in files { try add(FileLine.line(of: file)) }
            if !broken.isEmpty { try body(broken) }
        }
    }

    /// The records of a bucket in the order of their blobs' names.
    func files(of bucket: Int) throws -> [FileEntry] {
        try lines(of: bucket).compactMap(FileLine.file(of:))
    }
}
