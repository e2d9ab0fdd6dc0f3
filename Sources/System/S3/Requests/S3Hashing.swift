internal import Crypto

/// The digests of bytes that a store compares with the bytes that it receives.
struct S3Digests {
    /// The SHA-256 in hexadecimal digits, for the signature.
    let sha256: String
    /// The MD5, which is the ETag of an object that was sent in one request.
    let md5: [UInt8]

    static let empty = S3Hashing().digests
}

/// Computes both digests.
struct S3Hashing {
    private var sha256 = SHA256()
    private var md5 = Insecure.MD5()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256.update(bufferPointer: bytes)
        md5.update(bufferPointer: bytes)
    }

    var digests: S3Digests {
        S3Digests(sha256: sha256.finalize().hexadecimal, md5: Array(md5.finalize()))
    }
}
