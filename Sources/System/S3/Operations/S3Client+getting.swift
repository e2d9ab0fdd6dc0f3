extension S3Client {
    /// Writes the bytes of an object to a new file and syncs the file.
    ///
    /// A transfer that breaks off continues where it stopped. The length is compared with the announced one, and the
    /// bytes with the ETag, where it is a digest of them.
    ///
    /// - Parameters:
    ///   - key: The object's key.
    ///   - path: The file, which must not exist. After an error it can have a part of the bytes.
    /// - Returns: The object.
    /// - Throws: ``S3Error``, with ``S3Error/Reason/missing`` if there is no such object.
    @discardableResult
    package func get(_ key: String, toFileAt path: String) throws(S3Error) -> S3Object {
        let download = S3Download(key, toFileAt: path)
        var retries = S3Retries(options)
        var damages = 0
        while true {
            do throws(S3Error) {
                let before = download.received
                defer { if download.received > before { retries.noteProgress() } }
                let response = try sendOnce(try download.request())
                let object = try download.finish(response)
                return object
            } catch let error where error.reason == .damaged && damages == 0 {
                damages += 1
                try download.restart()
            } catch let error where download.isChanged(error) {
                try download.restart()
                try wait(after: S3Error(.unavailable, error.description, isTemporary: true), &retries)
            } catch {
                try wait(after: error, &retries)
            }
        }
    }

    /// The bytes of a small object; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - key: The object's key.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``S3Error``, with ``S3Error/Reason/tooLarge`` if the object has more bytes than the limit.
    package func get(_ key: String, limit: Int) throws(S3Error) -> [UInt8]? {
        var retries = S3Retries(options)
        while true {
            let collected = S3SmallBody(key, limit: limit)
            var request = S3Request("GET", key)
            request.receive = { head, bytes throws(S3Error) in try collected.receive(head, bytes) }
            do throws(S3Error) {
                return try collected.finish(sendOnce(request))
            } catch let error where error.reason == .missing {
                return nil
            } catch {
                try wait(after: error, &retries)
            }
        }
    }

    /// What the store says of an object; `nil` if there is none.
    package func head(_ key: String) throws(S3Error) -> S3Object? {
        do throws(S3Error) {
            return S3Object(key, try send(S3Request("HEAD", key)))
        } catch {
            guard error.reason == .missing else { throw error }
            return nil
        }
    }
}

extension S3Object {
    init(_ key: String, _ response: S3Response) {
        self.key = key
        size = response.length ?? 0
        modified = response.headers["last-modified"].flatMap { SigningTime.seconds(ofHTTP: $0) } ?? 0
        tag = response.tag ?? ""
        metadata = response.metadata
    }
}
