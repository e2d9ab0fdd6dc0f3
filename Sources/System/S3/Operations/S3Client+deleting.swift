extension S3Client {
    /// The maximum number of keys of one request.
    private static let deletedAtOnce = 1000

    /// Removes objects; keys that do not exist are ignored.
    ///
    /// - Parameter keys: Any number of keys.
    /// - Throws: ``S3Error``; some objects can have been removed then.
    package func delete(_ keys: [String]) throws(S3Error) {
        let failures = deleteReporting(keys)
        if let error = keys.lazy.compactMap({ failures[$0] }).first { throw error }
    }

    /// Removes objects; keys that do not exist are ignored.
    ///
    /// An object that the store refuses to remove does not prevent the removal of the others. After a request that
    /// failed as a whole no other is sent.
    ///
    /// - Parameter keys: Any number of keys.
    /// - Returns: The errors of the objects that can still exist, by their keys.
    package func deleteReporting(_ keys: [String]) -> [String: S3Error] {
        var errors: [String: S3Error] = [:]
        var rest = keys[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(S3Client.deletedAtOnce))
            rest = rest.dropFirst(some.count)
            // One key needs no document, and some stores cannot delete several at once.
            guard some.count > 1 else {
                errors.merge(deleteEach(some)) { $1 }
                continue
            }
            do throws(S3Error) {
                errors.merge(try deleteTogether(some)) { $1 }
            } catch {
                for key in some + rest { errors[key] = error }
                break
            }
        }
        return errors
    }

    /// - Returns: The errors of the keys that the store did not delete.
    /// - Throws: The error because of which no key of the request was deleted.
    private func deleteTogether(_ keys: [String]) throws(S3Error) -> [String: S3Error] {
        var errors: [String: S3Error] = [:]
        var retries = S3Retries(options)
        var rest = keys
        while true {
            do throws(S3Error) {
                let failures = try sendDeletion(of: rest)
                for (key, error) in failures { errors[key] = error }
                rest = rest.filter { failures[$0]?.isTemporary == true }
                guard let error = rest.first.flatMap({ failures[$0] }) else { return errors }
                throw error
            } catch let error where error.code == "NotImplemented" || error.code == "MethodNotAllowed" {
                for key in rest { errors[key] = nil }
                return errors.merging(deleteEach(rest)) { $1 }
            } catch {
                do throws(S3Error) {
                    try wait(after: error, &retries)
                    for key in rest { errors[key] = nil }
                } catch {
                    guard rest.count < keys.count else { throw error }
                    for key in rest { errors[key] = error }
                    return errors
                }
            }
        }
    }

    /// Requests the deletion of some keys once; returns the errors of those that the store did not delete.
    private func sendDeletion(of keys: [String]) throws(S3Error) -> [String: S3Error] {
        var request = S3Request("POST")
        request.query = [("delete", "")]
        let list = keys.map { "<Object><Key>\($0.xmlEscaped)</Key></Object>" }.joined()
        let body = S3Body(Array("<Delete><Quiet>true</Quiet>\(list)</Delete>".utf8))
        request.headers = [("Content-Type", "application/xml"), ("Content-MD5", body.digests.md5.base64)]
        request.body = body
        request.limit = 8 << 20
        return try failures(in: sendOnce(request))
    }

    /// The keys that a store did not delete, with their errors.
    private func failures(in response: S3Response) throws(S3Error) -> [String: S3Error] {
        guard response.body.isEmpty || response.document != nil else {
            throw S3Error(.unavailable, "\(bucket.origin) does not say which objects it deleted")
        }
        var errors: [String: S3Error] = [:]
        for failure in response.document?.children ?? [] where failure.name == "Error" {
            let code = failure.text(of: "Code") ?? ""
            guard code != "NoSuchKey", let key = failure.text(of: "Key") else { continue }
            let isTemporary = ["InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted"].contains(code)
            let text = "the S3 store did not delete '\(S3Refusal.line(key))' (\(S3Refusal.line(code)))"
            errors[key] = S3Error(isTemporary ? .unavailable : .refused, text, code: "", isTemporary: isTemporary)
        }
        return errors
    }

    /// Deletes one key after the other; after an error no other request is sent.
    private func deleteEach(_ keys: [String]) -> [String: S3Error] {
        for (index, key) in keys.enumerated() {
            do throws(S3Error) {
                _ = try send(S3Request("DELETE", key))
            } catch {
                guard error.reason != .missing else { continue }
                return Dictionary(keys[index...].map { ($0, error) }) { $1 }
            }
        }
        return [:]
    }
}
