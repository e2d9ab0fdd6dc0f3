/// How far the scrubber of an app is; stored, so that a restart continues the round.
package struct ScrubState: Sendable, Equatable {
    /// When the current round began, or the last one if none runs; `nil` before the first.
    package var began: Timestamp?
    /// Whether a round runs.
    package var isRunning = false
    /// Whether the rows of the round are inspected.
    var hasRows = false
    /// Where the next page of rows begins.
    var rows: RowPosition?
    /// The last file that was read; files are read in the order of their ids.
    var file: ObjectID?
    /// The bytes of the files that the round has read.
    package var bytes: Int64 = 0
    /// The number of files that the round has read.
    package var files: Int64 = 0
    /// When the last whole round ended; `nil` before.
    package var ended: Timestamp?

    /// The state before the first round.
    package init() {}

    /// Begins a round.
    mutating func begin(at now: Timestamp) {
        let ended = ended
        self = ScrubState()
        self.ended = ended
        began = now
        isRunning = true
    }

    /// Ends the round.
    mutating func end(at now: Timestamp) {
        isRunning = false
        ended = now
    }

    /// When the next round begins, if one round takes a number of days.
    func nextRound(days: Double) -> Timestamp? {
        began?.adding(milliseconds: Int64(days * 86_400_000))
    }
}

extension ScrubState {
    /// The state as JSON.
    package var encoded: [UInt8] {
        var members: [String: JSONValue] = [
            "running": .bool(isRunning), "rowsDone": .bool(hasRows), "bytes": .integer(bytes), "files": .integer(files),
        ]
        members["began"] = began.map { .string($0.iso8601) }
        members["ended"] = ended.map { .string($0.iso8601) }
        members["rows"] = rows.map { .string($0.text) }
        members["file"] = file.map { .string($0.description) }
        return JSONValue.object(members).encoded()
    }

    /// Parses ``encoded``; `nil` for other bytes, after which the scrubber begins anew.
    package init?(_ bytes: [UInt8]) {
        guard let members = try? JSONValue(parsing: bytes, field: "scrub").objectValue else { return nil }
        func time(_ name: String) -> Timestamp? { members[name]?.stringValue.flatMap(Timestamp.init(iso8601:)) }
        began = time("began")
        ended = time("ended")
        isRunning = members["running"] == .bool(true) && began != nil
        hasRows = members["rowsDone"] == .bool(true)
        rows = members["rows"]?.stringValue.flatMap { RowPosition(text: $0) }
        file = members["file"]?.stringValue.flatMap { ObjectID($0) }
        self.bytes = members["bytes"]?.integerValue ?? 0
        files = members["files"]?.integerValue ?? 0
    }
}

/// Where the scrubber of an app stores its state, and where other programs name files that they found damaged.
///
/// Losing either loses no more than time.
package protocol ScrubJournal: Sendable {
    /// The stored state; `nil` if there is none.
    func load() async throws -> ScrubState?

    /// Stores a state in the place of the former one.
    func save(_ state: ScrubState) async throws

    /// The ids of files that `lcfile check` found damaged, in any order; at most a thousand at a time.
    func suspects() async throws -> [ObjectID]

    /// Removes suspects that were examined.
    func remove(_ suspects: [ObjectID]) async throws
}
