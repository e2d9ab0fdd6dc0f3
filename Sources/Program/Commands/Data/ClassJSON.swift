internal import FileClient

/// The fields of a class as a line of JSON: `{"className":"Order","fields":{"state":{"type":"String",…}}}`.
struct FieldsJSON: Encodable {
    let className: String
    let fields: [String: ClassField]
}

/// The permissions of a class as a line of JSON: `{"className":"Order","permissions":{"create":["users"],…}}`.
struct PermissionsJSON: Encodable {
    let className: String
    let permissions: ClassPermissions
}
