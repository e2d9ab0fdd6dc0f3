internal import HTTPAPI
internal import Logging

extension RequestSink {
    /// Adds the line of a request to a log, if the level includes it when the response begins and when it ends.
    init(_ log: LogWriter, level: SharedLogLevel) {
        let isOpen: @Sendable () -> Bool = { level.value <= .info }
        self.init(isOpen: isOpen) { if isOpen() { log.write($0) } }
    }
}
