/// The events of some changes, decided in one transaction.
struct LiveDecision: Sendable {
    /// An event and the installation that gets it.
    struct Delivery: Sendable {
        let installation: InstallationID
        let event: LiveEvent
    }

    /// A node that could not be evaluated.
    struct Failure: Sendable {
        let node: LiveNode
        let error: any Error
    }

    /// An evaluation of a node.
    struct Evaluation: Sendable {
        let node: LiveNode
        /// The processor time.
        let time: Duration
    }

    /// The events in the order of the changes.
    var deliveries: [Delivery] = []
    /// The nodes that could not be evaluated.
    var failures: [ObjectIdentifier: Failure] = [:]
    /// The callers as they were looked up.
    var callers: [LiveCallers.Key: Caller] = [:]
    /// The evaluations.
    var evaluations: [Evaluation] = []
    /// The processor time that the conditions of each client took.
    var times: [LiveAllowances.Key: Duration] = [:]
    /// The changes that the next transaction decides.
    var rest: LiveWork

    init(_ work: LiveWork) {
        rest = work
    }
}
