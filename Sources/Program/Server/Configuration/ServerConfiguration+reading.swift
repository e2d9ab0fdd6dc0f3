internal import CurlMail
internal import Domain
internal import HTTPAPI

extension ServerConfiguration {
    /// The table of settings: each name with its property and its allowed values.
    ///
    /// `config/lcfile.yaml` lists the same names with their defaults; a test compares the two.
    mutating func read(_ reader: inout SettingReader) {
        reader.text("host", into: &host)
        reader.number("port", 0...65535, into: &port)
        reader.address("publicURL", into: &publicURL)
        tls.certificate = reader.path("tls.certificate")
        tls.key = reader.path("tls.key")
        reader.number("tls.redirectPort", 0...65535, into: &tls.redirectPort)
        reader.text("storage", into: &storage)

        reader.number("http.idleTimeout", 1...86_400, into: &http.idleTimeout)
        reader.number("http.drainTime", 0...3600, into: &http.drainTime)
        reader.number("http.shutdownTimeout", 0...86_400, into: &http.shutdownTimeout)
        reader.number("http.maxConnections", 0...1_000_000, into: &http.maxConnections)
        reader.number("http.maxConnectionsPerAddress", 0...1_000_000, into: &http.maxConnectionsPerAddress)
        reader.flag("http.compression", into: &http.compression)
        let addresses = "addresses and networks such as 127.0.0.1, 10.0.0.0/8, fd00::/8"
        reader.value("http.proxies", addresses, into: &http.proxies.networks) { TrustedProxies.networks($0) }
        let fields = TrustedProxies.Field.allCases.map(\.rawValue)
        reader.value("http.proxyHeader", fields.joined(separator: " or "), into: &http.proxies.field) { text in
            fields.firstIndex { $0.lowercased() == text.lowercased() }.map { TrustedProxies.Field.allCases[$0] }
        }
        reader.size("http.maxJsonSize", into: &wire.jsonSize)
        reader.size("http.maxUserJsonSize", into: &wire.userJSONSize)
        reader.size("http.maxGuestJsonSize", into: &wire.guestJSONSize)
        reader.number("http.maxJsonValues", 1000...100_000_000, into: &wire.jsonValues)
        reader.number("http.maxBatchSize", 1...10_000_000, into: &wire.batchSize)
        reader.size("http.bodyMemory", atMost: 1 << 40, into: &wire.bodyMemory)

        reader.flag("http2.enabled", into: &http2.isEnabled)
        reader.number("http2.maxStreams", 1...10_000, into: &http2.streams)
        reader.number("http2.maxResets", 0...1_000_000, into: &http2.resets)
        reader.number("http2.maxControlFrames", 10...1_000_000, into: &http2.controlFrames)
        reader.number("http2.maxSmallFrames", 10...10_000_000, into: &http2.smallFrames)

        reader.number("limits.requests", 0...100_000_000, into: &requestLimits.requests)
        reader.number("limits.userRequests", 0...100_000_000, into: &requestLimits.userRequests)
        reader.number("limits.appRequests", 0...100_000_000, into: &requestLimits.appRequests)
        reader.number("limits.uploads", 0...100_000_000, into: &requestLimits.uploads)
        reader.number("limits.logIns", 0...100_000_000, into: &requestLimits.logIns)
        reader.number("limits.fetches", 0...100_000_000, into: &requestLimits.fetches)
        reader.number("limits.imageWork", 0...100_000_000, into: &requestLimits.imageWork)
        reader.value("limits.exempt", addresses + ", or none", into: &requestLimits.exempt) { text in
            text == "none" ? [] : TrustedProxies.networks(text)
        }

        reader.size("uploads.maxSize", into: &uploads.fileSize)
        reader.number("uploads.maxNameLength", 1...4096, into: &uploads.nameLength)
        reader.number("uploads.maxMasterNameLength", 1...16_384, into: &uploads.masterNameLength)
        reader.size("uploads.maxFieldSize", into: &wire.fieldSize)
        reader.number("uploads.maxParts", 1...10_000, into: &wire.formParts)
        reader.number("uploads.minSpeed", 0...1_000_000_000, into: &wire.uploadSpeed)
        reader.text("uploads.typeTable", into: &typeTable)
        reader.size("uploads.quota", orNone: &uploads.quota)
        reader.number("uploads.maxOpen", 1...10_000_000, into: &uploads.open)
        reader.number("uploads.maxOpenGuests", 0...10_000_000, into: &uploads.openGuests)
        reader.number("uploads.maxOpenAddress", 1...10_000_000, into: &uploads.openAddress)
        reader.number("uploads.maxOpenUser", 1...10_000_000, into: &uploads.openUser)
        let types = "patterns such as image/* or !text/html;text/xml"
        reader.value("uploads.allowedTypes", types, into: &uploads.types) { TypePolicy($0) }
        let choices = "pairs such as java=qiniu, csharp=s3; SDKs and values as in docs/uploads.md"
        reader.value("uploads.providers", choices, into: &providers) { ProviderChoice($0) }
        reader.size("uploads.minPartSize", into: &uploads.partSize)
        reader.number("uploads.startTimeout", 1...31_536_000, into: &uploads.startTimeout)
        reader.number("uploads.expireAfter", 1...31_536_000, into: &uploads.expireAfter)
        reader.number("uploads.guestIdleTimeout", 1...31_536_000, into: &uploads.guestIdleTimeout)
        reader.number("uploads.sweepInterval", 1...86_400, into: &sweepInterval)
        reader.number("uploads.maxWatchers", 0...1_000_000, into: &uploads.watchers)
        reader.number("uploads.maxWatchersGuests", 0...1_000_000, into: &uploads.watchersGuests)

        reader.number("trash.keep", 0...315_360_000, into: &trash.keep)
        reader.number("trash.keepCollected", 3600...315_360_000, into: &trash.keepCollected)

        reader.size("fetch.maxSize", into: &fetching.size)
        reader.number("fetch.timeout", 1...86_400, into: &fetching.timeout)
        reader.number("fetch.connectTimeout", 1...3600, into: &fetching.connectTimeout)
        reader.number("fetch.minSpeed", 0...1_000_000_000, into: &fetching.minSpeed)
        reader.number("fetch.maxRedirects", 0...50, into: &fetching.redirects)
        reader.value("fetch.allowedNetworks", "networks such as 10.0.0.0/8, fd00::/8", into: &fetchNetworks) {
            text in
            let networks = text.split(separator: ",").map { IPNetwork(String($0.filter { $0 != " " })) }
            return networks.contains { $0 == nil } ? nil : networks.compactMap(\.self)
        }
        reader.number("fetch.threads", 1...1024, into: &threads.fetches)
        reader.number("fetch.maxQueued", 0...100_000, into: &threads.fetchQueue)
        reader.number("fetch.guestThreads", 1...1024, into: &threads.guestFetches)
        reader.number("fetch.maxQueuedGuests", 0...100_000, into: &threads.guestFetchQueue)

        reader.address("mirror.origin", into: &mirror.origin)
        reader.size("mirror.maxSize", into: &mirror.size)
        reader.number("mirror.timeout", 1...86_400, into: &mirror.timeout)
        reader.number("mirror.threads", 1...1024, into: &threads.mirror)
        reader.number("mirror.maxQueued", 0...100_000, into: &threads.mirrorQueue)
        reader.number("mirror.notFoundTime", 0...86_400, into: &mirror.notFoundTime)
        reader.number("mirror.rememberedKeys", 0...10_000_000, into: &mirror.rememberedKeys)

        reader.number("censorship.workers", 1...64, into: &censorship.limits.workers)
        reader.number("censorship.attempts", 1...20, into: &censorship.limits.attempts)
        reader.number("censorship.retryPause", 1...3600, into: &censorship.limits.retryPause)
        reader.number("censorship.timeout", 1...3600, into: &censorship.limits.timeout)
        reader.number("censorship.frames", 1...100, into: &censorship.limits.frames)
        reader.text("censorship.model", into: &censorship.model)
        reader.text("censorship.classifier", into: &censorship.classifier)
        reader.address("censorship.webhook", into: &censorship.webhookURL)
        reader.secret("censorship.webhookSecret", into: &censorship.secret)
        reader.number("censorship.webhookTimeout", 1...3600, into: &censorship.webhookTimeout)
        reader.number("censorship.callbackTimeout", 1...2_592_000, into: &censorship.limits.callbackTimeout)
        reader.address("censorship.purge", into: &censorship.purgeURL)

        reader.value("mail.server", "smtp://host:port or smtps://host:port", into: &mail.server) {
            MailConfiguration.server($0)
        }
        let mailboxes = "an ASCII address such as app@example.org, also with a name: Example <app@example.org>"
        reader.value("mail.from", mailboxes, into: &mail.from) { Mailbox($0) }
        reader.value("mail.replyTo", mailboxes, into: &mail.replyTo) { Mailbox($0) }
        reader.text("mail.user", into: &mail.user)
        reader.secret("mail.password", into: &mail.password)
        reader.value("mail.starttls", "required, optional or off", into: &mail.encryption) {
            MailServer.Encryption(rawValue: $0)
        }
        mail.caFile = reader.path("mail.caFile")
        reader.number("mail.timeout", 1...600, into: &mail.timeout)
        reader.value("mail.language", "en or zh", into: &mail.language) { MailLanguage(rawValue: $0) }
        mail.templateFolder = reader.path("mail.templates")
        reader.value(
            "mail.redirects",
            "URLs such as https://app.example.org, separated by commas",
            into: &mail.redirects
        ) {
            MailConfiguration.redirects($0)
        }
        reader.number("mail.maxPerAddress", 0...1_000_000, into: &mail.limits.perAddress)
        reader.number("mail.maxPerClient", 0...1_000_000, into: &mail.limits.perClient)
        reader.number("mail.maxPerApp", 0...100_000_000, into: &mail.limits.perApp)
        reader.number("mail.workers", 1...16, into: &mail.workers)
        reader.number("mail.retryPause", 1...3600, into: &mail.retryPause)
        reader.number("mail.giveUpAfter", 1...2_592_000, into: &mail.giveUpAfter)
        reader.number("mail.deadLetterLifetime", 1...31_536_000, into: &mail.deadLetterLifetime)
        reader.number("mail.verifyLifetime", 1...31_536_000, into: &mail.verifyLifetime)
        reader.number("mail.resetLifetime", 1...31_536_000, into: &mail.resetLifetime)

        readSMS(&reader)

        reader.size("objects.maxSize", atMost: 16 << 20, into: &objects.objectSize)
        reader.size("objects.maxMasterSize", atMost: 16 << 20, into: &objects.masterObjectSize)
        reader.number("objects.maxColumns", 1...2000, into: &objects.columns)
        reader.number("objects.maxClasses", 1...10_000, into: &objects.classes)
        reader.number("objects.maxIndexes", 1...100, into: &objects.indexes)
        reader.number("objects.guestShare", 0...100, into: &objects.guestShare)
        reader.number("objects.userShare", 0...100, into: &objects.userShare)

        reader.number("queries.timeout", 1...3600, into: &queries.timeout)
        reader.size("queries.maxReplySize", into: &queries.replySize)
        reader.number("queries.maxDepth", 1...50, into: &queries.depth)
        reader.number("queries.maxConditions", 1...10_000, into: &queries.conditions)
        reader.number("queries.maxListLength", 1...1_000_000, into: &queries.listLength)
        reader.number("queries.maxValues", 1...1_000_000, into: &queries.values)
        reader.number("queries.maxConcurrent", 1...10_000, into: &queries.concurrent)
        reader.number("queries.maxSubqueries", 0...100, into: &queries.subqueries)
        reader.number("queries.maxPatternLength", 1...100_000, into: &queries.patternLength)
        reader.size("queries.maxPatternMemory", into: &queries.patternMemory)

        reader.flag("liveQueries.enabled", into: &liveQueries.enabled)
        reader.number("liveQueries.connections", 1...1_000_000, into: &liveQueries.limits.connections)
        reader.number(
            "liveQueries.connectionsPerInstallation",
            1...10_000,
            into: &liveQueries.limits.connectionsPerInstallation
        )
        reader.number("liveQueries.subscriptions", 1...10_000_000, into: &liveQueries.limits.subscriptions)
        reader.number(
            "liveQueries.subscriptionsPerInstallation",
            1...100_000,
            into: &liveQueries.limits.subscriptionsPerInstallation
        )
        reader.number("liveQueries.subscribeRate", 1...1_000_000, into: &liveQueries.limits.subscribeRate)
        reader.number("liveQueries.lifetime", 1...604_800, into: &liveQueries.limits.lifetime)
        reader.size("liveQueries.conditionSize", atMost: 1 << 20, into: &liveQueries.limits.conditionSize)
        reader.size("liveQueries.patternMemory", into: &liveQueries.limits.patternMemory)
        reader.size("liveQueries.memory", into: &liveQueries.limits.memory)
        reader.size("liveQueries.messageSize", atMost: 16 << 20, into: &liveQueries.limits.messageSize)
        reader.number("liveQueries.queueCount", 1...1_000_000, into: &liveQueries.limits.queueCount)
        reader.size("liveQueries.queueSize", atMost: 1 << 30, into: &liveQueries.limits.queueSize)
        reader.size("liveQueries.queuedMemory", into: &liveQueries.limits.queuedMemory)
        reader.number("liveQueries.idleTimeout", 10...86_400, into: &liveQueries.limits.idleTimeout)

        reader.number("accounts.passwordCost", 10...20, into: &threads.passwordCost)
        reader.number("accounts.passwordThreads", 1...64, into: &threads.passwords)
        reader.number("accounts.maxQueuedPasswords", 0...100_000, into: &threads.passwordQueue)
        reader.number("accounts.maxPasswordLength", 8...4096, into: &accounts.maxPasswordLength)
        reader.number("accounts.maxFailures", 1...1000, into: &accounts.maxFailures)
        reader.number("accounts.lockoutTime", 1...86_400, into: &accounts.lockoutTime)
        reader.number("accounts.maxSignUps", 0...1_000_000, into: &accounts.maxSignUps)
        reader.number("accounts.maxSessions", 1...100_000, into: &accounts.maxSessions)
        reader.number("accounts.maxRoles", 1...10_000, into: &accounts.maxRoles)
        reader.number("accounts.cachedSessions", 0...10_000_000, into: &accounts.cachedSessions)
        reader.flag("accounts.endSessionsOnPasswordChange", into: &accounts.endsSessions)
        reader.flag("accounts.sharedSessionToken", into: &sharesSessionTokens)
        reader.flag("accounts.hideUnknownUsers", into: &accounts.hidesUnknownUsers)
        reader.flag("accounts.verifyEmail", into: &accounts.verifiesEmail)
        reader.flag("accounts.requireVerifiedEmail", into: &accounts.requiresVerifiedEmail)
        reader.flag("accounts.verifyPhone", into: &accounts.verifiesPhone)
        reader.flag("accounts.requireVerifiedPhone", into: &accounts.requiresVerifiedPhone)
        let country = "the digits of a country code, such as 86 or 1"
        reader.value("accounts.countryCode", country, into: &accounts.countryCode) { text in
            (1...3).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && text.first != "0"
                ? text : nil
        }
        reader.address("accounts.authDataVerifier", into: &verifier.url)
        reader.number("accounts.authDataVerifierTimeout", 1...60, into: &verifier.timeout)

        reader.number("people.maxFollowees", 1...10_000_000, into: &people.followees)
        reader.number("people.maxBlocked", 1...100_000, into: &people.blocked)
        reader.number("people.maxRequests", 1...100_000, into: &people.requests)
        reader.number("people.maxStatuses", 0...1_000_000, into: &people.statuses)
        reader.number("people.maxInboxSize", 1...1_000_000, into: &people.inboxSize)
        reader.number("people.maxInboxTypes", 0...10_000, into: &people.inboxTypes)

        reader.value("files.access", "public, acl or private", into: &privacy.access) { FileAccess(rawValue: $0) }
        reader.number("files.urlLifetime", 1...31_536_000, into: &privacy.life)
        let keys =
            "up to \(URLSignatures.maxKeys) keys of 16 to 256 visible ASCII characters, separated by commas"
        reader.secrets("files.signingKeys", keys, into: &privacy.keys) { PrivacySettings.keys($0) }

        reader.number("downloads.cachedRecords", 0...10_000_000, into: &downloads.records)
        reader.number("downloads.openFiles", 0...100_000, into: &downloads.openBlobs)
        reader.number("downloads.hotResponses", 0...1_000_000, into: &hotDownloads.responses)
        reader.size("downloads.hotMemory", allowingZero: true, atMost: 1 << 40, into: &hotDownloads.memory)
        reader.number("downloads.hotFiles", 0...100_000, into: &hotDownloads.files)
        reader.value("downloads.redirects", "off, public or all", into: &redirects.files) {
            RedirectedFiles(rawValue: $0)
        }
        reader.size("downloads.redirectMinSize", allowingZero: true, into: &redirects.minSize)
        reader.number("downloads.redirectLifetime", 1...86_400, into: &redirects.life)

        reader.number("images.threads", 0...1024, into: &threads.images)
        reader.number("images.maxQueued", 0...100_000, into: &threads.imageQueue)
        reader.size("images.memory", atMost: 1 << 50, into: &threads.imageMemory)
        reader.number("images.timeout", 1...3600, into: &images.limits.timeout)
        reader.number("images.maxWork", 1...3_600_000, into: &images.limits.work)
        reader.number("images.workers", 1...64, into: &threads.imageWorkers)
        reader.size("images.workerMemory", atMost: 1 << 40, into: &threads.imageWorkerMemory)
        reader.size("images.cacheSize", allowingZero: true, into: &derivativeCache)
        reader.number("images.sharedCache", 0...315_360_000, into: &sharedDerivatives)
        reader.number("images.mezzanine", 0...10_000, into: &images.preScaledSide)
        reader.value("images.access", "any, styles or signed", into: &privacy.images) { ImageAccess(rawValue: $0) }
        reader.value("images.quality", "fast or best", into: &images.effort) { ImageEffort(rawValue: $0) }
        reader.flag("images.keepCopyright", into: &images.keepsCopyright)
        reader.size("images.maxSourceSize", atMost: 1 << 40, into: &images.limits.sourceSize)
        reader.number("images.maxSourceSide", 1...1_000_000, into: &images.limits.sourceSide)
        reader.number("images.maxSourcePixels", 1...10_000_000_000, into: &images.limits.sourcePixels)
        reader.number("images.maxResultSide", 1...16_383, into: &images.limits.resultSide)
        reader.number("images.maxResultPixels", 1...268_000_000, into: &images.limits.resultPixels)
        reader.number("images.maxFrames", 1...10_000, into: &images.limits.frames)
        reader.number("images.maxAnimationPixels", 1...1_000_000_000, into: &images.limits.animationPixels)
        reader.number("images.maxOperators", 1...100, into: &images.limits.operators)
        reader.number("images.maxTextLength", 1...10_000, into: &images.limits.textLength)

        readStorage(&reader)
        readContinuousBackup(&reader)
        s3.read(&reader)
        readBlobs(&reader)

        console.read(&reader)

        reader.flag("metrics.enabled", into: &metrics.enabled)
        reader.text("metrics.host", into: &metrics.host)
        reader.number("metrics.port", 0...65535, into: &metrics.port)
        reader.value("metrics.masterKey", "auto, on or off", into: &metrics.masterKey) {
            MasterKeyUse(rawValue: $0.lowercased())
        }

        reader.level("log.level", into: &logLevel)
        let formats = LogFormat.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("log.format", formats, into: &logFormat) { LogFormat(rawValue: $0.lowercased()) }
        reader.size("log.buffer", atMost: 1 << 40, into: &logBuffer)
    }
}
