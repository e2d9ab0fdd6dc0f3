internal import CoreMetrics
internal import Domain

/// Counts errors by their code, and those by the limit that was reached.
///
/// Codes and limits are names in the code, so that clients make no further series.
enum ErrorMetrics {
    /// Counts an error that a client gets, also as an item of a batch or on a WebSocket.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - refusal: What the client gets for it.
    static func count(_ error: any Error, as refusal: ServiceError) {
        let isCancelled = ClientDisconnection.causes(error)
        let code = isCancelled ? "cancelled" : refusal.code.description
        Counter(label: "lcfile_errors_total", dimensions: [("code", code)]).increment()
        guard refusal.limit != nil || refusal.code == .overloaded else { return }
        Counter(label: "lcfile_limits_hit_total", dimensions: [("limit", refusal.limit ?? "other")]).increment()
    }
}
