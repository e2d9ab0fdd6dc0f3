internal import FoundationEssentials

/// A check of all images that were created in a range of time.
public struct CensorRun: Sendable, Hashable, Codable {
    /// Whether the run goes on.
    public enum State: String, Sendable, Hashable, Codable {
        /// Images are being selected or checked.
        case running
        /// It was cancelled and can be resumed.
        case cancelled
        /// Every image has its verdict.
        case done
    }

    /// The run's id.
    public var id: String
    /// Whether it goes on.
    public var state: State
    /// The earliest creation of a file, ISO 8601.
    public var from: String
    /// The end of the range; files were created before it.
    public var to: String
    /// Whether images with a machine's verdict are checked again.
    public var recheck: Bool
    /// The number of files in the range of time.
    public var total: Int
    /// Those that the run has looked at.
    public var examined: Int
    /// The checks that it has queued.
    public var queued: Int
    /// The checks that have ended.
    public var decided: Int
    /// Those with the verdict ``Verdict/passed``.
    public var passed: Int
    /// Those with the verdict ``Verdict/review``.
    public var review: Int
    /// Those with the verdict ``Verdict/rejected``.
    public var rejected: Int
    /// The time of the start.
    public var createdAt: String
    /// The time of the last progress.
    public var updatedAt: String
}

/// Bulk runs; every call needs the master key and throws ``FileClientError``.
extension FileClient {
    /// Starts a run.
    ///
    /// - Parameters:
    ///   - from: The earliest creation of a file, ISO 8601.
    ///   - to: The end of the range, ISO 8601; files were created before it.
    ///   - rechecks: Whether images with a machine's verdict are checked again.
    ///   - person: The name for the log.
    /// - Returns: The run.
    /// - Throws: ``FileClientError`` with status 409 while another run goes on.
    public func startCensorRun(
        from: String,
        to: String,
        rechecking rechecks: Bool = false,
        by person: String? = nil
    ) async throws -> CensorRun {
        struct Order: Encodable {
            let from: String
            let to: String
            let recheck: Bool
            let by: String?
        }
        let body = try JSONEncoder().encode(Order(from: from, to: to, recheck: rechecks, by: person))
        return try await call("POST", ["censorship", "jobs"], [UInt8](body))
    }

    /// The last 100 runs, the newest first.
    public func censorRuns() async throws -> [CensorRun] {
        struct Reply: Decodable {
            let results: [CensorRun]
        }
        let reply: Reply = try await call("GET", ["censorship", "jobs"])
        return reply.results
    }

    /// A run.
    public func censorRun(_ id: String) async throws -> CensorRun {
        try await call("GET", ["censorship", "jobs", id])
    }

    /// Cancels a run, or resumes a cancelled one.
    ///
    /// - Parameters:
    ///   - id: The run's id.
    ///   - state: ``CensorRun/State/cancelled`` or ``CensorRun/State/running``.
    /// - Returns: The run.
    /// - Throws: ``FileClientError``.
    public func setState(ofCensorRun id: String, to state: CensorRun.State) async throws -> CensorRun {
        let body = try JSONEncoder().encode(["state": state])
        return try await call("PUT", ["censorship", "jobs", id], [UInt8](body))
    }
}
