/// The statuses by which responses are counted, at fixed positions of a table.
enum RequestStatus {
    /// All statuses that the server sends, and 499: the client closed the connection before there was a status.
    static let known = [
        101, 200, 201, 202, 204, 206, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412,
        413, 414, 415, 416, 417, 421, 422, 426, 428, 429, 431, 460, 499, 500, 501, 502, 503, 504, 505, 507, 599, 614,
        701,
    ]

    /// The status of a request whose client left before the response.
    static let clientClosed = 499

    /// The position of a status; all unknown ones have the last.
    static func index(of status: Int) -> Int {
        status < indices.count && status >= 0 ? Int(indices[status]) : known.count
    }

    private static let indices: [UInt8] = {
        var indices = [UInt8](repeating: UInt8(known.count), count: 800)
        for (index, status) in known.enumerated() { indices[status] = UInt8(index) }
        return indices
    }()
}
