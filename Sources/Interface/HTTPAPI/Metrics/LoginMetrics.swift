internal import CoreMetrics
internal import Domain

/// Counts log-ins with a password or a code by their result.
enum LoginMetrics {
    /// Runs a log-in and counts it.
    static func counting<Result>(_ logIn: () async throws -> Result) async throws -> Result {
        do {
            let result = try await logIn()
            count("accepted")
            return result
        } catch {
            count(LoginMetrics.result(of: error))
            throw error
        }
    }

    private static func result(of error: any Error) -> String {
        guard let error = error as? ServiceError else {
            return ClientDisconnection.causes(error) ? "cancelled" : "failed"
        }
        switch error.code {
        case .wrongPassword, .codeMismatch: return "wrong_password"
        case .userNotFound: return "unknown_user"
        case .lockedOut: return "locked_out"
        case .overloaded: return "overloaded"
        case .internalFailure, .unavailable, .storageFull, .storageReadOnly, .storageFailing, .storageDamaged:
            return "failed"
        default: return "malformed"
        }
    }

    private static func count(_ result: String) {
        Counter(label: "lcfile_logins_total", dimensions: [("result", result)]).increment()
    }
}
