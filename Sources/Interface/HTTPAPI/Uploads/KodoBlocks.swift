internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Kodo v1: blocks of up to 4 MiB, in chunks, and a list of them (protocol/files 2.5).
struct KodoBlocks: Sendable {
    private let address: String

    init(_ addresses: UploadAddresses, _ token: UploadToken) {
        address = addresses.upload(token)
    }

    func make(_ size: Int64, _ request: Request, _ upload: UploadHandle) async throws -> Response {
        try request.headers.requireNoContentCoding()
        return answer(
            try await upload.beginBlock(size: size) { sink in
                for try await bytes in request.body { try await sink.append(bytes) }
            },
            upload
        )
    }

    func put(_ context: String, _ offset: Int64, _ request: Request, _ upload: UploadHandle) async throws -> Response {
        try request.headers.requireNoContentCoding()
        return answer(
            try await upload.continueBlock(context, at: offset) { sink in
                for try await bytes in request.body { try await sink.append(bytes) }
            },
            upload
        )
    }

    func makeFile(
        _ size: Int64,
        _ key: String?,
        _ request: Request,
        _ upload: UploadHandle,
        _ bodies: RequestBodies,
        _ sender: CallerIdentity
    ) async throws -> Response {
        if let key { try KodoKey.require(key, upload) }
        return try await bodies.text(of: request, from: sender, upTo: bodies.limits.partList) { list in
            let contexts = String(buffer: list.text).split(separator: ",").map { $0.drop { $0 == " " } }
            return KodoKey.answer(try await upload.finishBlocks(contexts, size: size))
        }
    }

    private func answer(_ receipt: UploadHandle.ChunkReceipt, _ upload: UploadHandle) -> Response {
        let crc32 = receipt.crc32.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return JSONValue.object([
            "ctx": .string(receipt.context),
            "checksum": .string(receipt.sha1.base64URL),
            // The CRC of the chunk only, which the SDKs compare.
            "crc32": .integer(crc32),
            "offset": .integer(receipt.offset),
            "host": .string(address),
            "expired_at": .integer(upload.stored.expiresAt.wholeSeconds),
        ]).response()
    }
}

/// The Base64 key in a path of a Kodo request.
enum KodoKey {
    /// Throws unless the string is the upload's key; `~` means that the request names no key.
    static func require(_ text: String, _ upload: UploadHandle) throws {
        guard text != "~" else { return }
        guard let bytes = [UInt8](base64: text) else { throw DialectError(400, "The key in the path is not Base64.") }
        guard bytes.elementsEqual(upload.stored.key.description.utf8) else {
            throw DialectError(400, "The key in the path is not that of the token.")
        }
    }

    /// The response to a finished upload.
    static func answer(_ record: FileRecord) -> Response {
        JSONValue.object([
            "hash": .string(record.facts.digest.description), "key": .string(record.key.description),
        ]).response()
    }
}
