internal import Domain
internal import HTTPAPI
internal import PostgresStore
internal import S3
internal import SQLiteStore
package import Server
internal import Storage

/// Examines the machine, the storage folder, the settings and the network for a server, and changes nothing but a folder
/// for a trial of syncs, objects in the bucket of blobs, and a file that is uploaded and removed if that is wanted.
package struct Examination: Sendable {
    private let loader: ConfigurationLoader
    private let storage: String?
    private let url: String?
    private let transfers: Bool

    /// - Parameters:
    ///   - loader: The sources of the settings.
    ///   - storage: The storage folder, in the place of the settings'.
    ///   - url: The URL of the server, in the place of `publicURL`.
    ///   - transfers: Whether a file is uploaded through the URL with the master key of the first app, and removed.
    package init(_ loader: ConfigurationLoader, storage: String?, url: String?, transfers: Bool = false) {
        self.loader = loader
        self.storage = storage
        self.url = url
        self.transfers = transfers
    }

    /// Runs everything; blocks for seconds, longer if names do not resolve.
    ///
    /// - Parameter report: Called with each finding when it is known.
    package func run(_ report: (Finding) -> Void) {
        var configuration = ServerConfiguration()
        do {
            configuration = try loader.load(for: .storage)
            let apps = configuration.knownApps(in: storage ?? configuration.storage)
            for finding in Examination.settings(warnings: configuration.warnings + configuration.warnings(for: apps)) {
                report(finding)
            }
            for refusal in configuration.startRefusals {
                report(Finding("settings", .note, "a server does not start with these settings: \(refusal)"))
            }
        } catch {
            report(Finding("settings", .problem, "\(error)"))
        }
        let folder = storage ?? configuration.storage
        examineStorage(folder, configuration, report)
        examineDatabase(folder, configuration, report)
        examineBucket(folder, configuration, report)
        examineBackupTarget(configuration, report)
        examineMachine(folder, configuration, report)
        examineNetwork(folder, configuration, report)
    }

    /// Findings about settings that can be used.
    static func settings(warnings: [String]) -> [Finding] {
        guard !warnings.isEmpty else { return [Finding("settings", .ok, "the settings are valid")] }
        return warnings.map { Finding("settings", .note, $0) }
    }

    private func examineStorage(_ folder: String, _ configuration: ServerConfiguration, _ report: (Finding) -> Void) {
        let facts = StorageFacts(reading: folder)
        for finding in facts.findings(minFree: configuration.minFree) { report(finding) }
        guard facts.exists, facts.isFolder, facts.isWritable, facts.failure == nil else { return }
        var isMemory = false
        if case .memory = FileSystemKind(magic: facts.fileSystem) { isMemory = true }
        for finding in StorageTrial(in: folder).findings(isMemory: isMemory) { report(finding) }
        report(TemporaryFacts(reading: folder).finding)
        // SQLite creates files beside a database even to read it; root's would keep the server from starting.
        guard facts.user == facts.owner else { return }
        for finding in Examination.schemas(configuration.schemas(in: folder)) { report(finding) }
    }

    private func examineDatabase(
        _ folder: String,
        _ configuration: ServerConfiguration,
        _ report: (Finding) -> Void
    ) {
        let url = configuration.databaseURL.revealed
        guard !url.isEmpty else { return }
        do throws(OpenFailure) {
            let facts = try PostgresFacts(reading: PostgresAddress(url: url))
            let apps = max(1, configuration.knownApps(in: folder).count)
            for finding in facts.findings(connectionsNeeded: configuration.databaseConnections(apps: apps)) {
                report(finding)
            }
        } catch {
            report(Finding("database.server", .problem, "the database (database.url) \(error.message)"))
        }
    }

    private func examineBucket(_ folder: String, _ configuration: ServerConfiguration, _ report: (Finding) -> Void) {
        guard let location = configuration.blobs.store else { return }
        do {
            var options = S3Options()
            // An operator waits.
            (options.attempts, options.connectTimeout, options.idleTimeout) = (2, 5, 15)
            let client = try configuration.blobs.s3.client(for: location, options: options)
            let trial = BucketTrial(of: client, prefix: location.prefix)
            for finding in trial.findings(of: location.description) { report(finding) }
            guard trial.failure == nil else { return }
            for app in configuration.knownApps(in: folder) {
                Examination.blobs(ofApp: "\(folder)/\(app.id)", configuration.blobs).map(report)
            }
        } catch {
            report(Finding("bucket.rights", .problem, "\(error)"))
        }
    }

    private func examineBackupTarget(_ configuration: ServerConfiguration, _ report: (Finding) -> Void) {
        // What is wrong with the address or the keys of a bucket is among the settings.
        guard let target = configuration.backup.target, !target.hasPrefix(S3Location.scheme) else { return }
        let isForeign = BackupTargets.refuses(folder: target)
        report(StorageFacts(reading: target).backupTarget(hasOtherFiles: isForeign))
    }

    /// Whether the bucket has the blobs of an app's folder, and the keys are theirs; `nil` if the folder knows no bucket.
    private static func blobs(ofApp folder: String, _ settings: BlobConfiguration) -> Finding? {
        let subject = "bucket.blobs"
        do {
            guard try settings.hasBlobs(ofApp: folder) else { return nil }
            return Finding(subject, .ok, "the bucket has the blobs of \(folder)")
        } catch {
            return Finding(subject, .problem, "\(error)")
        }
    }

    /// Findings about the databases of apps.
    static func schemas(_ states: [(app: String, state: SchemaState)]) -> [Finding] {
        states.compactMap { app, state -> Finding? in
            let subject = "database.schema"
            return switch state {
            case .missing: nil
            case .current: Finding(subject, .ok, "the database of \(app) has this version's schema")
            case .older: Finding(subject, .note, "the next start migrates the database of \(app); make a backup before")
            case .newer:
                Finding(
                    subject,
                    .problem,
                    "the database of \(app) was written by a newer version; start that one instead"
                )
            case .unreadable(let reason): Finding(subject, .problem, "the database of \(app) cannot be read: \(reason)")
            }
        }
    }

    private func examineMachine(_ folder: String, _ configuration: ServerConfiguration, _ report: (Finding) -> Void) {
        let facts = MachineFacts.read()
        let apps = max(1, configuration.knownApps(in: folder).count)
        var needs = MachineNeeds()
        needs.memory = configuration.memoryNeeded(apps: apps)
        let wanted = configuration.connections(openFiles: 1 << 30, apps: apps)
        if case .success(let connections) = wanted { needs.connections = connections }
        switch configuration.connections(openFiles: facts.openFiles, apps: apps) {
        case .success(let connections): needs.possibleConnections = connections
        case .failure(let error): needs.refusal = error.description
        }
        for finding in facts.findings(needs) { report(finding) }
        for finding in classifierFindings(configuration) { report(finding) }
    }

    private func classifierFindings(_ configuration: ServerConfiguration) -> [Finding] {
        let (program, model) = configuration.classifierFiles
        let missing = [program, model].filter { !StorageFacts(reading: $0).exists }
        guard let first = missing.first else {
            return [Finding("classifier", .ok, "the program and its model are there")]
        }
        return [Finding("classifier", .note, "\(first) is missing: images are not classified (docs/censorship.md)")]
    }

    private func examineNetwork(_ folder: String, _ configuration: ServerConfiguration, _ report: (Finding) -> Void) {
        let apps = configuration.knownApps(in: folder)
        let address = url ?? configuration.publicURL
        var names: [String] = []
        for text in [address].compactMap(\.self) + apps.flatMap(\.fileDomains) {
            guard let host = AddressParts(text)?.host, !names.contains(host) else { continue }
            names.append(host)
        }
        let facts = names.map { NameFacts(resolving: $0) }
        for name in facts { report(name.finding) }
        for (role, setting, url) in configuration.services {
            guard var service = ServiceFacts(role, setting: setting, url: url) else { continue }
            service.connect()
            report(service.finding)
        }
        guard let address else {
            return report(
                Finding("url", .note, "publicURL is not set, and no --url: the way of clients was not examined")
            )
        }
        // A name that does not resolve was reported.
        guard facts.first?.failure == nil else { return }
        let probe = ServerProbe(
            probing: address,
            app: configuration.liveQueries.enabled ? apps.first?.id.description : nil,
            size: configuration.uploads.fileSize
        )
        let trustsProxies = !configuration.http.proxies.networks.isEmpty
        let findings = probe.findings(trustsProxies: trustsProxies, hasLiveQueries: configuration.liveQueries.enabled)
        for finding in findings { report(finding) }
        guard transfers else { return }
        guard let app = apps.first else {
            return report(Finding("url.upload", .problem, "no app is configured, whose master key an upload needs"))
        }
        let transfer = TransferProbe(
            through: address,
            app: app.id.description,
            masterKey: app.keys.masterKey.revealed
        )
        for finding in transfer.findings(proxy: probe.proxyName, trustsProxies: trustsProxies) { report(finding) }
    }
}
