package import Domain
internal import S3
package import S3Backups
internal import Storage

/// The settings of the S3 store that keeps backups.
package struct S3Configuration: Sendable {
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
    /// How URLs name a bucket: `auto`, `path` or `host`.
    package var addressing = Addressing.auto

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
    package init() {}

    /// Takes from AWS's own variables what no setting has: the keys, all or none of them, and the region.
    ///
    /// - Parameter environment: The process's environment.
    mutating func complete(from environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if accessKey.revealed.isEmpty, secretKey.revealed.isEmpty, sessionToken.revealed.isEmpty,
            let access = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY")
        {
            accessKey = Secret(access)
            secretKey = Secret(secret)
            sessionToken = Secret(value("AWS_SESSION_TOKEN") ?? "")
        }
        if region.isEmpty { region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? "" }
    }

    /// The settings that do not fit together.
    var conflicts: [SettingConflict] {
        guard accessKey.revealed.isEmpty != secretKey.revealed.isEmpty else { return [] }
        let sentence = "backup.s3.accessKey and backup.s3.secretKey go together; set both or none"
        return [SettingConflict("backup.s3.accessKey", "backup.s3.secretKey", sentence: sentence)]
    }

    /// The backup target at an address.
    ///
    /// - Parameter location: The bucket and the prefix.
    /// - Returns: The target; nothing was requested yet.
    /// - Throws: ``ExitError`` if keys are missing or a name cannot be used.
    package func target(at location: S3Location) throws -> any BackupTarget {
        guard !accessKey.revealed.isEmpty else {
            throw ExitError.configuration(
                "\(location) needs keys: set backup.s3.accessKey and backup.s3.secretKey, or AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY in the environment"
            )
        }
        let bucket: S3Bucket
        do throws(S3Error) {
            bucket = try S3Bucket(
                location.bucket,
                region: region.isEmpty ? "us-east-1" : region,
                endpoint: endpoint,
                addressing: S3Bucket.Addressing(rawValue: addressing.rawValue) ?? .auto
            )
        } catch {
            throw ExitError.configuration("backup.s3: \(error)")
        }
        let token = sessionToken.revealed
        let credentials = S3Credentials(
            accessKey: accessKey.revealed,
            secretKey: secretKey.revealed,
            sessionToken: token.isEmpty ? nil : token
        )
        return S3BackupTarget(S3Client(bucket, credentials: credentials), prefix: location.prefix)
    }
}

extension ServerConfiguration {
    mutating func readBackups(_ reader: inout SettingReader) {
        reader.address("backup.s3.endpoint", into: &s3.endpoint)
        reader.text("backup.s3.region", into: &s3.region)
        let addressings = S3Configuration.Addressing.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("backup.s3.addressing", addressings, into: &s3.addressing) {
            S3Configuration.Addressing(rawValue: $0)
        }
        reader.secret("backup.s3.accessKey", into: &s3.accessKey)
        reader.secret("backup.s3.secretKey", into: &s3.secretKey)
        reader.secret("backup.s3.sessionToken", into: &s3.sessionToken)
    }
}
