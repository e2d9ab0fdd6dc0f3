internal import Glibc

/// Reads a descriptor, such as that of a pipe, in pieces of one size.
struct StreamReader: Sendable {
    let descriptor: CInt
    let threads: TransferThreads

    /// The next bytes; fewer than `size` only at the end of the stream.
    ///
    /// - Throws: `CancellationError`, also while the stream has no bytes; ``FileClientError`` if it cannot be read.
    func next(_ size: Int) async throws -> [UInt8] {
        let control = TransferControl(bandwidth: nil)
        return try await withTaskCancellationHandler {
            try await threads.block { [descriptor] in
                try StreamReader.read(descriptor, size, control)
            }
        } onCancel: {
            control.cancel()
        }
    }

    private static func read(_ descriptor: CInt, _ size: Int, _ control: TransferControl) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            filled = 0
            while filled < size {
                guard !control.isCancelled else { throw CancellationError() }
                var poller = pollfd(descriptor: descriptor)
                // A read would not notice that the task is cancelled.
                guard poll(&poller, 1, 100) != 0 else { continue }
                let count = Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, size - filled)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count >= 0 else { throw FileClientError(.local, "the stream cannot be read") }
                guard count > 0 else { return }
                filled += count
            }
        }
    }
}

extension pollfd {
    fileprivate init(descriptor: CInt) {
        self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }
}
