internal import Domain
internal import HTTPAPI

/// The settings of uploads, files and images.
extension ServerConfiguration {
    /// Reads `uploads.*`.
    mutating func readUploads(_ reader: inout SettingReader) {
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
    }

    /// Reads `fetch.*`.
    mutating func readFetching(_ reader: inout SettingReader) {
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
    }

    /// Reads `mirror.*`.
    mutating func readMirror(_ reader: inout SettingReader) {
        reader.address("mirror.origin", into: &mirror.origin)
        reader.size("mirror.maxSize", into: &mirror.size)
        reader.number("mirror.timeout", 1...86_400, into: &mirror.timeout)
        reader.number("mirror.threads", 1...1024, into: &threads.mirror)
        reader.number("mirror.maxQueued", 0...100_000, into: &threads.mirrorQueue)
        reader.number("mirror.notFoundTime", 0...86_400, into: &mirror.notFoundTime)
        reader.number("mirror.rememberedKeys", 0...10_000_000, into: &mirror.rememberedKeys)
    }

    /// Reads `files.*`.
    mutating func readFiles(_ reader: inout SettingReader) {
        reader.value("files.access", "public, acl or private", into: &privacy.access) { FileAccess(rawValue: $0) }
        reader.number("files.urlLifetime", 1...31_536_000, into: &privacy.life)
        let keys =
            "up to \(URLSignatures.maxKeys) keys of 16 to 256 visible ASCII characters, separated by commas"
        reader.secrets("files.signingKeys", keys, into: &privacy.keys) { PrivacySettings.keys($0) }
    }

    /// Reads `downloads.*`.
    mutating func readDownloads(_ reader: inout SettingReader) {
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
    }

    /// Reads `images.*`.
    mutating func readImages(_ reader: inout SettingReader) {
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
    }
}
