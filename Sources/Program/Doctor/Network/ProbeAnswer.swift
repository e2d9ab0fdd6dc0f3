internal import Curl

/// Collects the answer to a request, with the first bytes of its body.
final class ProbeAnswer {
    /// The status of the last head; 0 before it.
    private(set) var status = 0
    /// The fields of the last head, with names in lower case.
    private(set) var headers: [String: String] = [:]
    private(set) var body: [UInt8] = []
    private let limit: Int

    /// - Parameter limit: The maximum bytes of the body; a longer one ends the transfer.
    init(limit: Int) { self.limit = limit }

    func receiveHead(_ line: String) {
        switch HeadLine(line) {
        case .status(let status): (self.status, headers) = (status, [:])
        case .field(let name, let value) where headers.count < 100: headers[name] = value
        case .field, nil: break
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer, _ status: Int) -> Bool {
        body += bytes.prefix(max(0, limit - body.count))
        return body.count < limit
    }
}
