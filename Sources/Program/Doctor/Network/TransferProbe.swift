internal import Curl
internal import Domain
internal import Glibc

/// What happens to a file on its way through a URL: it is uploaded with the master key, read, and removed.
struct TransferProbe: Sendable {
    /// The URL without a slash at its end.
    let url: String
    /// Why the file could not be uploaded; `nil` if it was.
    var failure: String?
    /// The id of the file if it could not be removed.
    var left: String?
    /// What is wrong with the answers to downloads of it.
    var downloadFaults: [String] = []
    /// Whether an upload arrives at the server only when all of it was sent; `nil` if it is not known.
    var isBuffered: Bool?
    /// The client as the server saw it; `nil` if it did not say.
    var client: SeenClient?

    /// A client as the server sees it.
    struct SeenClient: Sendable {
        /// The address by which limits count.
        var address: String
        /// The other end of the connection.
        var connection: String
        /// Whether `http.proxies` names the other end.
        var isTrustedProxy: Bool
    }

    /// The address that the probe pretends to have, one for documentation (RFC 5737).
    static let forgedAddress = "192.0.2.77"
    /// The address that the server shows for a client whom a trusted proxy does not name.
    static let unknownAddress = "0.0.0.0"
    private static let size = 256 << 10
    private static let range = 1000..<2000
    private static let pieces: Int64 = 60

    init(url: String) { self.url = url }

    /// Makes the requests; blocks for seconds.
    ///
    /// - Parameters:
    ///   - url: The server's URL.
    ///   - app: The id of the app whose file it is.
    ///   - masterKey: Its master key, which is sent to the URL.
    init(through url: String, app: String, masterKey: String) {
        self.url = url
        let keys = ["X-LC-Id: \(app)", "X-LC-Key: \(masterKey),master"]
        client = seenClient(keys)
        isBuffered = probeBuffering(app)
        let bytes = (0..<TransferProbe.size).map { _ in UInt8.random(in: .min ... .max) }
        var stored: (id: String, path: String)?
        do throws(CurlFailure) {
            let type = "Content-Type: application/octet-stream"
            let answer = try request("POST", "/1.1/files/lcfile-doctor.bin", keys + [type], bytes)
            let members = (try? JSONValue(parsing: answer.body, field: "answer"))?.objectValue
            if answer.status == 201, let id = members?["objectId"]?.stringValue,
                let address = members?["url"]?.stringValue
            {
                stored = (id, TransferProbe.path(of: address))
            } else {
                failure = "the answer is \(answer.status)"
            }
            if let stored { downloadFaults = try faults(of: stored.path, bytes, keys) }
        } catch {
            if stored == nil { failure = error.description } else { downloadFaults.append(error.description) }
        }
        if let stored { remove(stored.id, keys) }
    }

    private func request(
        _ method: String,
        _ path: String,
        _ headers: [String] = [],
        _ body: [UInt8] = []
    ) throws(CurlFailure) -> ProbeAnswer {
        var handle = try ServerProbe.handle(url + path)
        for header in headers { try handle.addHeader(header) }
        if !body.isEmpty { try handle.setBody(body) }
        try handle.set(.method, method)
        let answer = ProbeAnswer(limit: TransferProbe.size + 1)
        try handle.perform(CurlCallbacks(receive: answer.receive, receiveHead: answer.receiveHead))
        return answer
    }

    /// Compares what is downloaded with what was uploaded.
    ///
    /// A request with keys is never redirected to an S3 store (`downloads.redirects`).
    private func faults(of path: String, _ bytes: [UInt8], _ keys: [String]) throws(CurlFailure) -> [String] {
        var faults: [String] = []
        let whole = try request("GET", path, keys + ["Accept-Encoding: gzip, br"])
        let tag = whole.headers["etag"] ?? ""
        if whole.status != 200 || whole.body != bytes { faults.append("the file does not come back as it was sent") }
        if whole.headers["content-encoding"] != nil { faults.append("files are compressed on the way") }
        if whole.headers["content-length"] != "\(bytes.count)" { faults.append("the length is missing") }
        if !tag.hasPrefix("\"") { faults.append("the ETag is removed or weakened") }
        let range = TransferProbe.range
        let part = try request("GET", path, keys + ["Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
        let expected = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        if part.status != 206 || part.headers["content-range"] != expected || part.body != Array(bytes[range]) {
            faults.append("a range is answered with \(part.status) and not with its bytes")
        }
        if tag.hasPrefix("\""), try request("GET", path, keys + ["If-None-Match: \(tag)"]).status != 304 {
            faults.append("If-None-Match is not answered with 304")
        }
        return faults
    }

    /// Removes the file, also from the trash.
    private mutating func remove(_ id: String, _ keys: [String]) {
        let isDeleted = (try? request("DELETE", "/1.1/files/\(id)", keys).status) == 200
        if !isDeleted { left = id }
        // Without a trash it is not there.
        _ = try? request("DELETE", "/1.1/trash/\(id)", keys)
    }

    private func seenClient(_ keys: [String]) -> SeenClient? {
        let forged = TransferProbe.forgedAddress
        let fields = ["X-Forwarded-For: \(forged)", "Forwarded: for=\(forged)"]
        let answer = try? request("GET", "/1.1/client", keys + fields)
        let members = answer.flatMap { try? JSONValue(parsing: $0.body, field: "answer").objectValue }
        guard answer?.status == 200, let address = members?["address"]?.stringValue,
            let connection = members?["connection"]?.stringValue
        else { return nil }
        let isTrusted = members?["isTrustedProxy"] == .bool(true)
        return SeenClient(address: address, connection: connection, isTrustedProxy: isTrusted)
    }

    /// Sends an upload without credentials in pieces: the server refuses it by its head, so its answer comes before the
    /// last piece unless a proxy collects the pieces.
    private func probeBuffering(_ app: String) -> Bool? {
        let size = TransferProbe.pieces
        var sent: Int64 = 0
        var sentAtAnswer: Int64?
        let answer = ProbeAnswer(limit: 4096)
        do throws(CurlFailure) {
            var handle = try ServerProbe.handle(url + "/1.1/files/lcfile-doctor.bin")
            try handle.setBodySize(size)
            try handle.set(.method, "POST")
            for line in ["Expect:", "X-LC-Id: \(app)", "X-LC-Key: none"] { try handle.addHeader(line) }
            try handle.perform(
                CurlCallbacks(
                    receive: answer.receive,
                    receiveHead: { line in
                        answer.receiveHead(line)
                        if answer.status >= 400, sentAtAnswer == nil { sentAtAnswer = sent }
                    },
                    send: { buffer, _ in
                        if sent > 0 { usleep(100_000) }
                        guard sent < size, !buffer.isEmpty else { return 0 }
                        buffer[0] = 0x6C
                        sent += 1
                        return 1
                    }
                )
            )
        } catch {
            // A proxy that closes the connection after its answer has answered.
        }
        return sentAtAnswer.map { $0 >= size }
    }

    /// The path and the query string of a URL.
    private static func path(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 4 ? "/\(parts[3])" : "/"
    }
}
