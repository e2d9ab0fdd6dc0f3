internal import Domain
internal import HTTPAPI
internal import S3Blobs
package import SQLiteStore
package import Storage
internal import VisionModel

/// What `lcfile doctor` asks of the settings; nothing here changes a file.
extension ServerConfiguration {
    /// The apps that a start would serve: the configured ones, or the one that an earlier start created.
    ///
    /// - Parameter storage: The storage folder.
    /// - Returns: No apps if none is configured and none was created.
    package func knownApps(in storage: String) -> [AppConfiguration] {
        apps.isEmpty ? (try? ConfigurationFile(path: "\(storage)/apps.yaml"))?.apps ?? [] : apps
    }

    /// Why a server with these settings does not start, although other commands can use them: sentences.
    package var startRefusals: [String] { servingConflicts(appCount: apps.count).map(\.sentence) }

    /// How the schemas of the databases of the known apps compare with this version's.
    package func schemas(in storage: String) -> [(app: String, state: SchemaState)] {
        knownApps(in: storage).map { app in
            (app.id.description, SchemaState.read("\(storage)/\(app.id)/\(FolderEngine.fileName)"))
        }
    }

    /// The connections that the server opens to the database of `database.url`.
    ///
    /// - Parameter apps: The number of apps.
    /// - Returns: The most at a time; 0 without `database.url`.
    package func databaseConnections(apps: Int) -> Int {
        databaseURL.revealed.isEmpty ? 0 : apps * SharedDatabase.connections(readers: threads.databaseReaders)
    }

    /// The connections that the server has with a limit of open files.
    ///
    /// - Parameters:
    ///   - openFiles: The limit.
    ///   - apps: The number of apps.
    /// - Returns: The number, or why the server does not start.
    package func connections(openFiles: Int, apps: Int) -> Result<Int, ExitError> {
        do {
            return .success(try DescriptorBudget(limit: openFiles, for: self, apps: apps).connections)
        } catch {
            return .failure(error as? ExitError ?? .configuration("\(error)"))
        }
    }

    /// The bytes of memory that the settings allow for what can be large, all at the same time.
    ///
    /// - Parameter apps: The number of apps.
    /// - Returns: The sum.
    package func memoryNeeded(apps: Int) -> Int64 {
        // Those of PostgreSQL are on its machine.
        let connections = (threads.databaseReaders + 1) * threads.databaseCache
        let databases = databaseURL.revealed.isEmpty ? apps * (connections + threads.rowCache) : 0
        // Three more worker processes: see images.workers in config/lcfile.yaml. Cheap images have another quarter.
        let images = threads.imageMemory + threads.imageMemory / 4 + servedImageMemory
        let workers = (threads.imageWorkers + 2) * threads.imageWorkerMemory
        let hashes = threads.passwords << (threads.passwordCost + 10)
        let staged = blobs.store == nil ? 0 : apps * S3StagingArea.Options().memory
        let others = staged + wire.bodyMemory + fetchedMemory + hotDownloads.memory + hashes
        return Int64(clamping: databases + images + workers + others)
    }

    /// The paths of the classifier's program and model.
    package var classifierFiles: (program: String, model: String) {
        let program = censorship.classifier
        return (program.isEmpty ? VisionClassifier.programBesideServer : program, censorship.model)
    }

    /// The services to which the server connects: what they are, the setting, the URL, whose path can be secret.
    package var services: [(role: String, setting: String, url: String)] {
        var services: [(role: String, setting: String, url: String)] = []
        if let url = mail.server { services.append(("the mail server", "mail.server", url)) }
        if sms.provider == .webhook { services.append(("the SMS gateway", "sms.webhook", sms.url.revealed)) }
        if let url = censorship.webhookURL { services.append(("the webhook", "censorship.webhook", url)) }
        if let url = verifier.url { services.append(("the verifier", "accounts.authDataVerifier", url)) }
        if blobs.store != nil, let url = blobs.s3.endpoint {
            services.append(("the S3 store of blobs", "blobs.s3.endpoint", url))
        }
        if let url = s3.endpoint { services.append(("the S3 store", "backup.s3.endpoint", url)) }
        return services
    }
}
