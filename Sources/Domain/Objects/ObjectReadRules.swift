/// Reads of objects inside one transaction, for one caller.
struct ObjectReadRules {
    let reader: any ReadTransaction
    let access: ObjectAccess
    let settings: ObjectSettings

    init(reader: any ReadTransaction, caller: Caller, settings: ObjectSettings) throws {
        self.reader = reader
        access = ObjectAccess(caller: try reader.revalidated(caller, settings.accountDependencies))
        self.settings = settings
    }

    /// Creates the rules for a caller who was looked up in the same transaction.
    init(reader: any ReadTransaction, access: ObjectAccess, settings: ObjectSettings) {
        self.reader = reader
        self.access = access
        self.settings = settings
    }

    /// Performs a command that only reads.
    func perform(_ command: ObjectCommand) throws -> ObjectReply {
        switch command.action {
        case .get(let id): try get(id, in: command.className, view: command.view)
        case .find(let search): try find(search, in: command.className, view: command.view)
        case .create, .update, .delete, .apply:
            throw ServiceError(.internalFailure, "Internal error.", cause: NoRead())
        }
    }

    var presenter: ObjectPresenter {
        ObjectPresenter(
            reader: reader,
            access: access,
            files: settings.files,
            replySize: settings.queries.replySize
        )
    }

    /// An object; ``ObjectReply/Content/missing`` if it does not exist (protocol/data 3.1).
    private func get(_ id: ObjectID, in name: ClassName, view: ObjectView) throws -> ObjectReply {
        guard let (schema, row) = try row(id, in: name) else {
            if name == .user { throw ServiceError(.userNotFound, "Could not find user.") }
            return ObjectReply(.missing)
        }
        return ObjectReply(try presenter.object(row, in: schema, view: view))
    }

    /// A stored object that the caller is allowed to get, with its class; `nil` if it does not exist.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` for a class that does not exist, ``ServiceError/Code/forbidden``.
    func row(_ id: ObjectID, in name: ClassName) throws -> (schema: ClassSchema, row: ObjectRow)? {
        let schema = try requireSchema(of: name)
        try access.requireGetting(id, in: schema)
        guard let row = try reader.row(id, in: name) else { return nil }
        try access.requireReading(row, in: schema)
        return (schema, row)
    }

    private func find(_ search: ObjectCommand.Search, in name: ClassName, view: ObjectView) throws -> ObjectReply {
        var schema = try requireSchema(of: name)
        var listing = ObjectListing()
        let resolver = ConditionResolver(reader: reader, access: access)
        if let key = search.redirectKey {
            guard let target = schema.type(of: key)?.target, access.isOpen(schema),
                !resolver.hides(FieldPath(field: key), in: schema)
            else {
                throw ServiceError(.badRequest, "redirectClassNameForKey: '\(key.prefix(64))' is not a relation.")
            }
            listing.redirectedClass = target
            guard let known = try reader.visibleSchema(of: target) else {
                if search.counts { listing.count = 0 }
                return ObjectReply(.listing(listing))
            }
            schema = known
        }
        var query = try query(of: search, in: schema, resolver)
        query.projection = presenter.projection(of: view, in: schema)
        let rows = search.page.limit == 0 ? [] : try reader.rows(query)
        if search.counts { listing.count = try reader.count(query) }
        listing.objects = try presenter.objects(rows, in: schema, view: view)
        return ObjectReply(.listing(listing))
    }

    /// The query of a search, with its sub-queries replaced by their results.
    func query(
        of search: ObjectCommand.Search,
        in schema: ClassSchema,
        _ resolver: ConditionResolver
    ) throws -> ObjectQuery {
        var query = try access.query(try resolver.resolve(search.condition, in: schema), in: schema)
        query.order = resolver.visible(search.order, in: schema)
        query.page = search.page
        query.replySize = settings.queries.replySize
        return query
    }

    /// One page of a scan of a class (protocol/data 4.6); an empty page marks the end.
    func scan(_ scan: Scan, of name: ClassName, view: ObjectView) throws -> ScanPage {
        let schema = try requireSchema(of: name)
        guard !scan.key.path.isNested, schema.type(of: scan.key.path.field)?.isOrdered == true else {
            throw ServiceError(.badRequest, "scan_key must be a String, Number, Boolean or Date of the class.")
        }
        let resolver = ConditionResolver(reader: reader, access: access)
        guard !resolver.hides(scan.key.path, in: schema) else {
            throw ServiceError(.badRequest, "scan_key must not be a hidden field.")
        }
        let rows = try reader.rows(
            ObjectQuery(
                name,
                where: try resolver.resolve(scan.conditionOnPage, in: schema),
                order: scan.order,
                page: scan.page,
                replySize: settings.queries.replySize,
                // The cursor needs the value of the key.
                reading: presenter.projection(of: view, in: schema, and: [scan.key.path.field])
            )
        )
        var view = view
        // Scans show internal files without their URL (protocol/files 3.3).
        view.hidesFileURLs = true
        return ScanPage(
            objects: try presenter.objects(rows, in: schema, view: view),
            cursor: try rows.last.map { try scan.cursor(after: $0.object(), in: name) }
        )
    }

    func requireSchema(of name: ClassName) throws -> ClassSchema {
        guard let schema = try reader.visibleSchema(of: name) else {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        return schema
    }
}

private struct NoRead: Error {}
