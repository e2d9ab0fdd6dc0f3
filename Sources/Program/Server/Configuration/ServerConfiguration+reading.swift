internal import Domain
internal import HTTPAPI

extension ServerConfiguration {
    /// The table of settings: each name with its property and its allowed values.
    ///
    /// `config/lcfile.yaml` lists the same names with their defaults; a test compares the two.
    mutating func read(_ reader: inout SettingReader) throws {
        reader.text("host", into: &host)
        try reader.number("port", 1...65535, into: &port)
        try reader.address("publicURL", into: &publicURL)
        tls.certificate = reader.text("tls.certificate")
        tls.key = reader.text("tls.key")
        reader.text("storage", into: &storage)

        try reader.number("http.idleTimeout", 1...86_400, into: &http.idleTimeout)
        try reader.number("http.shutdownTimeout", 0...86_400, into: &http.shutdownTimeout)
        try reader.number("http.maxConnections", 0...1_000_000, into: &http.maxConnections)
        try reader.flag("http.compression", into: &http.compression)
        let addresses = "addresses and networks such as 127.0.0.1, 10.0.0.0/8, fd00::/8"
        try reader.value("http.proxies", addresses, into: &http.proxies.networks) { TrustedProxies.networks($0) }
        let fields = TrustedProxies.Field.allCases.map(\.rawValue)
        try reader.value("http.proxyHeader", fields.joined(separator: " or "), into: &http.proxies.field) { text in
            fields.firstIndex { $0.lowercased() == text.lowercased() }.map { TrustedProxies.Field.allCases[$0] }
        }
        try reader.size("http.maxJsonSize", into: &wire.jsonSize)
        try reader.size("http.maxUserJsonSize", into: &wire.userJSONSize)
        try reader.size("http.maxGuestJsonSize", into: &wire.guestJSONSize)
        try reader.number("http.maxJsonValues", 1000...100_000_000, into: &wire.jsonValues)
        try reader.number("http.maxBatchSize", 1...10_000_000, into: &wire.batchSize)
        try reader.size("http.bodyMemory", atMost: 1 << 40, into: &wire.bodyMemory)

        try reader.size("uploads.maxSize", into: &uploads.fileSize)
        try reader.number("uploads.maxNameLength", 1...4096, into: &uploads.nameLength)
        try reader.number("uploads.maxMasterNameLength", 1...16_384, into: &uploads.masterNameLength)
        try reader.size("uploads.maxFieldSize", into: &wire.fieldSize)
        try reader.number("uploads.maxParts", 1...10_000, into: &wire.formParts)
        reader.text("uploads.typeTable", into: &typeTable)
        try reader.size("uploads.quota", orNone: &uploads.quota)
        try reader.number("uploads.maxOpen", 1...10_000_000, into: &uploads.open)
        try reader.number("uploads.maxOpenGuests", 0...10_000_000, into: &uploads.openGuests)
        try reader.number("uploads.maxOpenAddress", 1...10_000_000, into: &uploads.openAddress)
        try reader.number("uploads.maxOpenUser", 1...10_000_000, into: &uploads.openUser)
        let types = "patterns such as image/* or !text/html;text/xml"
        try reader.value("uploads.allowedTypes", types, into: &uploads.types) { TypePolicy($0) }
        let choices = "pairs such as java=qiniu, csharp=s3; SDKs and values as in docs/uploads.md"
        try reader.value("uploads.providers", choices, into: &providers) { ProviderChoice($0) }
        try reader.size("uploads.minPartSize", into: &uploads.partSize)
        try reader.number("uploads.startTimeout", 1...31_536_000, into: &uploads.startTimeout)
        try reader.number("uploads.expireAfter", 1...31_536_000, into: &uploads.expireAfter)
        try reader.number("uploads.guestIdleTimeout", 1...31_536_000, into: &uploads.guestIdleTimeout)
        try reader.number("uploads.sweepInterval", 1...86_400, into: &sweepInterval)
        try reader.number("uploads.maxWatchers", 0...1_000_000, into: &uploads.watchers)
        try reader.number("uploads.maxWatchersGuests", 0...1_000_000, into: &uploads.watchersGuests)

        try reader.size("fetch.maxSize", into: &fetching.size)
        try reader.number("fetch.timeout", 1...86_400, into: &fetching.timeout)
        try reader.number("fetch.connectTimeout", 1...3600, into: &fetching.connectTimeout)
        try reader.number("fetch.minSpeed", 0...1_000_000_000, into: &fetching.minSpeed)
        try reader.number("fetch.maxRedirects", 0...50, into: &fetching.redirects)
        try reader.value("fetch.allowedNetworks", "networks such as 10.0.0.0/8, fd00::/8", into: &fetchNetworks) {
            text in
            let networks = text.split(separator: ",").map { IPNetwork(String($0.filter { $0 != " " })) }
            return networks.contains { $0 == nil } ? nil : networks.compactMap(\.self)
        }
        try reader.number("fetch.threads", 1...1024, into: &threads.fetches)
        try reader.number("fetch.maxQueued", 0...100_000, into: &threads.fetchQueue)
        try reader.number("fetch.guestThreads", 1...1024, into: &threads.guestFetches)
        try reader.number("fetch.maxQueuedGuests", 0...100_000, into: &threads.guestFetchQueue)

        try reader.address("mirror.origin", into: &mirror.origin)
        try reader.size("mirror.maxSize", into: &mirror.size)
        try reader.number("mirror.timeout", 1...86_400, into: &mirror.timeout)
        try reader.number("mirror.threads", 1...1024, into: &threads.mirror)
        try reader.number("mirror.maxQueued", 0...100_000, into: &threads.mirrorQueue)
        try reader.number("mirror.notFoundTime", 0...86_400, into: &mirror.notFoundTime)
        try reader.number("mirror.rememberedKeys", 0...10_000_000, into: &mirror.rememberedKeys)

        try reader.number("censorship.workers", 1...64, into: &censorship.limits.workers)
        try reader.number("censorship.attempts", 1...20, into: &censorship.limits.attempts)
        try reader.number("censorship.retryPause", 1...3600, into: &censorship.limits.retryPause)
        try reader.number("censorship.timeout", 1...3600, into: &censorship.limits.timeout)
        try reader.number("censorship.frames", 1...100, into: &censorship.limits.frames)
        reader.text("censorship.model", into: &censorship.model)
        reader.text("censorship.classifier", into: &censorship.classifier)
        try reader.address("censorship.webhook", into: &censorship.webhookURL)
        censorship.secret = Secret(reader.text("censorship.webhookSecret") ?? "")
        try reader.number("censorship.webhookTimeout", 1...3600, into: &censorship.webhookTimeout)
        try reader.number("censorship.callbackTimeout", 1...2_592_000, into: &censorship.limits.callbackTimeout)
        try reader.address("censorship.purge", into: &censorship.purgeURL)

        try reader.size("objects.maxSize", atMost: 16 << 20, into: &objects.objectSize)
        try reader.size("objects.maxMasterSize", atMost: 16 << 20, into: &objects.masterObjectSize)
        try reader.number("objects.maxColumns", 1...2000, into: &objects.columns)
        try reader.number("objects.maxClasses", 1...10_000, into: &objects.classes)
        try reader.number("objects.maxIndexes", 1...100, into: &objects.indexes)
        try reader.number("objects.guestShare", 0...100, into: &objects.guestShare)
        try reader.number("objects.userShare", 0...100, into: &objects.userShare)

        try reader.number("queries.timeout", 1...3600, into: &queries.timeout)
        try reader.size("queries.maxReplySize", into: &queries.replySize)
        try reader.number("queries.maxDepth", 1...50, into: &queries.depth)
        try reader.number("queries.maxConditions", 1...10_000, into: &queries.conditions)
        try reader.number("queries.maxListLength", 1...1_000_000, into: &queries.listLength)
        try reader.number("queries.maxValues", 1...1_000_000, into: &queries.values)
        try reader.number("queries.maxConcurrent", 1...10_000, into: &queries.concurrent)
        try reader.number("queries.maxSubqueries", 0...100, into: &queries.subqueries)
        try reader.number("queries.maxPatternLength", 1...100_000, into: &queries.patternLength)

        try reader.flag("liveQueries.enabled", into: &liveQueries.enabled)
        try reader.number("liveQueries.connections", 1...1_000_000, into: &liveQueries.limits.connections)
        try reader.number(
            "liveQueries.connectionsPerInstallation",
            1...10_000,
            into: &liveQueries.limits.connectionsPerInstallation
        )
        try reader.number("liveQueries.subscriptions", 1...10_000_000, into: &liveQueries.limits.subscriptions)
        try reader.number(
            "liveQueries.subscriptionsPerInstallation",
            1...100_000,
            into: &liveQueries.limits.subscriptionsPerInstallation
        )
        try reader.number("liveQueries.subscribeRate", 1...1_000_000, into: &liveQueries.limits.subscribeRate)
        try reader.number("liveQueries.lifetime", 1...604_800, into: &liveQueries.limits.lifetime)
        try reader.size("liveQueries.conditionSize", atMost: 1 << 20, into: &liveQueries.limits.conditionSize)
        try reader.size("liveQueries.messageSize", atMost: 16 << 20, into: &liveQueries.limits.messageSize)
        try reader.number("liveQueries.queueCount", 1...1_000_000, into: &liveQueries.limits.queueCount)
        try reader.size("liveQueries.queueSize", atMost: 1 << 30, into: &liveQueries.limits.queueSize)
        try reader.number("liveQueries.idleTimeout", 10...86_400, into: &liveQueries.limits.idleTimeout)

        try reader.number("accounts.passwordCost", 10...20, into: &threads.passwordCost)
        try reader.number("accounts.passwordThreads", 1...64, into: &threads.passwords)
        try reader.number("accounts.maxQueuedPasswords", 0...100_000, into: &threads.passwordQueue)
        try reader.number("accounts.maxPasswordLength", 8...4096, into: &accounts.maxPasswordLength)
        try reader.number("accounts.maxFailures", 1...1000, into: &accounts.maxFailures)
        try reader.number("accounts.lockoutTime", 1...86_400, into: &accounts.lockoutTime)
        try reader.number("accounts.maxSignUps", 0...1_000_000, into: &accounts.maxSignUps)
        try reader.number("accounts.maxSessions", 1...100_000, into: &accounts.maxSessions)
        try reader.number("accounts.maxRoles", 1...10_000, into: &accounts.maxRoles)
        try reader.number("accounts.cachedSessions", 0...10_000_000, into: &accounts.cachedSessions)
        try reader.flag("accounts.endSessionsOnPasswordChange", into: &accounts.endsSessions)
        try reader.flag("accounts.hideUnknownUsers", into: &accounts.hidesUnknownUsers)
        try reader.address("accounts.authDataVerifier", into: &verifier.url)
        try reader.number("accounts.authDataVerifierTimeout", 1...60, into: &verifier.timeout)

        try reader.number("downloads.cachedRecords", 0...10_000_000, into: &downloads.records)
        try reader.number("downloads.openFiles", 0...100_000, into: &downloads.openBlobs)
        try reader.number("downloads.hotResponses", 0...1_000_000, into: &hotDownloads.responses)
        try reader.size("downloads.hotMemory", allowingZero: true, atMost: 1 << 40, into: &hotDownloads.memory)
        try reader.number("downloads.hotFiles", 0...100_000, into: &hotDownloads.files)

        try reader.number("images.threads", 0...1024, into: &threads.images)
        try reader.number("images.maxQueued", 0...100_000, into: &threads.imageQueue)
        try reader.size("images.memory", atMost: 1 << 50, into: &threads.imageMemory)
        try reader.number("images.timeout", 1...3600, into: &images.limits.timeout)
        try reader.number("images.maxWork", 1...3_600_000, into: &images.limits.work)
        try reader.number("images.workers", 1...64, into: &threads.imageWorkers)
        try reader.size("images.workerMemory", atMost: 1 << 40, into: &threads.imageWorkerMemory)
        try reader.size("images.cacheSize", allowingZero: true, into: &derivativeCache)
        try reader.number("images.mezzanine", 0...10_000, into: &images.preScaledSide)
        try reader.value("images.quality", "fast or best", into: &images.effort) { ImageEffort(rawValue: $0) }
        try reader.flag("images.keepCopyright", into: &images.keepsCopyright)
        try reader.size("images.maxSourceSize", atMost: 1 << 40, into: &images.limits.sourceSize)
        try reader.number("images.maxSourceSide", 1...1_000_000, into: &images.limits.sourceSide)
        try reader.number("images.maxSourcePixels", 1...10_000_000_000, into: &images.limits.sourcePixels)
        try reader.number("images.maxResultSide", 1...16_383, into: &images.limits.resultSide)
        try reader.number("images.maxResultPixels", 1...268_000_000, into: &images.limits.resultPixels)
        try reader.number("images.maxFrames", 1...10_000, into: &images.limits.frames)
        try reader.number("images.maxAnimationPixels", 1...1_000_000_000, into: &images.limits.animationPixels)
        try reader.number("images.maxOperators", 1...100, into: &images.limits.operators)
        try reader.number("images.maxTextLength", 1...10_000, into: &images.limits.textLength)

        try reader.number("disk.threads", 1...1024, into: &threads.disk)
        try reader.size("disk.reserve", allowingZero: true, atMost: 1 << 40, into: &reserve)
        try reader.number("database.readers", 1...256, into: &threads.databaseReaders)
        try reader.size("database.cacheSize", atMost: 1 << 40, into: &threads.databaseCache)

        try reader.flag("metrics.enabled", into: &metrics.enabled)
        reader.text("metrics.host", into: &metrics.host)
        try reader.number("metrics.port", 1...65535, into: &metrics.port)

        try reader.level("log.level", into: &logLevel)
        try reader.size("log.buffer", atMost: 1 << 40, into: &logBuffer)
    }
}
