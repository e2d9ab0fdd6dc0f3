extension S3Client {
    /// The maximum number of keys of one request.
    private static let deletedAtOnce = 1000

    /// Removes objects; keys that do not exist are ignored.
    ///
    /// - Parameter keys: Any number of keys.
    /// - Throws: ``S3Error``; some objects can have been removed then.
    package func delete(_ keys: [String]) throws(S3Error) {
        var rest = keys[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(S3Client.deletedAtOnce))
            rest = rest.dropFirst(some.count)
            // One key needs no document, and some stores cannot delete several at once.
            if some.count == 1 {
                try deleteEach(some)
            } else {
                try deleteTogether(some)
            }
        }
    }

    private func deleteTogether(_ keys: [String]) throws(S3Error) {
        var retries = S3Retries(options)
        var rest = keys
        while true {
            var request = S3Request("POST")
            request.query = [("delete", "")]
            let list = rest.map { "<Object><Key>\($0.xmlEscaped)</Key></Object>" }.joined()
            let body = S3Body(Array("<Delete><Quiet>true</Quiet>\(list)</Delete>".utf8))
            request.headers = [("Content-Type", "application/xml"), ("Content-MD5", body.digests.md5.base64)]
            request.body = body
            request.limit = 8 << 20
            do throws(S3Error) {
                let failures = try failures(in: sendOnce(request), request)
                guard let first = failures.first else { return }
                rest = failures.map(\.key)
                throw first.error
            } catch let error where error.code == "NotImplemented" || error.code == "MethodNotAllowed" {
                return try deleteEach(rest)
            } catch {
                try wait(after: error, &retries)
            }
        }
    }

    /// The keys that a store did not delete, with their errors.
    private func failures(
        in response: S3Response,
        _ request: S3Request
    ) throws(S3Error) -> [(key: String, error: S3Error)] {
        guard response.body.isEmpty || response.document != nil else {
            throw S3Error(.unavailable, "\(bucket.origin) does not say which objects it deleted")
        }
        return (response.document?.children ?? []).filter { $0.name == "Error" }.compactMap { failure in
            let code = failure.text(of: "Code") ?? ""
            guard code != "NoSuchKey", let key = failure.text(of: "Key") else { return nil }
            let isTemporary = ["InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted"].contains(code)
            let text = "the S3 store did not delete '\(S3Refusal.line(key))' (\(S3Refusal.line(code)))"
            return (key, S3Error(isTemporary ? .unavailable : .refused, text, code: "", isTemporary: isTemporary))
        }
    }

    private func deleteEach(_ keys: [String]) throws(S3Error) {
        for key in keys {
            do throws(S3Error) {
                _ = try send(S3Request("DELETE", key))
            } catch {
                guard error.reason == .missing else { throw error }
            }
        }
    }
}
