internal import DepotProtocol

/// The most that a connection may do, within the rights of its user.
///
/// The service refuses everything else with ``DepotError`` `permission.op`, so that a mistake of the program
/// can't change a store that it is only to read.
public enum ConnectionAccess: String, CaseIterable, Hashable, Sendable {
  /// Nothing that changes a store or the service.
  case read
  /// Reads, and changes of rows and schemas.
  case write
  /// Everything that the service's owner may do, such as stopping it.
  case owner

  var privilege: Operation.Privilege {
    switch self {
    case .read: .read
    case .write: .write
    case .owner: .owner
    }
  }
}
