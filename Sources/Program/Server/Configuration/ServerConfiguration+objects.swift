internal import Domain

/// The settings of objects and users.
extension ServerConfiguration {
    /// Reads `objects.*`.
    mutating func readObjects(_ reader: inout SettingReader) {
        reader.size("objects.maxSize", atMost: ObjectLimits.maxObjectSize, into: &objects.objectSize)
        reader.size("objects.maxMasterSize", atMost: ObjectLimits.maxObjectSize, into: &objects.masterObjectSize)
        reader.number("objects.maxColumns", 1...2000, into: &objects.columns)
        reader.number("objects.maxClasses", 1...10_000, into: &objects.classes)
        reader.number("objects.maxIndexes", 1...100, into: &objects.indexes)
        reader.number("objects.guestShare", 0...100, into: &objects.guestShare)
        reader.number("objects.userShare", 0...100, into: &objects.userShare)
    }

    /// Reads `queries.*`.
    mutating func readQueries(_ reader: inout SettingReader) {
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
    }

    /// Reads `liveQueries.*`.
    mutating func readLiveQueries(_ reader: inout SettingReader) {
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
    }

    /// Reads `accounts.*`.
    mutating func readAccounts(_ reader: inout SettingReader) {
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
    }

    /// Reads `people.*`.
    mutating func readPeople(_ reader: inout SettingReader) {
        reader.number("people.maxFollowees", 1...10_000_000, into: &people.followees)
        reader.number("people.maxBlocked", 1...100_000, into: &people.blocked)
        reader.number("people.maxRequests", 1...100_000, into: &people.requests)
        reader.number("people.maxStatuses", 0...1_000_000, into: &people.statuses)
        reader.number("people.maxInboxSize", 1...1_000_000, into: &people.inboxSize)
        reader.number("people.maxInboxTypes", 0...10_000, into: &people.inboxTypes)
    }
}
