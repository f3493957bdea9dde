public import Foundation

/// The identity of a context, which tells its edits from those of others.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// The identifier of the context.
  public let id: UUID
  /// The author of the changes in the history.
  public var author: String?

  /// Creates what tells the edits of a context.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
