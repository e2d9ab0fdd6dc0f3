internal import Domain
internal import HTTPAPI
internal import Logging

/// What the console and other clients with a master key see of the running server (docs/http-api.md).
struct ServerMonitoring: ServerMonitor {
    let page: MetricsPage
    let configuration: ServerConfiguration
    let apps: [AppConfiguration]
    let readiness: Readiness
    let health: StorageHealth
    let certificate: ServerCertificate?
    let connectionLimit: Int
    let logLevel: SharedLogLevel
    let history = ServerHistory()
    let startedAt = Timestamp.now()

    var isOpen: Bool {
        switch configuration.metrics.masterKey {
        case .on: true
        case .off: false
        case .auto: apps.count == 1
        }
    }

    func state(of app: AppID) -> ServerState {
        ServerState(
            version: ProgramVersion.number,
            commit: ProgramVersion.commit,
            startedAt: startedAt,
            obstacles: readiness.obstacles,
            faults: health.faults,
            figures: page.figures(of: app)
        )
    }

    var machine: MachineState {
        let figures = page.machineFigures
        return MachineState(
            libraries: Dictionary(uniqueKeysWithValues: ProgramVersion.libraries),
            queues: page.queues,
            connections: (Int(figures["http_connections"] ?? 0), connectionLimit),
            figures: figures,
            certificateEnd: certificate.map { Timestamp(milliseconds: Int64($0.end) * 1000) }
        )
    }

    func settings(of app: AppID) -> (server: [SettingInForce], app: [SettingInForce]) {
        let server = configuration.settingsInForce.map { setting in
            // A reload changes it (docs/configuration.md).
            guard setting.name == "log.level", logLevel.value != configuration.logLevel else { return setting }
            return SettingInForce(name: setting.name, value: logLevel.value.rawValue, isDefault: false)
        }
        return (server, apps.first { $0.id == app }?.settingsInForce ?? [])
    }

    var releaseNotes: String { ReleaseNotes.current }
}
