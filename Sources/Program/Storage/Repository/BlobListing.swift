internal import Domain

/// The blobs that a repository has, read in order, page by page.
struct BlobListing {
    private let target: any BackupTarget
    private let prefix: String
    private var page: ArraySlice<BackupObject> = []
    private var last: String?
    private var isAtEnd = false

    private static let pageSize = 1000

    /// The blobs of an app.
    init(of layout: BackupLayout, in target: any BackupTarget) {
        self.target = target
        prefix = layout.blobs
    }

    /// The next object.
    mutating func next() throws -> BackupObject? {
        if page.isEmpty, !isAtEnd {
            let objects = try target.list(prefix: prefix, after: last, limit: BlobListing.pageSize)
            isAtEnd = objects.count < BlobListing.pageSize
            last = objects.last?.name ?? last
            page = objects[...]
        }
        return page.popFirst()
    }

    /// The size of an object; `nil` if there is none.
    ///
    /// Names must come in order: objects before them are skipped.
    mutating func size(of name: String) throws -> Int64? {
        while true {
            if page.isEmpty {
                guard let object = try next() else { return nil }
                page = [object] + page
            }
            guard let first = page.first else { return nil }
            if first.name == name { return first.size }
            if first.name > name { return nil }
            page.removeFirst()
        }
    }
}
