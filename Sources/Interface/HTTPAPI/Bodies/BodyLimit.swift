internal import Domain

/// A limit on a body's size, with the name of its setting.
struct BodyLimit: Sendable {
    let size: Int
    let setting: String

    var refusal: ServiceError {
        ServiceError(.payloadTooLarge, "The request body is larger than \(size) bytes, the limit (\(setting)).")
    }
}

extension WireLimits {
    /// The limit on a JSON body of this sender.
    func bodySize(of sender: CallerIdentity) -> BodyLimit {
        switch sender {
        case .master: largestBody
        case .user where userJSONSize < jsonSize: BodyLimit(size: userJSONSize, setting: "http.maxUserJsonSize")
        case .guest where guestJSONSize < jsonSize: BodyLimit(size: guestJSONSize, setting: "http.maxGuestJsonSize")
        case .user, .guest: largestBody
        }
    }

    /// The maximum number of values in a JSON body of this sender.
    func valueCount(of sender: CallerIdentity) -> Int {
        sender == .master ? max(jsonValues, masterJSONValues) : jsonValues
    }

    /// The limit on a list of parts, which is sent with only an upload's token: 10 000 parts take up to 2 MB.
    var partList: BodyLimit {
        userJSONSize < jsonSize ? BodyLimit(size: userJSONSize, setting: "http.maxUserJsonSize") : largestBody
    }

    /// The limit on a JSON body of the master key, and on a file that an old SDK sends as Base64 in JSON.
    var largestBody: BodyLimit { BodyLimit(size: jsonSize, setting: "http.maxJsonSize") }
}
