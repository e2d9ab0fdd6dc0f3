internal import Domain
package import S3
internal import Storage

/// The keys of an S3 store: of the settings, of the environment, or for a web identity token.
extension S3Configuration {
    /// The name of a session that no setting and no variable names.
    static let defaultSessionName = "lcfile"

    /// Takes from AWS's own variables what no setting has: the keys or a web identity token, and the region.
    ///
    /// Keys, a role and a token of two sources are not mixed.
    ///
    /// - Parameter environment: The process's environment.
    mutating func complete(from environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if region.isEmpty { region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? "" }
        stsEndpoint = stsEndpoint ?? value("AWS_ENDPOINT_URL_STS")
        if roleSessionName.isEmpty { roleSessionName = value("AWS_ROLE_SESSION_NAME") ?? "" }
        guard !hasKeys, roleARN.isEmpty, webIdentityTokenFile.isEmpty else { return }
        if let access = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") {
            accessKey = Secret(access)
            secretKey = Secret(secret)
            sessionToken = Secret(value("AWS_SESSION_TOKEN") ?? "")
        } else if let file = value("AWS_WEB_IDENTITY_TOKEN_FILE") {
            let role = value("AWS_ROLE_ARN")
            // A store that needs no keys can be meant: no conflict, only no source.
            guard role != nil || !needsRole else { return }
            webIdentityTokenFile = file
            roleARN = role ?? ""
        }
    }

    private var hasKeys: Bool {
        [accessKey, secretKey, sessionToken].contains { !$0.revealed.isEmpty }
    }

    /// Whether the security token service is AWS's, which gives credentials for a role only.
    private var needsRole: Bool { endpoint == nil && stsEndpoint == nil }

    /// The settings of web identity tokens that do not fit together.
    var identityConflicts: [SettingConflict] {
        let (file, role, access) = ("\(group).webIdentityTokenFile", "\(group).roleArn", "\(group).accessKey")
        var conflicts: [SettingConflict] = []
        if !webIdentityTokenFile.isEmpty, hasKeys {
            let sentence = "\(file) and \(access) are both set; requests are signed with the keys of one of them"
            conflicts.append(SettingConflict(file, access, sentence: sentence))
        }
        if webIdentityTokenFile.isEmpty, !roleARN.isEmpty {
            let sentence = "\(role) needs \(file), whose token is exchanged for the credentials of the role"
            conflicts.append(SettingConflict(role, file, sentence: sentence))
        }
        if !webIdentityTokenFile.isEmpty, roleARN.isEmpty, needsRole {
            let (endpoint, sts) = ("\(group).endpoint", "\(group).stsEndpoint")
            let sentence = "\(file) needs \(role): AWS gives credentials for a role (others: set \(endpoint) or \(sts))"
            conflicts.append(SettingConflict(file, role, endpoint, sts, sentence: sentence))
        }
        return conflicts
    }

    /// The source of the keys with which requests are signed.
    ///
    /// - Parameter location: The bucket, for the message.
    /// - Returns: The source; nothing was requested yet.
    /// - Throws: ``ExitError`` if there are no keys, or if the URL of the security token service cannot be used.
    package func credentials(for location: S3Location) throws -> any S3CredentialSource {
        guard webIdentityTokenFile.isEmpty else { return WebIdentitySource(try identity) }
        guard !accessKey.revealed.isEmpty else {
            throw ExitError.configuration(
                "\(location) needs keys: set \(group).accessKey and \(group).secretKey, or AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY in the environment, or \(group).webIdentityTokenFile and \(group).roleArn"
            )
        }
        let token = sessionToken.revealed
        return S3Credentials(
            accessKey: accessKey.revealed,
            secretKey: secretKey.revealed,
            sessionToken: token.isEmpty ? nil : token
        )
    }

    private var identity: WebIdentity {
        get throws {
            let url = stsEndpoint ?? WebIdentity.endpoint(beside: endpoint, region: regionInForce)
            // A setting was checked when it was read.
            guard let sts = SettingReader.address(url) else {
                throw ExitError.configuration("AWS_ENDPOINT_URL_STS is not an address such as https://sts.example.com")
            }
            return WebIdentity(
                role: roleARN,
                session: roleSessionName.isEmpty ? S3Configuration.defaultSessionName : roleSessionName,
                tokenFile: webIdentityTokenFile,
                endpoint: sts
            )
        }
    }

    /// Reads the settings of web identity tokens.
    mutating func readIdentity(_ reader: inout SettingReader) {
        reader.value("\(group).roleArn", "the ARN of a role", into: &roleARN) { text in
            text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./:+=,@".utf8.contains($0) } ? text : nil
        }
        reader.text("\(group).webIdentityTokenFile", into: &webIdentityTokenFile)
        let session = "2 to 64 letters, digits and _+=,.@-"
        reader.value("\(group).roleSessionName", session, into: &roleSessionName) { text in
            let isName = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_+=,.@-".utf8.contains($0) }
            return isName && (2...64).contains(text.utf8.count) ? text : nil
        }
        reader.address("\(group).stsEndpoint", into: &stsEndpoint)
    }
}
