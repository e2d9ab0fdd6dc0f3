/// The cost estimate of a job, computed from headers before a pixel is decoded.
package struct ImageCost: Sendable, Hashable {
    /// The peak memory in bytes (``ImagePlan/memoryEstimate(of:marks:)``).
    package var memory: Int
    /// Processor time on the reference machine (``ImagePlan/timeEstimate(of:marks:)``).
    package var time: Duration

    /// Creates a cost estimate.
    package init(memory: Int, time: Duration = .zero) {
        self.memory = memory
        self.time = time
    }
}

/// The requester of a job: jobs of the same app, client address or file share the server's capacity.
package struct ImageRequester: Sendable, Hashable {
    /// The app that the file belongs to; `nil` counts in no app's share.
    package var app: AppID?
    /// The network address of the client, an IPv6 address as its network of 64 bits; nil if it is unknown.
    package var address: String?
    /// The source file, as in ``ImageOrigin/source``; `nil` counts in no file's share.
    package var file: String?

    /// Creates a requester from the known values.
    package init(app: AppID? = nil, address: String? = nil, file: String? = nil) {
        self.app = app
        self.address = address
        self.file = file
    }

    /// A requester whose address and file no other requester has.
    static let stranger = ImageRequester(address: "", file: "")
}
