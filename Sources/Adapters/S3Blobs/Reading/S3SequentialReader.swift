internal import Domain
internal import NIOCore

/// Reads a range of a large blob in order, and fetches the next piece while the current one is read.
///
/// Used by one task.
final class S3SequentialReader {
    private let blob: S3LargeBlob
    private let range: Range<Int64>
    private var position: Int64
    private var current: (number: Int64, file: LocalFile?)?
    /// The piece that is read ahead, in a task of its own because it goes on between two calls of ``next()``.
    private var ahead: (number: Int64, task: Task<LocalFile?, any Error>)?

    init(_ blob: S3LargeBlob, _ range: Range<Int64>) {
        self.blob = blob
        self.range = range
        position = range.lowerBound
    }

    deinit {
        ahead?.task.cancel()
    }

    /// The next bytes; `nil` at the end.
    func next() async throws -> ByteBuffer? {
        guard position < range.upperBound else { return nil }
        let number = position / blob.pieceSize
        let file = try await file(number)
        let end = min(range.upperBound, (number + 1) * blob.pieceSize, position + S3LargeBlob.pieceSize)
        let bytes = try await blob.read(file, number, position..<end)
        position = end
        return bytes
    }

    private func file(_ number: Int64) async throws -> LocalFile? {
        if let current, current.number == number { return current.file }
        let file: LocalFile?
        if let ahead, ahead.number == number {
            self.ahead = nil
            file = try await withTaskCancellationHandler {
                try await ahead.task.value
            } onCancel: {
                ahead.task.cancel()
            }
        } else {
            file = try await blob.piece(number)
        }
        current = (number, file)
        let next = number + 1
        if file != nil, next * blob.pieceSize < range.upperBound {
            ahead = (next, Task { [blob] in try await blob.piece(next) })
        }
        return file
    }
}
