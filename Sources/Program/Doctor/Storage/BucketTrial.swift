internal import Domain
internal import S3

/// A trial of the bucket of blobs (`blobs.store`): what a server does with objects, with one that is removed again.
struct BucketTrial {
    /// A step that failed, and why.
    var failure: (step: String, reason: String)?
    /// Whether the bucket lists an object as soon as it is stored, and no longer when it is removed.
    var listsAtOnce = true
    /// How long the fastest request took.
    var roundTrip = Duration.seconds(3600)
    /// By how many seconds the store's clock is ahead of this machine's; `nil` if the store does not say.
    var clockDifference: Int64?

    private static let trials = 3

    /// The facts of a bucket in which everything works, for tests.
    init() {}

    /// Stores, lists, reads, copies and removes objects; blocks.
    ///
    /// - Parameters:
    ///   - client: The client of the bucket.
    ///   - prefix: The beginning of all names, without a slash at its end; empty for the whole bucket.
    init(of client: S3Client, prefix: String) {
        let root = (prefix.isEmpty ? "" : "\(prefix)/") + ".doctor-\(RandomString.lowercase(16))/"
        let (key, copy) = ("\(root)trial", "\(root)copy")
        let bytes = Array("lcfile doctor".utf8)
        var step = "write"
        do throws(S3Error) {
            for _ in 0..<BucketTrial.trials {
                let began = ContinuousClock.now
                try client.put(key, bytes: bytes)
                roundTrip = min(roundTrip, .now - began)
            }
            let now = Timestamp.now().wholeSeconds
            step = "list"
            let listed = try client.list(prefix: root, after: nil).objects
            listsAtOnce = listed.map(\.key) == [key]
            if let modified = listed.first?.modified, modified > 0 { clockDifference = modified - now }
            step = "read"
            guard try client.get(key, limit: 1024) == bytes else {
                throw S3Error(.damaged, "other bytes came back than were stored")
            }
            step = "copy"
            try client.copy(key, to: copy)
            step = "remove"
            try client.delete([key, copy])
            step = "list"
            if try !client.list(prefix: root, after: nil).objects.isEmpty { listsAtOnce = false }
            step = "list uploads in"
            _ = try client.uploads(prefix: root)
        } catch {
            failure = (step, error.description)
            try? client.delete([key, copy])
        }
    }

    /// All findings.
    ///
    /// - Parameter location: The bucket, as `blobs.store` names it.
    /// - Returns: One for each subject; the first alone if a step failed.
    func findings(of location: String) -> [Finding] {
        let subject = "bucket.rights"
        guard failure == nil else {
            let text = failure.map { "a server could not \($0.step) \(location): \($0.reason)" } ?? ""
            return [Finding(subject, .problem, text)]
        }
        let rights = Finding(subject, .ok, "objects of \(location) can be written, listed, read, copied and removed")
        return [rights, lists, latency, clock].compactMap(\.self)
    }

    private var lists: Finding {
        let subject = "bucket.lists"
        guard listsAtOnce else {
            let text =
                "the store does not list an object at once after it is stored or removed, which lcfile needs: "
                + "choose another store"
            return Finding(subject, .problem, text)
        }
        return Finding(subject, .ok, "the store lists objects at once")
    }

    private var latency: Finding {
        let subject = "bucket.latency"
        let milliseconds = roundTrip / .milliseconds(1)
        let text = "a small object is stored in \(decimal(milliseconds)) ms"
        guard milliseconds < 100 else {
            return Finding(subject, .note, "\(text), and a new file needs four requests: put the server near the store")
        }
        return Finding(subject, .ok, text)
    }

    private var clock: Finding? {
        guard let clockDifference else { return nil }
        let subject = "bucket.clock"
        // Times have whole seconds.
        guard abs(clockDifference) > 2 else {
            return Finding(subject, .ok, "the clocks of the store and of this machine agree")
        }
        let way = clockDifference > 0 ? "ahead of" : "behind"
        let text =
            "the store's clock is \(abs(clockDifference)) s \(way) this machine's; stores refuse requests beyond 15 "
            + "minutes: synchronize the clocks"
        return Finding(subject, .note, text)
    }
}
