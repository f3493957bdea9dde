internal import DepotProtocol

extension Welcome {
  /// The error that it didn't come in time, after which the client doesn't try again at once.
  static let isLate = DepotError(.busy, "The service takes connections but doesn't answer.")
    .hint("Try again later. If it doesn't answer anybody, end it and start it again.")

  /// Takes the first frame of a connection; `nil` if it is to be ignored.
  ///
  /// - Throws: ``DepotError`` if the service refuses the connection, or says something else.
  init?(_ frame: ServerFrame) throws(DepotError) {
    switch frame {
    case .welcome(let welcome): self = welcome
    case .failure(_, let error): throw error
    case .event, .other: return nil
    default: throw DepotError(.hello, "The service didn't say welcome.")
    }
  }
}
