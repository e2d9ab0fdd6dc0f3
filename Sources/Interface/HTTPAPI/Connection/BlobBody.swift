internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// A piece of a body that consists of a blob's bytes.
enum BodyPiece: Equatable {
    /// Bytes between ranges of the blob.
    case text(String)
    /// A range of the blob.
    case range(Range<Int64>)

    /// The length in bytes.
    var length: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .range(let range): range.count
        }
    }
}

extension ResponseBody {
    /// Creates a body from ranges of a blob, sent by the kernel if the connection supports it, else piece by piece.
    ///
    /// If the bytes cannot be read, the connection is closed, because the head has already been sent.
    init(of blob: any OpenBlob, pieces: [BodyPiece], _ context: APIContext) {
        context.preparation?.sends(blob)
        self.init(contentLength: pieces.map(\.length).reduce(0, +)) { writer in
            do {
                for piece in pieces {
                    switch piece {
                    case .text(let text):
                        try await writer.write(ByteBuffer(string: text))
                    case .range(let range):
                        if case .file(let file) = blob.local {
                            try await file.lendDescriptor { descriptor in
                                let file = SendFile(descriptor: descriptor, range: range, noteDamage: blob.noteDamage)
                                try await file.send(on: context.channel)
                            }
                        } else {
                            for try await bytes in blob.pieces(of: range) { try await writer.write(bytes) }
                        }
                    }
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
