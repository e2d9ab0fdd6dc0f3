/// How much of the processors a job gets beside the other work of the server.
package enum ImagePriority: String, Sendable, Hashable, CaseIterable {
    /// As much as any request: for jobs that are estimated to be cheap.
    case normal
    /// What requests leave: for all others, which may compute for long.
    case low
}
