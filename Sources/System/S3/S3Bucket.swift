/// A bucket of an S3 store, and where its requests go.
package struct S3Bucket: Sendable, Equatable {
    /// How a URL names the bucket.
    package enum Addressing: String, Sendable, CaseIterable {
        /// As host for AWS, where the name allows it, otherwise as path.
        case auto
        /// `https://endpoint/bucket/key`.
        case path
        /// `https://bucket.endpoint/key`.
        case host
    }

    /// The bucket's name.
    package let name: String
    /// The region that requests are signed for.
    package let region: String
    /// The scheme and the host with its port, before each path.
    let origin: String
    /// The value of `Host`.
    let host: String
    /// What the path of each URL begins with: the bucket's name, or nothing.
    let pathPrefix: String

    /// - Parameters:
    ///   - name: The bucket: 3 to 63 ASCII letters, digits, dots, hyphens and underscores.
    ///   - region: The region, such as `eu-central-1`; stores without regions take `us-east-1`.
    ///   - endpoint: An http or https URL without a path, such as `https://s3.example.com:9000`; `nil` for AWS.
    ///   - addressing: How a URL names the bucket.
    /// - Throws: ``S3Error`` naming what cannot be used.
    package init(
        _ name: String,
        region: String,
        endpoint: String? = nil,
        addressing: Addressing = .auto
    ) throws(S3Error) {
        guard (3...63).contains(name.utf8.count), name.utf8.allSatisfy(S3Bucket.isNameByte),
            let first = name.utf8.first, first.isLetterOrDigit
        else { throw S3Error(.settings, "'\(name)' is not the name of a bucket") }
        guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == 0x2D }) else {
            throw S3Error(.settings, "'\(region)' is not the name of a region")
        }
        let url = endpoint ?? S3Bucket.amazonEndpoint(region)
        guard let (scheme, authority) = S3Bucket.parts(of: url) else {
            throw S3Error(.settings, "'\(url)' is not an endpoint such as https://s3.example.com")
        }
        let namesHost =
            switch addressing {
            case .host: true
            case .path: false
            // A certificate for *.endpoint does not cover names with dots.
            case .auto: endpoint == nil && !name.contains(".") && name.utf8.allSatisfy { $0 != 0x5F && !$0.isCapital }
            }
        self.name = name
        self.region = region
        host = namesHost ? "\(name).\(authority)" : authority
        origin = "\(scheme)://\(host)"
        pathPrefix = namesHost ? "" : "/\(name)"
    }

    private static func amazonEndpoint(_ region: String) -> String {
        "https://s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    }

    /// The scheme and the authority without its default port, as clients send it in `Host`.
    private static func parts(of url: String) -> (scheme: String, authority: String)? {
        for (scheme, port) in [("https", ":443"), ("http", ":80")] where url.hasPrefix("\(scheme)://") {
            var authority = url.dropFirst(scheme.utf8.count + 3)
            while authority.last == "/" { authority.removeLast() }
            guard !authority.isEmpty,
                authority.utf8.allSatisfy({ $0.isLetterOrDigit || "-._:[]".utf8.contains($0) })
            else { return nil }
            if authority.hasSuffix(port) { authority.removeLast(port.utf8.count) }
            return (scheme, authority.lowercased())
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-._".utf8.contains(byte)
    }
}

extension UInt8 {
    var isCapital: Bool { (0x41...0x5A).contains(self) }

    var isLetterOrDigit: Bool {
        isCapital || (0x61...0x7A).contains(self) || (0x30...0x39).contains(self)
    }
}
