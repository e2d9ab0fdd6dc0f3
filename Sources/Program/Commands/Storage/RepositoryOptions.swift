internal import ArgumentParser
internal import Storage

/// The options of a backup to a repository.
struct RepositoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The backup repository: a folder, created by the first backup, or s3://bucket/prefix.",
            valueName: "target"
        ),
        completion: .directory
    )
    var to: String?

    @Flag(help: "List the snapshots and the generations of the continuous backup; make no backup.")
    var list = false

    @Flag(help: "Check databases, lists and the sizes of all files of the repository; make no backup.")
    var verify = false

    @Flag(help: "With --verify, also read all files and compare them with their checksums.")
    var readData = false

    @Option(help: ArgumentHelp("With --read-data, read only a part of the files, such as 1/30.", valueName: "n/m"))
    var subset: String?

    @Option(help: ArgumentHelp("Keep the newest n snapshots.", valueName: "n"))
    var keepLast: Int?

    @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n days with snapshots.", valueName: "n"))
    var keepDaily: Int?

    @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n weeks with snapshots.", valueName: "n"))
    var keepWeekly: Int?

    @Option(help: ArgumentHelp("Keep the newest snapshot of each of the last n months with snapshots.", valueName: "n"))
    var keepMonthly: Int?

    @Option(
        help: ArgumentHelp(
            "Keep every moment of the continuous backup for this time, such as 7d, the default with other --keep-…",
            valueName: "time"
        ),
        transform: RepositoryOptions.moments
    )
    var keepMoments: Int64?

    @Flag(help: "With --keep-…, make no backup, only remove.")
    var forget = false

    @Flag(help: "With --keep-…, make no backup and remove nothing, only print what --forget would remove.")
    var dryRun = false

    /// The rules of the retention.
    var rules: RetentionRules {
        var rules = RetentionRules()
        rules.last = keepLast ?? 0
        rules.daily = keepDaily ?? 0
        rules.weekly = keepWeekly ?? 0
        rules.monthly = keepMonthly ?? 0
        rules.moments = keepMoments
        return rules
    }

    /// The blobs whose bytes a verification reads.
    var readBlobs: CheckSubset? {
        readData ? subset.map { CheckSubset($0) } ?? .all : nil
    }

    /// The seconds of `--keep-moments`.
    private static func moments(_ text: String) throws -> Int64 {
        guard let seconds = Amount.seconds(text), (1...maxMoments).contains(seconds) else {
            throw ValidationError("--keep-moments must be a time such as 7d, 12h or 30m, up to 3650d.")
        }
        return Int64(seconds)
    }

    private static let maxMoments: Double = 3650 * 86_400

    func validate() throws {
        let counts = [
            ("--keep-last", keepLast), ("--keep-daily", keepDaily), ("--keep-weekly", keepWeekly),
            ("--keep-monthly", keepMonthly),
        ]
        for (name, count) in counts {
            guard let count, !(1...100_000).contains(count) else { continue }
            throw ValidationError("\(name) must be a number from 1 to 100000.")
        }
        if let subset, CheckSubset(subset) == nil {
            throw ValidationError("--subset is '\(subset)'; it must be N/M, with N from 1 to M and M up to 10000.")
        }
        guard to != "" else { throw ValidationError("--to must name a folder or a bucket.") }
        if to == nil, list || verify || readData || subset != nil || forget || dryRun || !rules.isEmpty {
            throw ValidationError("--list, --verify, --keep-… and the like need a repository: --to.")
        }
        guard !readData || verify, subset == nil || readData else {
            throw ValidationError("--read-data needs --verify, and --subset needs --read-data.")
        }
        guard !(forget || dryRun) || !rules.isEmpty else {
            throw ValidationError(
                "--forget and --dry-run need one of --keep-last, --keep-daily, --keep-weekly, --keep-monthly and "
                    + "--keep-moments."
            )
        }
        guard [list, verify, !rules.isEmpty].count(where: \.self) <= 1 else {
            throw ValidationError("--list, --verify and --keep-… exclude each other.")
        }
    }
}
