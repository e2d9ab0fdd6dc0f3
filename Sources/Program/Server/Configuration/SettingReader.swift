internal import Configuration
internal import Domain
internal import HTTPAPI
internal import Logging
internal import Storage

/// Reads and checks settings one by one, and records their names and their faults.
struct SettingReader {
    /// The names of all settings that were read, in order.
    private(set) var names: [String] = []
    /// What is wrong with settings, which keep their defaults then.
    private(set) var faults: [String] = []
    /// The names of these settings.
    private(set) var faultyNames: Set<String> = []
    /// The names of all secrets that were read, in order.
    private(set) var secrets: [String] = []
    /// The settings that differ from their defaults, with their values as they were written, for the log.
    ///
    /// A secret has no value here.
    private(set) var changes: [SettingChange] = []
    /// All settings in order, with the values in force as a configuration would have them, for the owners of apps.
    ///
    /// A secret has no value here.
    private(set) var inForce: [SettingInForce] = []
    private let reader: ConfigReader
    private let credentials: CredentialFolder

    /// Creates a reader; the first provider with a value takes precedence, and without one a setting has its default.
    ///
    /// - Parameters:
    ///   - providers: The sources of values.
    ///   - credentials: The further source of secrets.
    init(providers: [any ConfigProvider] = [], credentials: CredentialFolder = CredentialFolder()) {
        reader = ConfigReader(providers: providers + [InMemoryProvider(name: "none", values: [:])])
        self.credentials = credentials
    }

    /// The string of a setting; `nil` if no provider has one, or if it is empty.
    mutating func text(_ name: String) -> String? {
        names.append(name)
        return reader.string(forKey: ConfigKey(name)).flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func text(_ name: String, into value: inout String) {
        defer { settle(name, value) }
        guard let text = text(name) else { return }
        set(&value, to: text, name, text)
    }

    /// Reads the path of a file; `nil` if the setting is missing.
    mutating func path(_ name: String) -> String? {
        var value: String?
        if let text = text(name) { set(&value, to: text, name, text) }
        settle(name, value)
        return value
    }

    /// Sets a value, and notes a difference from its default.
    private mutating func set<Value: Equatable>(_ value: inout Value, to new: Value, _ name: String, _ text: String) {
        if new != value { changes.append(SettingChange(name: name, value: text, of: new)) }
        value = new
    }

    /// Reads a secret: the setting itself, the setting `<name>File` with the path of a file, or a credential.
    mutating func secret(_ name: String, into value: inout Secret) {
        secrets.append(name)
        defer { settle(name, nil) }
        let sources = SecretSources(
            names: (name, "\(name)File"),
            value: text(name),
            path: text("\(name)File"),
            credential: credentials.credential(of: name)
        )
        do throws(ExitError) {
            guard let text = try sources.read() else { return }
            value = Secret(text)
            changes.append(SettingChange(name: name, value: "(set)", of: text))
        } catch {
            note(error.description, of: name)
        }
    }

    mutating func number(_ name: String, _ range: ClosedRange<Int>, into value: inout Int) {
        defer { settle(name, "\(value)") }
        guard let text = text(name) else { return }
        guard let number = Int(text), range.contains(number) else {
            return refuse(name, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        set(&value, to: number, name, text)
    }

    mutating func flag(_ name: String, into value: inout Bool) {
        defer { settle(name, "\(value)") }
        guard let text = text(name) else { return }
        guard let flag = ["true": true, "false": false][text.lowercased()] else {
            return refuse(name, text, "true or false")
        }
        set(&value, to: flag, name, text)
    }

    /// The greatest size of any setting, so that a sum or a multiple of sizes does not overflow.
    private static let largestSize: Int64 = 1 << 50

    /// Reads a number of bytes: `5GB`, `20 MB`, `1024`; units are powers of 1024.
    mutating func size<Size: FixedWidthInteger>(
        _ name: String,
        allowingZero allowsZero: Bool = false,
        atMost bound: Size = Size(clamping: SettingReader.largestSize),
        into value: inout Size
    ) {
        defer { settle(name, SettingReader.size(of: Int64(clamping: value))) }
        guard let text = text(name) else { return }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.uppercased()
        let units = ["": 0, "B": 0, "KB": 10, "MB": 20, "GB": 30, "TB": 40]
        guard let number = Int64(digits), let shift = units[unit], number > 0 || allowsZero,
            number <= Int64.max >> (shift + 1),
            let size = Size(exactly: number << shift), size <= bound
        else {
            let most = SettingReader.size(of: Int64(clamping: bound)) ?? "0"
            return refuse(name, text, "a size such as 512KB, 20MB or 5GB, \(most) at most")
        }
        set(&value, to: size, name, text)
    }

    /// Reads a number of bytes; `nil`, for no limit, if the setting is missing or 0.
    mutating func size(_ name: String, orNone value: inout Int64?) {
        var size: Int64 = 0
        self.size(name, into: &size)
        value = size > 0 ? size : nil
    }

    mutating func level(_ name: String, into value: inout Logger.Level) {
        defer { settle(name, value.rawValue) }
        guard let text = text(name) else { return }
        guard let level = Logger.Level(rawValue: text.lowercased()) else {
            return refuse(name, text, Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))
        }
        set(&value, to: level, name, text)
    }

    /// Reads a URL with which other URLs begin; drops a slash at its end.
    mutating func address(_ name: String, into value: inout String?) {
        defer { settle(name, value.map(SettingReader.withoutPath)) }
        guard let text = text(name) else { return }
        guard let address = SettingReader.address(text) else {
            return refuse(name, text.withoutPathOfAddress, "an address such as https://files.example.com")
        }
        // Behind the host some services expect a secret.
        set(&value, to: address, name, SettingReader.withoutPath(address))
    }

    /// The address with `…` in place of its path.
    static func withoutPath(_ address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count > 3 ? parts.prefix(3).joined(separator: "/") + "/…" : address
    }

    /// The http or https URL without a slash at its end; `nil` for other strings.
    static func address(_ text: String) -> String? {
        var text = text
        while text.last == "/" { text.removeLast() }
        let rest = ["http://", "https://"].lazy.compactMap { text.hasPrefix($0) ? text.dropFirst($0.count) : nil }.first
        guard let rest, !rest.isEmpty, !rest.hasPrefix("/"),
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"?#\"<>\\@".utf8.contains($0) })
        else { return nil }
        return text
    }

