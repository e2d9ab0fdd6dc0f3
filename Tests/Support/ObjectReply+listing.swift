package import Domain

extension ObjectReply {
    /// The result of the query; `nil` for the reply to another command.
    package var listing: ObjectListing? {
        if case .listing(let listing) = content { listing } else { nil }
    }
}
