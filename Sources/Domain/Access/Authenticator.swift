internal import Crypto

/// The credentials of a request, as strings that are not checked yet.
package struct Credentials: Sendable {
    /// How the caller proves to know a key.
    package enum Proof: Sendable {
        /// `X-LC-Key`: the app key, or `<master key>,master`.
        case key(String)
        /// A header that carries the bare master key.
        case masterKey(String)
        /// `X-LC-Sign`: `<md5>,<timestamp>` or `<md5>,<timestamp>,master`.
        case signature(String)
    }

    /// The app's id as it was sent.
    package let appID: String
    /// What is to prove that the caller belongs to it.
    package let proof: Proof

    /// Takes unchecked text from a request.
    package init(appID: String, proof: Proof) {
        self.appID = appID
        self.proof = proof
    }
}

/// Turns credentials into a caller (protocol/files 1.2).
package struct Authenticator: Sendable {
    private let keys: [AppID: AppKeys]

    /// Knows the keys of every app of the server.
    package init(keys: [AppID: AppKeys]) {
        self.keys = keys
    }

    /// The caller to whom the credentials belong.
    ///
    /// - Throws: ``ServiceError/Code/unauthorized``, the same for an unknown app, a wrong key and none at all, so that
    ///   clients cannot find out which apps exist.
    package func authenticate(_ credentials: Credentials?) throws -> Caller {
        guard let credentials, let id = AppID(credentials.appID), let keys = keys[id],
            let isMaster = isMaster(proven: credentials.proof, by: keys)
        else { throw ServiceError(.unauthorized, "Unauthorized.") }
        return Caller(app: id, isMaster: isMaster)
    }

    /// Whether the master key is proven, or the app key only; `nil` if neither is.
    private func isMaster(proven proof: Credentials.Proof, by keys: AppKeys) -> Bool? {
        switch proof {
        case .masterKey(let key):
            keys.masterKey.matches(key) ? true : nil
        case .key(let key):
            if key.hasSuffix(",master") {
                keys.masterKey.matches(key.dropLast(",master".count)) ? true : nil
            } else {
                // A master key without ",master" opens nothing (protocol/data 1.2).
                keys.appKey.matches(key) ? false : nil
            }
        case .signature(let text):
            isMaster(signed: text, by: keys)
        }
    }

    private func isMaster(signed text: String, by keys: AppKeys) -> Bool? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 && parts[2] == "master" else { return nil }
        let isMaster = parts.count == 3
        let key = isMaster ? keys.masterKey : keys.appKey
        // The timestamp is hashed as it was written: PHP sends seconds, the others milliseconds.
        let digest = Insecure.MD5.hash(data: Array((parts[1] + key.revealed).utf8))
        return Secret(digest.hexadecimal).matches(parts[0]) ? isMaster : nil
    }
}
