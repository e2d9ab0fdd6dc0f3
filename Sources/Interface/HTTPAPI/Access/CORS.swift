internal import HTTPTypes
internal import Hummingbird

extension CORSMiddleware where Context == APIContext {
    /// The CORS headers of the official implementation (protocol/files 1.3), for the API and the file host.
    static var api: CORSMiddleware {
        CORSMiddleware(
            allowOrigin: .all,
            // After `Content-Type`, the headers of conditional and range requests (RFC 9110 sections 13 and 14).
            allowHeaders: [
                .contentType, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
            ] + HTTPField.Name.appID + HTTPField.Name.appKey + HTTPField.Name.masterKey
                + HTTPField.Name.signature + HTTPField.Name.session + HTTPField.Name.production + HTTPField.Name.client,
            allowMethods: [.head, .get, .post, .put, .delete, .options],
            exposedHeaders: [
                "ETag", "Content-Length", "Content-Range", "X-Request-Id", ParameterWarnings.field.rawName,
            ],
            maxAge: .hours(24)
        )
    }
}
