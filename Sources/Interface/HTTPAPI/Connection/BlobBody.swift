internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

extension ResponseBody {
    /// Creates a body from a range of a blob, sent by the kernel if the connection supports it, else piece by piece.
    ///
    /// If the bytes cannot be read, the connection is closed, because the head has already been sent.
    init(of blob: any OpenBlob, range: Range<Int64>, _ context: APIContext) {
        self.init(contentLength: range.count) { writer in
            do {
                if case .file(let file) = blob.local {
                    try await file.lendDescriptor { descriptor in
                        try await SendFile(descriptor: descriptor, range: range).send(on: context.channel)
                    }
                } else {
                    for try await piece in blob.pieces(of: range) { try await writer.write(piece) }
                }
            } catch {
                if let failure = FailedRead(error) {
                    blob.noteDamage()
                    failure.report(to: context.logger)
                    context.channel.close(promise: nil)
                }
                throw error
            }
            try await writer.finish(nil)
        }
    }
}
