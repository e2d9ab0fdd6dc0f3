internal import Domain
internal import NIOCore

/// Who sent a body, for limits that differ by sender.
enum BodySender: Hashable, Sendable {
    /// Holders of a master key.
    case master
    /// A user with a session.
    case user(AppID, ObjectID)
    /// A client without a session, by its address: one that showed an app key, and one that showed nothing yet.
    case guest(String)

    /// The sender of an authenticated request.
    init(_ caller: Caller, on channel: any Channel) {
        if caller.isMaster {
            self = .master
        } else if let user = caller.user {
            self = .user(caller.app, user.id)
        } else {
            self.init(unknownOn: channel)
        }
    }

    /// The sender of a request before authentication.
    init(unknownOn channel: any Channel) {
        self = .guest(channel.clientAddress ?? "")
    }
}

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
    func bodySize(of sender: BodySender) -> BodyLimit {
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
