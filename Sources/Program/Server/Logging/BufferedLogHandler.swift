internal import Domain
internal import Logging

/// Passes events to a ``LogWriter`` as lines; warnings and errors are written at once.
struct BufferedLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()
    private let label: String
    private let writer: LogWriter

    init(label: String, writer: LogWriter) {
        self.label = label
        self.writer = writer
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata
        if let further = event.metadata { fields.merge(further) { _, new in new } }
        if let error = event.error { fields["error"] = "\(error)" }
        let line = LogLine(
            time: .now(),
            level: event.level,
            logger: label,
            message: event.message.description,
            fields: LogField.list(fields)
        )
        writer.write(line)
        if event.level >= .warning { writer.hurry() }
    }
}
