internal import Domain

extension BackupRepository {
    /// The whole generations of an app, from old to new.
    ///
    /// - Throws: ``ExitError`` if a manifest cannot be read.
    func generations(of app: AppID) throws -> [Generation] {
        try generations(of: app) { damage in throw ExitError.storage(damage.description) }
    }

    /// The whole generations of an app whose manifests can be read, from old to new.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - onDamage: Called with each other manifest.
    /// - Returns: The generations.
    /// - Throws: ``ExitError`` if the repository cannot be read, and what the closure throws.
    func generations(of app: AppID, onDamage: (DamagedManifest) throws -> Void) throws -> [Generation] {
        let layout = BackupLayout(app)
        return try generationTimes(of: app).compactMap { time in
            try manifest(of: .generation(time), layout, onDamage).map { manifest in
                Generation(layout: layout, time: time, manifest: manifest)
            }
        }
    }

    /// The time of the last commit up to a moment, also if the manifest is damaged; the time of the base without a segment.
    func end(ofGeneration time: GenerationTime, of app: AppID, until moment: Timestamp?) throws -> Timestamp {
        var end = time.timestamp
        try forEachObject(BackupLayout(app).root(ofGeneration: time)) { object in
            guard object.name.hasSuffix(SegmentName.segmentSuffix), let name = SegmentName(object.name) else { return }
            if moment.map({ name.time <= $0 }) ?? true { end = max(end, name.time) }
        }
        return end
    }

    /// The time of the last commit in the first segment; `nil` without it.
    func firstSegmentTime(of generation: Generation) throws -> Timestamp? {
        var first: Timestamp?
        try scanObjects(generation.layout.root(ofGeneration: generation.time)) { object in
            guard object.name.hasSuffix(SegmentName.segmentSuffix), let name = SegmentName(object.name) else {
                return true
            }
            if name.number == 1 { first = name.time }
            return false
        }
        return first
    }

    /// The times of all generations of an app, also of those without a manifest, from old to new.
    func generationTimes(of app: AppID) throws -> [GenerationTime] {
        let layout = BackupLayout(app)
        return try BackupRepository.complaining {
            var times: [GenerationTime] = []
            var last: String?
            // A generation can have a hundred thousand objects, so only the first is listed.
            while let object = try target.list(prefix: layout.log, after: last, limit: 1).first {
                if let time = layout.generation(of: object.name) {
                    times.append(time)
                    last = layout.end(of: time)
                } else {
                    last = object.name
                }
            }
            return times
        }
    }

    /// Calls a body with the segments of a generation in their order, up to a moment and up to the first gap.
    ///
    /// A missing segment could have commits until the moment, unless the moment is that of the segment before.
    ///
    /// - Parameters:
    ///   - generation: The generation.
    ///   - moment: The segments end before the first that has a later commit; `nil` for all.
    ///   - body: Called with each segment.
    /// - Returns: The segments that the body was called with.
    /// - Throws: ``ExitError`` if the repository cannot be read, and what the body throws.
    @discardableResult
    func forEachSegment(
        of generation: Generation,
        until moment: Timestamp? = nil,
        _ body: (ListedSegment) throws -> Void = { _ in }
    ) throws -> GenerationSpan {
        var span = GenerationSpan()
        var listed: SegmentName?
        try scanObjects(generation.layout.root(ofGeneration: generation.time)) { object in
            guard let name = SegmentName(object.name) else { return true }
            guard object.name == generation.object(name) else {
                // It comes before its segment; one without a segment was left by a crash.
                listed = name
                return true
            }
            // The answer to a put was lost, and the next attempt had another list. Both have the same pages.
            if let last = span.last, last.number == name.number, last.time == name.time { return true }
            guard name.number == span.count + 1 else {
                // At the time of the segment before, the missing one changes nothing.
                if moment.map({ $0 > span.end(of: generation) }) ?? true { span.gap = span.count + 1 }
                return false
            }
            if let moment, name.time > moment { return false }
            let list = generation.list(of: name, isListed: listed == name)
            try body(ListedSegment(name: name, size: object.size, list: list))
            span.last = name
            span.bytes += object.size
            return true
        }
        return span
    }

    /// The names of the blobs that a generation has stored, up to the end of a span.
    ///
    /// - Throws: ``BlobListDefect`` if a list is missing or damaged, and ``ExitError``.
    func blobs(
        of generation: Generation,
        _ span: GenerationSpan,
        with engine: any BackupEngine,
        through folder: String
    ) throws -> BlobNames {
        let names = try BlobNames(in: target, with: engine, through: folder)
        try BackupRepository.complaining {
            try names.add(generation.object(.files), sha256: generation.manifest.files.sha256)
            try forEachSegment(of: generation) { segment in
                guard segment.name.number <= span.count, let list = segment.list else { return }
                try names.add(list.object, sha256: list.sha256)
            }
            try names.finish()
        }
        return names
    }
}

extension BackupLayout {
    /// A string behind all names of a generation's objects, and before those of the next one.
    fileprivate func end(of generation: GenerationTime) -> String { "\(root(ofGeneration: generation))z" }
}
