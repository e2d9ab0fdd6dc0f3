internal import Logging
internal import Synchronization

/// The minimum level of log lines of all loggers, which can change while the server runs.
///
/// Thread-safe.
final class SharedLogLevel: Sendable {
    /// The position in the list of all levels; an atomic, because every request compares levels.
    private let position: Atomic<Int>

    init(_ level: Logger.Level) {
        position = Atomic(SharedLogLevel.position(of: level))
    }

    /// The level now.
    var value: Logger.Level {
        get { SharedLogLevel.levels[position.load(ordering: .relaxed)] }
        set { position.store(SharedLogLevel.position(of: newValue), ordering: .relaxed) }
    }

    /// Once, because `allCases` makes an array at each call.
    private static let levels = Logger.Level.allCases

    private static func position(of level: Logger.Level) -> Int {
        levels.firstIndex(of: level) ?? 0
    }
}

/// A log handler with a shared level.
///
/// Logger is a value, so its copies in all parts of the server would otherwise keep the level with which they were
/// made.
struct SharedLevelLogHandler<Base: LogHandler>: LogHandler {
    private var base: Base
    private let shared: SharedLogLevel

    /// - Parameters:
    ///   - base: The handler of lines that have the level.
    ///   - level: The level.
    init(_ base: Base, level: SharedLogLevel) {
        self.base = base
        // The logger has compared the levels before.
        self.base.logLevel = .trace
        shared = level
    }

    /// The shared level; a new one applies to all loggers.
    var logLevel: Logger.Level {
        get { shared.value }
        set { shared.value = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        base.log(event: event)
    }
}
