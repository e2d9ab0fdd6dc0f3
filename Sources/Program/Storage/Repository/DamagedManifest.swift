internal import Domain

/// The manifest of a snapshot or a generation that cannot be read, so that nothing of it can be restored.
struct DamagedManifest: Error, CustomStringConvertible {
    /// Of what it is the manifest.
    enum Owner {
        case snapshot(SnapshotTime)
        case generation(GenerationTime)
    }

    /// The names in the repository.
    let layout: BackupLayout
    let owner: Owner
    /// The description of the repository.
    let target: String

    /// "app/snapshots/…/manifest.json in /backups is damaged or of a newer version of lcfile".
    var description: String { "\(object) in \(target) is damaged or of a newer version of lcfile" }

    /// The name of the manifest.
    var object: String {
        switch owner {
        case .snapshot(let time): layout.object(.manifest, of: time)
        case .generation(let time): layout.object(.manifest, ofGeneration: time)
        }
    }

    /// The time in the name of the snapshot, or of the base.
    var time: Timestamp {
        switch owner {
        case .snapshot(let time): time.timestamp
        case .generation(let time): time.timestamp
        }
    }
}
