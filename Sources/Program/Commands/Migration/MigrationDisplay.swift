internal import FileClient
internal import Migration
internal import Synchronization

/// Shows how a migration proceeds: the progress on standard error, with `--json` a line for each item on standard
/// output.
final class MigrationDisplay: MigrationObserver {
    /// What has happened in this run.
    struct Counts: Sendable {
        /// The numbers of items that were sent or compared.
        var done: [ItemGroup: Int] = [:]
        /// The bytes of these items.
        var bytes: Int64 = 0
        /// The numbers of items that were done before.
        var doneBefore: [ItemGroup: Int] = [:]
        /// Items that failed, in this run or before.
        var failed = 0
        /// Items that have changed in the source.
        var changed = 0
    }

    private let noun: String
    let progress: TransferProgress
    let bar: ProgressBar
    private let printsJSON: Bool
    private let state = Mutex(Counts())

    /// - Parameters:
    ///   - noun: What is counted, in the singular: `file`.
    ///   - output: What the command prints.
    init(noun: String, _ output: OutputOptions) {
        self.noun = noun
        progress = TransferProgress(files: 0, size: nil, noun: noun)
        bar = ProgressBar(progress, isShown: !output.quiet)
        printsJSON = output.json && !output.quiet
    }

    var counts: Counts { state.withLock(\.self) }

    /// The numbers of items with their nouns, such as `2 objects, 1 relation, 7 class settings`.
    func text(_ numbers: [ItemGroup: Int]) -> String {
        let nouns = [ItemGroup.object: noun, .relation: "relation", .classSetting: "class setting"]
        return ItemGroup.allCases.compactMap { group in
            let number = numbers[group] ?? 0
            return number > 0 || group == .object ? nouns[group].map { Amount.count(number, $0) } : nil
        }.joined(separator: ", ")
    }

    func began(_ kind: String) {}

    func passed(_ name: String, of kind: String, bytes: Int64, _ reason: PassedReason) {
        let text: String?
        let group = ItemGroup(kind: kind, name: name)
        switch reason {
        case .repeated: return
        case .done:
            state.withLock { $0.doneBefore[group, default: 0] += 1 }
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
        pass(group, bytes, failed: text != nil)
        if let text { printJSON(name, kind, error: text) }
    }

    func began(_ batch: Int, _ name: String) { progress.begin(batch, name: name) }

    func sent(_ bytes: Int64, of batch: Int) { progress.update(batch, bytes: bytes) }

    func ended(_ name: String, of kind: String, bytes: Int64, _ end: ItemEnd) {
        let group = ItemGroup(kind: kind, name: name)
        switch end {
        case .done:
            state.withLock { counts in
                counts.done[group, default: 0] += 1
                counts.bytes += bytes
            }
            pass(group, bytes, failed: false)
            printJSON(name, kind, error: nil)
        case .failed(let reason):
            state.withLock { $0.failed += 1 }
            pass(group, bytes, failed: true)
            printJSON(name, kind, error: reason)
        case .stopped, .interrupted: break
        }
    }

    func ended(_ batch: Int) { progress.drop(batch) }

    /// The expected totals of the progress have objects and files only.
    private func pass(_ group: ItemGroup, _ bytes: Int64, failed: Bool) {
        let isExpected = group == .object
        progress.pass(files: isExpected ? 1 : 0, bytes: isExpected ? bytes : 0, failed: failed)
    }

    /// `{"kind":…,"name":…}`, with `error` for an item that failed.
    private func printJSON(_ name: String, _ kind: String, error: String?) {
        guard printsJSON else { return }
        var members: [String: JSON] = ["kind": .string(kind), "name": .string(name)]
        if let error { members["error"] = .string(error) }
        bar.printLine(JSON.object(members).description)
    }
}
