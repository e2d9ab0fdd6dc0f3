internal import Logging
internal import Synchronization

/// The minimum level of log lines of all loggers, which can change while the server runs.
///
/// Thread-safe.
final class SharedLogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ level: Logger.Level) {
        self.level = Mutex(level)
    }

    /// The level now.
    var value: Logger.Level {
        get { level.withLock(\.self) }
        set { level.withLock { $0 = newValue } }
    }
}

/// A log handler with a shared level.
///
/// Logger is a value, so its copies in all parts of the server would otherwise keep the level with which they were made.
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
