internal import Domain
internal import HTTPAPI

extension ServerConfiguration {
    /// The allowed values of lists of networks, for messages.
    private static let addressList = "addresses and networks such as 127.0.0.1, 10.0.0.0/8, fd00::/8"

    /// Reads all settings: each name with its property and its allowed values.
    ///
    /// `config/lcfile.yaml` lists the same names with their defaults; a test compares the two. Faults are reported in
    /// the order of the reads.
    mutating func read(_ reader: inout SettingReader) {
        reader.text("host", into: &host)
        reader.number("port", 0...65535, into: &port)
        reader.address("publicURL", into: &publicURL)
        tls.certificate = reader.path("tls.certificate")
        tls.key = reader.path("tls.key")
        reader.number("tls.redirectPort", 0...65535, into: &tls.redirectPort)
        reader.text("storage", into: &storage)

        readHTTP(&reader)
        readHTTP2(&reader)
        readRequestLimits(&reader)
        readUploads(&reader)

        reader.number("trash.keep", 0...315_360_000, into: &trash.keep)
        reader.number("trash.keepCollected", 3600...315_360_000, into: &trash.keepCollected)

        readFetching(&reader)
        readMirror(&reader)
        readCensorship(&reader)
        readMail(&reader)
        readSMS(&reader)
        readObjects(&reader)
        readQueries(&reader)
        readLiveQueries(&reader)
        readAccounts(&reader)
        readPeople(&reader)
        readFiles(&reader)
        readDownloads(&reader)
        readImages(&reader)
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

    /// Reads `http.*`.
    private mutating func readHTTP(_ reader: inout SettingReader) {
        reader.number("http.idleTimeout", 1...86_400, into: &http.idleTimeout)
        reader.number("http.drainTime", 0...3600, into: &http.drainTime)
        reader.number("http.shutdownTimeout", 0...86_400, into: &http.shutdownTimeout)
        reader.number("http.maxConnections", 0...1_000_000, into: &http.maxConnections)
        reader.number("http.maxConnectionsPerAddress", 0...1_000_000, into: &http.maxConnectionsPerAddress)
        reader.flag("http.compression", into: &http.compression)
        let addresses = ServerConfiguration.addressList
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
    }

    /// Reads `http2.*`.
    private mutating func readHTTP2(_ reader: inout SettingReader) {
        reader.flag("http2.enabled", into: &http2.isEnabled)
        reader.number("http2.maxStreams", 1...10_000, into: &http2.streams)
        reader.number("http2.maxResets", 0...1_000_000, into: &http2.resets)
        reader.number("http2.maxControlFrames", 10...1_000_000, into: &http2.controlFrames)
        reader.number("http2.maxSmallFrames", 10...10_000_000, into: &http2.smallFrames)
    }

    /// Reads `limits.*`.
    private mutating func readRequestLimits(_ reader: inout SettingReader) {
        reader.number("limits.requests", 0...100_000_000, into: &requestLimits.requests)
        reader.number("limits.userRequests", 0...100_000_000, into: &requestLimits.userRequests)
        reader.number("limits.appRequests", 0...100_000_000, into: &requestLimits.appRequests)
        reader.number("limits.uploads", 0...100_000_000, into: &requestLimits.uploads)
        reader.number("limits.logIns", 0...100_000_000, into: &requestLimits.logIns)
        reader.number("limits.fetches", 0...100_000_000, into: &requestLimits.fetches)
        reader.number("limits.imageWork", 0...100_000_000, into: &requestLimits.imageWork)
        let addresses = ServerConfiguration.addressList + ", or none"
        reader.value("limits.exempt", addresses, into: &requestLimits.exempt) { text in
            text == "none" ? [] : TrustedProxies.networks(text)
        }
    }
}
