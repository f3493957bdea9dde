internal import DepotProtocol
public import Foundation

/// The identity of a context, which distinguishes its edits from the edits of others.
@Memberwise
public struct EditingState: Hashable, Identifiable, Sendable {
  /// The identifier of the context.
  public private(set) var id: UUID = UUID()
  /// The author of the changes in the history.
  public var author: String?
}
