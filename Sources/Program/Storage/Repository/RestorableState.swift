internal import Domain

/// A state of an app that a repository can give back.
struct RestorableState {
    /// Where the state is.
    enum Source {
        case snapshot(Snapshot)
        /// The commits of a generation up to the end of its span.
        case generation(Generation, GenerationSpan)
    }

    let source: Source

    /// The names in the repository.
    var layout: BackupLayout {
        switch source {
        case .snapshot(let snapshot): snapshot.layout
        case .generation(let generation, _): generation.layout
        }
    }

    /// The description of the snapshot, or of the base.
    var manifest: BackupManifest {
        switch source {
        case .snapshot(let snapshot): snapshot.manifest
        case .generation(let generation, _): generation.manifest
        }
    }

    /// The time of the manifest.
    var begin: Timestamp {
        switch source {
        case .snapshot(let snapshot): snapshot.time.timestamp
        case .generation(let generation, _): generation.time.timestamp
        }
    }

    /// The moment of the state.
    var moment: Timestamp {
        switch source {
        case .snapshot(let snapshot): snapshot.time.timestamp
        case .generation(let generation, let span): span.end(of: generation)
        }
    }

    /// The name of the object with the manifest, the first that a retention removes of the state.
    var manifestName: String {
        switch source {
        case .snapshot(let snapshot): layout.object(.manifest, of: snapshot.time)
        case .generation(let generation, _): generation.object(.manifest)
        }
    }

    /// The name of the object with the keys of the generated app.
    var generatedApp: String {
        switch source {
        case .snapshot(let snapshot): layout.object(.apps, of: snapshot.time)
        case .generation(let generation, _): generation.object(.apps)
        }
    }

    /// "snapshot app 20270112T030000.123Z", or "generation app 20270112T030000.123Z until 2027-01-12T08:00:00.000Z".
    var description: String {
        switch source {
        case .snapshot(let snapshot): "snapshot \(layout.app) \(snapshot.time)"
        case .generation(let generation, _): "\(generation.description) until \(moment.iso8601)"
        }
    }
}
