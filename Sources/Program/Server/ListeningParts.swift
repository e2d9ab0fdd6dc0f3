internal import Console
internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle

/// The constructed parts that the listeners use, and the services that run beside them.
struct ListeningParts {
    /// What answers requests.
    let api: API
    /// The console; `nil` if it is off.
    let console: Console?
    /// The open connections of the main listener.
    let connections: OpenConnections
    /// What `/ready` answers.
    let readiness: Readiness
    /// What the limit of open files allows.
    let descriptors: DescriptorBudget
    /// How connections are encrypted; `nil` for connections in the clear.
    let encryption: Encryption?
    /// The metrics.
    let page: MetricsPage
    /// What the owners of apps see of the server.
    let monitor: ServerMonitoring
    /// The workers of live queries; `nil` without live queries.
    let liveQueries: LiveQueryWorkers?
    /// What goes on until all others have stopped; `nil` if no blobs are in a bucket.
    let bucketWorkers: BucketWorkers?
    /// Further services; the last one stops first.
    let background: [any Service]
}
