package import Domain

/// Knows the state of the running server; implemented by Server.
package protocol ServerMonitor: Sendable {
    /// Whether the owners of apps see what concerns the whole server: its figures, queues and settings.
    var isOpen: Bool { get }

    /// The figures of the last hour.
    var history: ServerHistory { get }

    /// What every owner is allowed to know.
    func state(of app: AppID) -> ServerState

    /// What concerns the whole server.
    var machine: MachineState { get }

    /// The settings in force, without secrets: those of the server, and those of the app.
    func settings(of app: AppID) -> (server: [SettingInForce], app: [SettingInForce])

    /// The changes of this version and what to do for an upgrade, as Markdown; empty if the build has none.
    var releaseNotes: String { get }
}

/// The state of the server as an owner of an app sees it.
package struct ServerState: Sendable {
    /// The version of the program.
    package let version: String
    /// The commit that was built; `nil` if it is not known.
    package let commit: String?
    /// When the server started.
    package let startedAt: Timestamp
    /// Why the server is not ready.
    package let obstacles: [Readiness.Obstacle]
    /// The faults of the storage, the most severe first.
    package let faults: [StorageFault]
    /// The metrics of the app by their names without `lcfile_`; those with a second label have its value after a dot.
    package let figures: [String: Double]

    /// Creates the value.
    package init(
        version: String,
        commit: String?,
        startedAt: Timestamp,
        obstacles: [Readiness.Obstacle],
        faults: [StorageFault],
        figures: [String: Double]
    ) {
        self.version = version
        self.commit = commit
        self.startedAt = startedAt
        self.obstacles = obstacles
        self.faults = faults
        self.figures = figures
    }
}

/// What concerns the whole server and not one app.
package struct MachineState: Sendable {
    /// The libraries by their names, with their versions.
    package let libraries: [String: String]
    /// The queues of requests.
    package let queues: [(name: String, status: QueueStatus)]
    /// Open connections and their limit.
    package let connections: (open: Int, limit: Int)
    /// The metrics without labels of the storage, the process and the log, by their names without `lcfile_`.
    package let figures: [String: Double]
    /// The end of the certificate for new connections; `nil` without TLS.
    package let certificateEnd: Timestamp?

    /// Creates the value.
    package init(
        libraries: [String: String],
        queues: [(name: String, status: QueueStatus)],
        connections: (open: Int, limit: Int),
        figures: [String: Double],
        certificateEnd: Timestamp?
    ) {
        self.libraries = libraries
        self.queues = queues
        self.connections = connections
        self.figures = figures
        self.certificateEnd = certificateEnd
    }
}

/// A setting in force.
package struct SettingInForce: Sendable, Equatable {
    /// The name of the setting.
    package let name: String
    /// Its value as the configuration writes it; `(set)` for a secret, and `nil` if it has none.
    package let value: String?
    /// Whether the value is the default.
    package let isDefault: Bool

    /// Creates the value.
    package init(name: String, value: String?, isDefault: Bool) {
        self.name = name
        self.value = value
        self.isDefault = isDefault
    }
}
