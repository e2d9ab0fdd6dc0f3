internal import Logging

/// Formats log lines as `StreamLogHandler` does, and passes them to a ``LogWriter``; warnings and errors are written at
/// once.
struct BufferedLogHandler: LogHandler {
    private var lines: StreamLogHandler
    private let writer: LogWriter

    init(label: String, writer: LogWriter) {
        lines = StreamLogHandler(label: label, stream: writer)
        self.writer = writer
    }

    var logLevel: Logger.Level {
        get { lines.logLevel }
        set { lines.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { lines.metadata }
        set { lines.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines[metadataKey: key] }
        set { lines[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        lines.log(event: event)
        if event.level >= .warning { writer.hurry() }
    }
}
