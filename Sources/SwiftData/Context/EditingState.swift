public import Foundation

/// What tells the edits of one context from those of others.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// What names the context.
  public let id: UUID
  /// Who the history says makes the changes.
  public var author: String?

  /// Creates what tells the edits of a context.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
