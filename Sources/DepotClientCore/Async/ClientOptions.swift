/// How an async client behaves.
public struct ClientOptions: Hashable, Sendable {
  /// How long to try to connect again after the connection was lost.
  public var retryBudget: Duration
  /// Whether writes carry an idempotency key.
  ///
  /// After a lost connection they are sent again with it, and applied once. Without it such a write
  /// fails with the effect ``DepotError/Effect/unknown``.
  public var usesKeys: Bool
  /// How many frames of a stream may be on their way, of about 64 KiB each.
  public var window: Int
  /// The container that all calls are about, which may be opened later; the service's own store if
  /// `nil`.
  public var container: String?
  /// The author of this client's changes in the history, 1 to 256 bytes; nobody if `nil`.
  public var author: String?
  /// The process that the history names, 1 to 256 bytes; if `nil`, the client's name and the number
  /// of its process.
  public var process: String?
  /// The most that this client may do; all that its user may if `nil`.
  public var access: ConnectionAccess?

  /// Creates options that suit most programs.
  public init(
    retryBudget: Duration = .seconds(5),
    usesKeys: Bool = true,
    window: Int = 8,
    container: String? = nil,
    author: String? = nil,
    process: String? = nil,
    access: ConnectionAccess? = nil
  ) {
    precondition(window > 0, "A stream needs room for at least one frame.")
    self.retryBudget = retryBudget
    self.usesKeys = usesKeys
    self.window = window
    self.container = container
    self.author = author
    self.process = process
    self.access = access
  }
}
