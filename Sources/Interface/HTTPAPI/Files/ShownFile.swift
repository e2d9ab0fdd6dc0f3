internal import Domain

/// The file that a request gets, and how long clients can cache it.
struct ShownFile {
    let file: ServedFile
    let caching: Caching
}

extension AppServices {
    /// The file of a key, or the image that is shown instead of a blocked one.
    ///
    /// - Throws: ``ServiceError/Code/blocked`` for a blocked file, if the app has no image for that.
    func shown(_ key: FileKey) async throws -> ShownFile? {
        do {
            return try await files.find(key).map(shown)
        } catch let error as ServiceError where error.code == .blocked {
            return try await placeholder(for: error)
        }
    }

    /// As ``shown(_:)``, for a file that is found in another way.
    func shown(_ find: () async throws -> ServedFile) async throws -> ShownFile {
        do {
            let file = try await find()
            try files.requireOpen(file)
            return shown(file)
        } catch let error as ServiceError where error.code == .blocked {
            return try await placeholder(for: error)
        }
    }

    private func shown(_ file: ServedFile) -> ShownFile {
        // An image can be blocked after it was sent; browsers and CDNs would show it for a year.
        guard file.mediaType.topLevel == "image", files.policy.settings.isAutomatic else {
            return ShownFile(file: file, caching: .immutable)
        }
        return ShownFile(file: file, caching: Caching.immutable.atMost(seconds: files.policy.settings.cacheSeconds))
    }

    private func placeholder(for error: ServiceError) async throws -> ShownFile {
        guard let file = try await files.placeholder() else { throw error }
        return ShownFile(file: file, caching: .never)
    }
}
