internal import Crypto

/// The credentials of a request, as strings that are not checked yet.
package struct Credentials: Sendable {
    /// The proof that the caller knows a key.
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
    /// The proof that the caller belongs to the app.
    package let proof: Proof

    /// Creates credentials from unchecked strings of a request.
    package init(appID: String, proof: Proof) {
        self.appID = appID
        self.proof = proof
    }
}

/// Determines the caller from credentials (protocol/files 1.2).
package struct Authenticator: Sendable {
    private let keys: [AppID: AppKeys]

    /// - Parameter keys: The keys of every app of the server.
    package init(keys: [AppID: AppKeys]) {
        self.keys = keys
    }

    /// The caller to whom the credentials belong.
    ///
    /// - Throws: ``ServiceError/Code/unauthorized``, the same for an unknown app, a wrong key and missing credentials,
    ///   so that clients cannot find out which apps exist.
    package func authenticate(_ credentials: Credentials?) throws -> Caller {
        guard let credentials, let id = AppID(credentials.appID), let keys = keys[id],
            let isMaster = isMaster(proven: credentials.proof, by: keys)
        else { throw ServiceError(.unauthorized, "Unauthorized.") }
        return Caller(app: id, isMaster: isMaster)
    }

    /// Whether a log-in at the console has a key that is allowed to, and to change something.
    ///
    /// - Returns: The app, and whether the log-in only reads.
    /// - Throws: ``ServiceError/Code/unauthorized``, as ``authenticate(_:)``.
    package func consoleLogIn(appID: String, key: String) throws -> (app: AppID, isReadOnly: Bool) {
        guard let id = AppID(appID), let keys = keys[id] else { throw ServiceError(.unauthorized, "Unauthorized.") }
        let (isMaster, isReader) = (keys.masterKey.matches(key), keys.consoleReadKey?.matches(key) ?? false)
        guard isMaster || isReader else { throw ServiceError(.unauthorized, "Unauthorized.") }
        return (id, !isMaster)
    }

    /// The master key of an app, for requests that the server itself makes; `nil` if there is no such app.
    package func masterKey(of id: AppID) -> Secret? { keys[id]?.masterKey }

    /// The app key of an app, for its owner; `nil` if there is no such app.
    package func appKey(of id: AppID) -> Secret? { keys[id]?.appKey }

    /// `true` if the proof is for the master key, `false` for the app key, `nil` if it is invalid.
    private func isMaster(proven proof: Credentials.Proof, by keys: AppKeys) -> Bool? {
        switch proof {
        case .masterKey(let key):
            keys.masterKey.matches(key) ? true : nil
        case .key(let key):
            if key.hasSuffix(",master") {
                keys.masterKey.matches(key.dropLast(",master".count)) ? true : nil
            } else {
                // A master key without ",master" is invalid (protocol/data 1.2).
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
        // The signature covers the timestamp string: PHP sends seconds, the other SDKs milliseconds.
        let digest = Insecure.MD5.hash(data: Array((parts[1] + key.revealed).utf8))
        return Secret(digest.hexadecimal).matches(parts[0]) ? isMaster : nil
    }
}
