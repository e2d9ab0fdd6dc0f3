internal import ArgumentParser
internal import FileClient

/// What the server stores about an uploaded file.
struct DescriptionOptions: ParsableArguments {
    @Option(help: "The file's name on the server. Default: the last part of its path.")
    var name: String?

    @Option(help: ArgumentHelp("The media type. Default: detected by the server.", valueName: "type"))
    var mimeType: String?

    @Option(
        help: ArgumentHelp("Members of metaData, such as '{\"album\":\"summer\"}'.", valueName: "json"),
        transform: { try DescriptionOptions.object($0, "--meta", DescriptionOptions.metaDataExample) }
    )
    var meta: JSON?

    @Option(
        help: ArgumentHelp(
            "The ACL, such as '{\"*\":{\"read\":true}}'. Default: that of the class.",
            valueName: "json"
        ),
        transform: { try DescriptionOptions.object($0, "--acl", DescriptionOptions.aclExample) }
    )
    var acl: JSON?

    @Option(
        help: ArgumentHelp(
            "Who is allowed to read the record: 'everyone', 'none', 'user:<id>', 'role:<name>'; can be repeated.",
            valueName: "who"
        )
    )
    var read: [String] = []

    @Option(help: ArgumentHelp("Who is allowed to change and delete the record, as for --read.", valueName: "who"))
    var write: [String] = []

    @Option(help: "The file's key, the path of its URL; needs the master key.")
    var key: String?

    @Option(help: ArgumentHelp("Folders in front of the key that the server generates.", valueName: "folders"))
    var keyPrefix: String?

    @Flag(help: "Let the key end in the file's name.")
    var keepName = false

    func validate() throws {
        guard acl == nil || read.isEmpty && write.isEmpty else {
            throw ValidationError("--acl cannot be combined with --read and --write.")
        }
        guard key == nil || keyPrefix == nil && !keepName else {
            throw ValidationError("--key cannot be combined with --key-prefix and --keep-name.")
        }
        _ = try grants
    }

    /// The description; its name is empty if `--name` is missing.
    var description: UploadDescription {
        get throws {
            var description = UploadDescription(name: name ?? "")
            description.mimeType = mimeType
            description.metaData = meta
            description.acl = try acl ?? grants
            description.key = key
            description.keyPrefix = keyPrefix
            description.keyKeepsName = keepName
            return description
        }
    }

    /// The ACL of `--read` and `--write`; `nil` without them.
    private var grants: JSON? {
        get throws {
            guard !read.isEmpty || !write.isEmpty else { return nil }
            var entries: [String: JSON] = [:]
            for (right, audience) in [("read", read), ("write", write)] {
                for who in audience where who != "none" {
                    let name = try DescriptionOptions.entry(who)
                    var rights: [String: JSON] = [:]
                    if case .object(let known) = entries[name] { rights = known }
                    rights[right] = .bool(true)
                    entries[name] = .object(rights)
                }
            }
            return .object(entries)
        }
    }

    /// The name of an ACL entry.
    private static func entry(_ who: String) throws -> String {
        if who == "everyone" { return "*" }
        if who.hasPrefix("role:"), who.count > 5 { return who }
        guard who.hasPrefix("user:"), who.count > 5 else {
            throw ValidationError("'\(who)' must be 'everyone', 'none', 'user:<id>' or 'role:<name>'.")
        }
        return String(who.dropFirst("user:".count))
    }

    static let metaDataExample = #"{"album":"summer"}"#
    static let aclExample = #"{"*":{"read":true}}"#

    /// The JSON object of an option; throws `ValidationError` with an example for other values.
    static func object(_ text: String, _ option: String, _ example: String) throws -> JSON {
        guard let value = try? JSON(parsing: text), case .object = value else {
            throw ValidationError("\(option) must be a JSON object, such as '\(example)'.")
        }
        return value
    }
}
