internal import Domain
internal import S3

/// A blob that clients get from the S3 store by a signed URL.
struct S3RemoteBlob: RemoteBlob {
    let object: S3Object
    let signer: S3URLSigner

    var size: Int64 { object.size }

    func url(_ fields: RemoteBlobFields, _ period: RedirectPeriod) -> String? {
        let fields = S3ResponseFields(
            contentType: fields.contentType,
            cacheControl: fields.cacheControl,
            contentDisposition: fields.contentDisposition
        )
        return signer.url(of: object.key, fields, from: period.start, seconds: period.seconds)
    }
}