    /// Reads a setting with a parser; a `nil` result is an error.
    mutating func value<Value>(
        _ name: String,
        _ allowed: String,
        into value: inout Value,
        _ read: (String) -> Value?
    ) {
        defer { settle(name, SettingReader.name(of: value)) }
        guard let text = text(name) else { return }
        guard let read = read(text) else { return refuse(name, text, allowed) }
        let isChange = String(reflecting: read) != String(reflecting: value)
        if isChange { changes.append(SettingChange(name: name, value: text, of: read)) }
        value = read
    }

    /// Reads a setting without a default, as one with a default is read.
    mutating func value<Value>(
        _ name: String,
        _ allowed: String,
        into value: inout Value?,
        _ read: (String) -> Value?
    ) {
        defer { settle(name, nil) }
        guard let text = text(name) else { return }
        guard let read = read(text) else { return refuse(name, text, allowed) }
        changes.append(SettingChange(name: name, value: text, of: read))
        value = read
    }

    /// Reads several secrets, as one is read, with a parser.
    ///
    /// - Parameters:
    ///   - name: The name of the setting.
    ///   - allowed: What the secrets have to be, for the message.
    ///   - value: Gets the secrets.
    ///   - read: Parses them; `nil` if they are malformed.
    mutating func secrets(
        _ name: String,
        _ allowed: String,
        into value: inout [Secret],
        _ read: (String) -> [Secret]?
    ) {
        var secret = Secret("")
        self.secret(name, into: &secret)
        guard !secret.revealed.isEmpty else { return }
        guard let secrets = read(secret.revealed) else {
            return note("\(name) must be \(allowed)", of: name)
        }
        value = secrets
    }

    /// Stores the value in force of a setting that was read; `text` is that of a default.
    private mutating func settle(_ name: String, _ text: String?) {
        let change = changes.last.flatMap { $0.name == name ? $0 : nil }
        let value = change?.value ?? text.flatMap { $0.isEmpty ? nil : $0 }
        inForce.append(SettingInForce(name: name, value: value, isDefault: change == nil))
    }

    private mutating func refuse(_ name: String, _ value: String, _ allowed: String) {
        note("\(name) is '\(value.withoutUserInformation)'; allowed: \(allowed)", of: name)
    }

    private mutating func note(_ fault: String, of name: String) {
        faults.append(fault)
        faultyNames.insert(name)
    }
}
