internal import Domain

/// The folders of the blobs of an app's folder that a command fills.
struct BlobFolders: Sendable {
    private let folder: String
    private let layout: BlobLayout
    /// The folders with copies, at most 256.
    private var used: Set<String> = []

    /// Creates the folders that every app has.
    init(in folder: String) throws {
        self.folder = folder
        layout = try BlobLayout(folder: folder)
    }

    /// Creates the folders of blobs; without a sync, unlike the layout, because an interrupted copy is discarded.
    mutating func prepare(_ files: [FileEntry]) throws {
        for file in files {
            let folder = layout.parent(path(of: file))
            if used.insert(folder).inserted { try makeFolder(folder) }
        }
    }

    /// The path of a new blob.
    func path(of file: FileEntry) -> String {
        layout.path(of: BlobName(file.key))
    }

    /// Syncs the names of all blobs to the disk.
    func synchronize() throws {
        _ = try inParallel(Array(used)) { try synchronizeFolder($0) }
        try synchronizeFolder(layout.blobs)
        try synchronizeFolder(folder)
    }
}
