internal import Domain

/// Domain's type; Hummingbird has a type of the same name.
typealias MediaType = Domain.MediaType
