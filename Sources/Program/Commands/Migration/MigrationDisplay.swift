internal import FileClient
internal import Migration
internal import Synchronization

/// Shows how a migration proceeds: the progress on standard error, with `--json` a line for each item on standard
/// output.
final class MigrationDisplay: MigrationObserver {
    /// What has happened in this run.
    struct Counts: Sendable {
        /// Items that were sent.
        var done = ItemTotals()
        /// Items that were done before.
        var doneBefore = 0
        /// Items that failed, in this run or before.
        var failed = 0
        /// Items that have changed in the source.
        var changed = 0
    }

    let progress: TransferProgress
    let bar: ProgressBar
    private let printsJSON: Bool
    private let state = Mutex(Counts())

    init(noun: String, _ output: OutputOptions) {
        progress = TransferProgress(files: 0, size: nil, noun: noun)
        bar = ProgressBar(progress, isShown: !output.quiet)
        printsJSON = output.json && !output.quiet
    }

    var counts: Counts { state.withLock(\.self) }

    func began(_ kind: String) {}

    func passed(_ name: String, of kind: String, bytes: Int64, _ reason: PassedReason) {
        let text: String?
        switch reason {
        case .repeated: return
        case .done:
            state.withLock { $0.doneBefore += 1 }
            text = nil
        case .failedBefore:
            state.withLock { $0.failed += 1 }
            text = "failed before"
        case .changed:
            state.withLock { $0.changed += 1 }
            text = "changed"
        case .unusable(let why):
            state.withLock { $0.failed += 1 }
            text = why
        }
        progress.pass(bytes: bytes, failed: text != nil)
        if let text { printJSON(name, kind, error: text) }
    }

    func began(_ batch: Int, _ name: String) { progress.begin(batch, name: name) }

    func sent(_ bytes: Int64, of batch: Int) { progress.update(batch, bytes: bytes) }

    func ended(_ name: String, of kind: String, bytes: Int64, _ end: ItemEnd) {
        switch end {
        case .done:
            state.withLock { $0.done = ItemTotals(count: $0.done.count + 1, bytes: $0.done.bytes + bytes) }
            progress.pass(bytes: bytes, failed: false)
            printJSON(name, kind, error: nil)
        case .failed(let reason):
            state.withLock { $0.failed += 1 }
            progress.pass(bytes: bytes, failed: true)
            printJSON(name, kind, error: reason)
        case .stopped, .interrupted: break
        }
    }

    func ended(_ batch: Int) { progress.drop(batch) }

    /// `{"kind":…,"name":…}`, with `error` for an item that failed.
    private func printJSON(_ name: String, _ kind: String, error: String?) {
        guard printsJSON else { return }
        var members: [String: JSON] = ["kind": .string(kind), "name": .string(name)]
        if let error { members["error"] = .string(error) }
        bar.printLine(JSON.object(members).description)
    }
}
