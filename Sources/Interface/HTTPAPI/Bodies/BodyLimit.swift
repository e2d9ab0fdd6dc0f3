internal import Domain

/// A limit on a body's size, and the setting that it comes from.
struct BodyLimit: Sendable {
    let size: Int
    let setting: String

    var refusal: ServiceError {
        ServiceError(.payloadTooLarge, "The request body is larger than \(size) bytes, the limit (\(setting)).")
    }
}

extension WireLimits {
    /// The most bytes of a JSON body of this sender.
    func bodySize(of sender: CallerIdentity) -> BodyLimit {
        switch sender {
        case .master: largestBody
        case .user where userJSONSize < jsonSize: BodyLimit(size: userJSONSize, setting: "http.maxUserJsonSize")
        case .guest where guestJSONSize < jsonSize: BodyLimit(size: guestJSONSize, setting: "http.maxGuestJsonSize")
        case .user, .guest: largestBody
        }
    }

    /// The most bytes of a list of parts, which comes with an upload's token alone: 10 000 parts take up to 2 MB.
    var partList: BodyLimit {
        userJSONSize < jsonSize ? BodyLimit(size: userJSONSize, setting: "http.maxUserJsonSize") : largestBody
    }

    /// The most bytes of a JSON body of the master key, and of a file that an old SDK sends as Base64 in JSON.
    var largestBody: BodyLimit { BodyLimit(size: jsonSize, setting: "http.maxJsonSize") }
}
