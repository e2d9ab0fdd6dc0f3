package import Domain
package import S3
internal import S3Backups
internal import Storage

/// The settings of an S3 store: that of backups (`backup.s3.*`), or that of blobs (`blobs.s3.*`).
package struct S3Configuration: Sendable {
    /// What the names of its settings begin with, without the last dot.
    package let group: String
    /// The store's URL; `nil` for AWS.
    package var endpoint: String?
    /// The region; empty for the environment's, otherwise `us-east-1`.
    package var region = ""
    /// The id of the key with which requests are signed.
    package var accessKey = Secret("")
    /// The key.
    package var secretKey = Secret("")
    /// The token of temporary keys.
    package var sessionToken = Secret("")
    /// The ARN of the role whose credentials a web identity token is exchanged for; empty for none.
    package var roleARN = ""
    /// The path of the file with the web identity token; empty for none.
    package var webIdentityTokenFile = ""
    /// The name of the session; empty for the environment's, otherwise ``defaultSessionName``.
    package var roleSessionName = ""
    /// The URL of the security token service; `nil` for that of the store.
    package var stsEndpoint: String?
    /// How URLs name a bucket: `auto`, `path` or `host`.
    package var addressing = Addressing.auto
    /// How the store encrypts new objects.
    package var encryption = Encryption.bucket
    /// The key of the key service that encrypts new objects; empty for the bucket's.
    package var encryptionKey = ""

    /// How the store encrypts new objects.
    package enum Encryption: String, Sendable, CaseIterable {
        /// As the bucket has set.
        case bucket
        /// With keys of the store.
        case managed = "AES256"
        /// With a key of the store's key service.
        case keyService = "aws:kms"
    }

    /// How URLs name a bucket.
    package enum Addressing: String, Sendable, CaseIterable {
        /// As host for AWS, otherwise as path.
        case auto
        /// In the path.
        case path
        /// As a part of the host.
        case host
    }

    /// Creates the default settings.
    ///
    /// - Parameter group: What the names of its settings begin with, without the last dot.
    package init(_ group: String) {
        self.group = group
    }

    /// The settings that do not fit together.
    var conflicts: [SettingConflict] {
        var conflicts: [SettingConflict] = []
        if !encryptionKey.isEmpty, encryption != .keyService {
            let (key, kind) = ("\(group).encryptionKey", "\(group).encryption")
            let sentence = "\(key) needs \(kind): aws:kms; the other kinds of encryption have no key"
            conflicts.append(SettingConflict(key, kind, sentence: sentence))
        }
        conflicts += identityConflicts
        guard accessKey.revealed.isEmpty != secretKey.revealed.isEmpty else { return conflicts }
        let (access, secret) = ("\(group).accessKey", "\(group).secretKey")
        let sentence = "\(access) and \(secret) go together; set both or none"
        return conflicts + [SettingConflict(access, secret, sentence: sentence)]
    }

    /// The backup target at an address.
    ///
    /// - Parameter location: The bucket and the prefix.
    /// - Returns: The target; nothing was requested yet.
    /// - Throws: ``ExitError`` if keys are missing or a name cannot be used.
    package func target(at location: S3Location) throws -> any BackupTarget {
        S3BackupTarget(try client(for: location), prefix: location.prefix)
    }

    /// A client of the bucket of an address.
    ///
    /// - Parameters:
    ///   - location: The bucket and the prefix.
    ///   - options: Timeouts, attempts and sizes; the settings have the encryption.
    ///   - credentials: The source of its keys, if several clients share one; `nil` for a source of its own.
    ///   - goesOn: Called about once a second during a request; after `false` the request ends.
    /// - Returns: The client; nothing was requested yet.
    /// - Throws: ``ExitError`` if keys are missing or a name cannot be used.
    package func client(
        for location: S3Location,
        options: S3Options = S3Options(),
        credentials: (any S3CredentialSource)? = nil,
        goesOn: @escaping @Sendable () -> Bool = { true }
    ) throws -> S3Client {
        let credentials = try credentials ?? self.credentials(for: location)
        let bucket = try bucket(of: location, at: endpoint)
        var options = options
        options.encryption =
            switch encryption {
            case .bucket: nil
            case .managed: .managed
            case .keyService: .keyService(key: encryptionKey.isEmpty ? nil : encryptionKey)
            }
        return S3Client(bucket, credentials: credentials, options: options, goesOn: goesOn)
    }

    /// The signer of URLs with which others get objects of the bucket of an address.
    ///
    /// - Parameters:
    ///   - location: The bucket and the prefix.
    ///   - endpoint: The store's URL for those who use the URLs; `nil` for that of the server.
    ///   - credentials: The source of its keys: that of a client, whose requests renew them; `nil` for a source of its own.
    /// - Returns: The signer.
    /// - Throws: ``ExitError`` if keys are missing or a name cannot be used.
    package func signer(
        for location: S3Location,
        at endpoint: String?,
        credentials: (any S3CredentialSource)? = nil
    ) throws -> S3URLSigner {
        let credentials = try credentials ?? self.credentials(for: location)
        return S3URLSigner(try bucket(of: location, at: endpoint ?? self.endpoint), credentials: credentials)
    }

    private func bucket(of location: S3Location, at endpoint: String?) throws -> S3Bucket {
        do throws(S3Error) {
            return try S3Bucket(
                location.bucket,
                region: regionInForce,
                endpoint: endpoint,
                addressing: S3Bucket.Addressing(rawValue: addressing.rawValue) ?? .auto
            )
        } catch {
            throw ExitError.configuration("\(group): \(error)")
        }
    }

    /// The region that requests are signed for.
    var regionInForce: String { region.isEmpty ? "us-east-1" : region }

    /// Reads the settings of the group.
    mutating func read(_ reader: inout SettingReader) {
        reader.address("\(group).endpoint", into: &endpoint)
        reader.text("\(group).region", into: &region)
        let addressings = Addressing.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("\(group).addressing", addressings, into: &addressing) { Addressing(rawValue: $0) }
        let encryptions = Encryption.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("\(group).encryption", encryptions, into: &encryption) { Encryption(rawValue: $0) }
        let key = "the id, the ARN or the alias of a key"
        reader.value("\(group).encryptionKey", key, into: &encryptionKey) { text in
            text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./:".utf8.contains($0) } ? text : nil
        }
        reader.secret("\(group).accessKey", into: &accessKey)
        reader.secret("\(group).secretKey", into: &secretKey)
        reader.secret("\(group).sessionToken", into: &sessionToken)
        readIdentity(&reader)
    }
}
