/// Beside whom a server uses a schema.
package enum SchemaUse: Sendable {
    /// No other server uses it: the blobs of its files are in the server's folder. So the store is not shared, and needs
    /// neither leases nor questions to the database about sessions.
    case exclusive
    /// Other servers can use it, too: the blobs are where all of them reach them.
    case shared
    /// A tool that keeps servers away by other means, or not at all.
    case tool
}
