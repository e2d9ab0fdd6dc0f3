internal import Domain

/// Stores a segment in a repository: the blobs of its new files, then their list, then the segment, whose name has the
/// digest of the list.
///
/// A segment that exists has everything it needs. Each step can be repeated. A repetition can have a shorter list, because
/// a file was deleted meanwhile; then both lists and both segments can exist, and each pair is whole.
struct SegmentShipment {
    /// The app's folder.
    let source: String
    let layout: BackupLayout
    let target: any BackupTarget
    let engine: any BackupEngine

    private static let pageSize = 1024

    /// Stores the segment.
    ///
    /// - Returns: The descriptions of files whose blobs are damaged and not stored.
    /// - Throws: ``ExitError`` or ``BackupTargetFailure``.
    func run(_ segment: SealedSegment, of generation: GenerationTime) throws -> [String] {
        var lock: BackupLock?
        defer { lock?.release() }
        var damage: [String] = []
        var name = segment.name.adding(list: SegmentName.noList)
        if let files = segment.files {
            let path = "\(segment.path).blobs"
            // An earlier attempt left it.
            if StorageContents.exists(path) { try StorageContents.remove(path) }
            var list = try LineWriter(path)
            var count = 0
            var page: [FileEntry] = []
            func store() throws {
                guard !page.isEmpty else { return }
                // A retention that runs removes no new blob, but perhaps an old one that no list names: that of a file
                // which was deleted and is back.
                if lock == nil, try engine.has(anyOf: page, in: target, layout: layout) {
                    lock = try BackupLock(.backup, of: target)
                }
                let conditions = try engine.upload(page, in: source, to: target, layout: layout)
                for (file, condition) in zip(page, conditions) {
                    switch condition {
                    case .whole:
                        try list.write(BackupBlob(of: file).description)
                        count += 1
                    // It was deleted since.
                    case .missing: break
                    case .damaged: damage.append(AppCopy.Unfit.blob(of: file, condition).description)
                    }
                }
                page.removeAll(keepingCapacity: true)
            }
            try FileBytes.forEachLine(of: files) { line in
                guard let file = FileLine.file(of: line) else {
                    throw ExitError.storage("the list \(files) is damaged")
                }
                page.append(file)
                if page.count == SegmentShipment.pageSize { try store() }
            }
            try store()
            try list.flush()
            if count > 0 {
                name = segment.name.adding(list: try BackupRepository.content(of: path).sha256)
                try target.put(layout.blobs(of: name, ofGeneration: generation), fileAt: path)
            }
            try lock?.check()
        }
        try target.put(layout.object(name, ofGeneration: generation), fileAt: segment.path)
        return damage
    }

    /// Removes the files of a segment, as far as possible.
    static func removeFiles(of segment: SealedSegment) {
        for path in [segment.path, "\(segment.path).blobs", segment.files].compactMap(\.self) {
            try? StorageContents.remove(path)
        }
    }
}
