internal import Domain

/// In this room the word means Domain's type; Hummingbird has one of the same name.
typealias MediaType = Domain.MediaType
