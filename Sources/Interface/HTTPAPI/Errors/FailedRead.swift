internal import CoreMetrics
internal import Domain
internal import Glibc
internal import Logging
internal import NIOCore

/// Stored bytes that could not be read, whether that was found before the answer or in the middle of it.
struct FailedRead {
    private let cause: any Error

    /// `nil` for other errors, such as that of a client that left.
    init?(_ error: any Error) {
        switch error {
        case let error as ServiceError where error.cause is UnreadableBlob:
            cause = error
        case is FileEndedEarly:
            cause = error
        case let error as IOError where FailedRead.diskFailures.contains(error.errnoCode):
            // Of sendfile: no socket says so.
            cause = error
        default:
            return nil
        }
    }

    private static let diskFailures = [EIO, ENXIO, ENODATA, EBADMSG, EUCLEAN, ESTALE, EREMOTEIO]

    /// Counts it; the code that answers the request logs the error.
    func count() {
        Counter(label: "lcfile_failed_reads_total").increment()
    }

    /// Counts and logs it.
    func report(to logger: Logger) {
        count()
        logger.error("A stored file cannot be read", metadata: ["error": "\(cause)"])
    }
}
