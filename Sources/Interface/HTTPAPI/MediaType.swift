internal import Domain

/// In this target the name means Domain's type; Hummingbird has a type of the same name.
typealias MediaType = Domain.MediaType
