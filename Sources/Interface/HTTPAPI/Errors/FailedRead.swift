internal import CoreMetrics
internal import Domain
internal import Glibc
internal import Logging
internal import NIOCore

/// Stored bytes that could not be read, detected before the response or while it is sent.
struct FailedRead {
    private let cause: any Error

    /// Recognizes a failed read; `nil` for other errors, such as that of a disconnected client.
    init?(_ error: any Error) {
        switch error {
        case let error as ServiceError where error.cause is UnreadableBlob:
            cause = error
        case is FileEndedEarly:
            cause = error
        case let error as IOError where FailedRead.diskFailures.contains(error.errnoCode):
            // An error of sendfile for the file: sockets do not return it.
            cause = error
        default:
            return nil
        }
    }

    private static let diskFailures = [EIO, ENXIO, ENODATA, EBADMSG, EUCLEAN, ESTALE, EREMOTEIO]

    /// Counts the failure in the metrics; the code that responds to the request logs the error.
    func count() {
        Counter(label: "lcfile_failed_reads_total").increment()
    }

    /// Counts and logs the failure.
    func report(to logger: Logger) {
        count()
        logger.error("A stored file cannot be read", metadata: ["error": "\(cause)"])
    }
}
