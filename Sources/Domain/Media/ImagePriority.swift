/// The processor priority of a job relative to the other work of the server.
package enum ImagePriority: String, Sendable, Hashable, CaseIterable {
    /// The priority of other requests: for jobs with a low cost estimate.
    case normal
    /// A lower priority than other requests: for all other jobs, which can compute for a long time.
    case low
}
