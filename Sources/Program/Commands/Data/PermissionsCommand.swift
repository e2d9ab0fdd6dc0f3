internal import ArgumentParser
internal import FileClient

struct PermissionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Show and set who is allowed to do what with a class.",
        discussion: "Changes apply from the next request on. The master key is always allowed to do everything.",
        subcommands: [Show.self, Change.self, DefaultACL.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print who is allowed to do each operation of a class, or of all classes.",
            discussion: """
                Examples:
                  lcfile permissions show
                  lcfile permissions show Order
                  lcfile permissions show Order --json | jq .permissions.find
                """
        )

        @OptionGroup var options: ServerOptions

        @OptionGroup var printing: JSONOption

        @Argument(help: ArgumentHelp("The class. Default: all classes.", valueName: "class"))
        var className: String?

        func run() async throws {
            try await options.connect { client in
                if let className {
                    return try await client.permissions(of: className).print(of: className, printing)
                }
                let classes = try await client.permissions().sorted { $0.key < $1.key }
                guard !printing.isOn else {
                    let lines = classes.map { PermissionsJSON(className: $0.key, permissions: $0.value) }
                    return try JSONLines.print(lines)
                }
                for (position, (name, permissions)) in classes.enumerated() {
                    Terminal.printLine(position == 0 ? name : "\n\(name)")
                    for line in permissions.lines { Terminal.printLine("  \(line)") }
                }
            }
        }
    }

    /// The command `set`, under another name because Swift has a type `Set`.
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Allow an operation to the named users and roles only; print the new permissions.",
            discussion: """
                Examples:
                  lcfile permissions set Order create users
                  lcfile permissions set Order delete role:Editors \\
                    user:64f0c1a2b3d4e5f601234500
                  lcfile permissions set _File delete none
                """
        )

        @OptionGroup var options: ServerOptions

        @OptionGroup var printing: JSONOption

        @Argument(help: ArgumentHelp("The class; created if it does not exist.", valueName: "class"))
        var className: String

        @Argument(
            help: "The operation: \(PermissionsCommand.operations.joined(separator: ", ")).",
            completion: .list(PermissionsCommand.operations)
        )
        var operation: String

        @Argument(
            help: ArgumentHelp(
                "'everyone', 'users', 'none', or any of 'user:<id>' and 'role:<name>'.",
                valueName: "who"
            )
        )
        var audience: [String]

        func validate() throws {
            guard PermissionsCommand.operations.contains(operation) else {
                throw ValidationError(
                    "The operation must be one of \(PermissionsCommand.operations.joined(separator: ", "))."
                )
            }
            guard !audience.isEmpty else { throw ValidationError("Name who is allowed to do it, or 'none'.") }
            guard !audience.contains("none") || audience.count == 1 else {
                throw ValidationError("'none' cannot be combined with others.")
            }
        }

        func run() async throws {
            let audience = audience == ["none"] ? [] : audience
            try await options.connect { client in
                let permissions = try await client.setPermission(operation, of: className, to: audience)
                try permissions.print(of: className, printing)
            }
        }
    }

    struct DefaultACL: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "default-acl",
            abstract: "Set the ACL of new objects without an ACL; print the new default ACL.",
            discussion: """
                The entry 'owner' stands for the user who creates the object.

                Examples:
                  lcfile permissions default-acl Order \\
                    '{"owner":{"read":true,"write":true}}'
                """
        )

        @OptionGroup var options: ServerOptions

        @OptionGroup var printing: JSONOption

        @Argument(help: ArgumentHelp("The class; created if it does not exist.", valueName: "class"))
        var className: String

        @Argument(
            help: ArgumentHelp("Such as '{\"owner\":{\"read\":true,\"write\":true}}'.", valueName: "json"),
            transform: { try JSON(parsing: $0) }
        )
        var acl: JSON

        func run() async throws {
            try await options.connect { client in
                let permissions = try await client.setDefaultACL(acl, of: className)
                try permissions.print(of: className, printing)
            }
        }
    }

    private static let operations = ["add_fields", "create", "delete", "find", "get", "update"]
}

extension ClassPermissions {
    /// Prints the permissions of a class as lines or as JSON.
    fileprivate func print(of className: String, _ printing: JSONOption) throws {
        guard !printing.isOn else {
            return try JSONLines.print([PermissionsJSON(className: className, permissions: self)])
        }
        for line in lines { Terminal.printLine(line) }
    }

    /// One line for each operation, and one for the ACL: `delete  role:Editors user:64f0c1a2b3d4e5f601234500`.
    fileprivate var lines: [String] {
        let rows = operations.sorted { $0.key < $1.key }.map { name, audience in
            [name, audience.isEmpty ? "none" : audience.joined(separator: " ")]
        }
        return Table.lines(rows + [["default-acl", "\(defaultACL)"]])
    }
}
