internal import DiskBlobs
internal import Domain
internal import S3Blobs
internal import Storage

extension AppParts {
    /// Constructs the scrubber of the app.
    ///
    /// - Parameter images: The app's images, which forget what they know of sources when a file becomes damaged or whole.
    /// - Returns: The scrubber, which does not run yet.
    /// - Throws: ``ExitError`` if its folder cannot be created.
    func scrubber(_ images: ImageService) throws -> Scrubber {
        let journal: DiskScrubJournal
        do {
            journal = try DiskScrubJournal(folder: folder, pool: shared.pools.disk)
        } catch {
            throw ExitError.storage("the folder \(folder) cannot be used (\(error))")
        }
        let inspection: any BlobInspection =
            if let bucket {
                S3BlobInspection(bucket.store)
            } else {
                DiskBlobInspection(folder: folder, pool: shared.pools.disk)
            }
        return Scrubber(
            Scrubber.Parts(
                app: app.id,
                store: store,
                blobs: inspection,
                rows: database.rows,
                derivatives: derivatives,
                journal: journal,
                suspects: suspects,
                settings: configuration.scrub,
                logger: shared.logger,
                onChange: { images.forgetSources() }
            )
        )
    }
}
