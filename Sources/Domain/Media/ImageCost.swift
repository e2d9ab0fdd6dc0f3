/// What a job is estimated to take, known from headers before a pixel is decoded.
package struct ImageCost: Sendable, Hashable {
    /// The most memory at the same time, in bytes (``ImagePlan/memoryEstimate(of:marks:)``).
    package var memory: Int
    /// Processor time on the reference machine (``ImagePlan/work(of:marks:)``).
    package var time: Duration

    /// Takes both.
    package init(memory: Int, time: Duration = .zero) {
        self.memory = memory
        self.time = time
    }
}

/// The requester of a job: jobs of the same app, client address or file share the server's capacity.
package struct ImageRequester: Sendable, Hashable {
    /// The app that the file belongs to; nil counts for no app's share.
    package var app: AppID?
    /// The network address of the client, an IPv6 address as its network of 64 bits; nil if it is unknown.
    package var address: String?
    /// The source file, as ``ImageOrigin/source`` names it; nil counts for no file's share.
    package var file: String?

    /// Takes what is known.
    package init(app: AppID? = nil, address: String? = nil, file: String? = nil) {
        self.app = app
        self.address = address
        self.file = file
    }
}
