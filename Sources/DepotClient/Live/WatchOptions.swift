public import DepotProtocol

/// How a watch behaves.
public struct WatchOptions: Hashable, Sendable {
  /// Whether changes that were made through the same client are told too.
  ///
  /// Without them the rows can't be known: places are those of the whole result, changes are told but
  /// can't be applied, and a watch goes on with ``LiveEvent/resumed(_:)``. Snapshots and
  /// ``LiveResults`` have all changes whatever this says.
  public var echoes: Bool
  /// What happens when the connection was lost for so long that the history no longer says what
  /// changed meanwhile: a new snapshot, or `history.expired`.
  public var onExpired: WatchRequest.Expiry
  /// After how long without changes the newest token is told; never if `nil`.
  ///
  /// With a newer token less has to be looked through after a lost connection.
  public var bookmark: Duration?

  /// Creates options that suit most programs.
  public init(
    echoes: Bool = true,
    onExpired: WatchRequest.Expiry = .snapshot,
    bookmark: Duration? = .seconds(30)
  ) {
    self.echoes = echoes
    self.onExpired = onExpired
    self.bookmark = bookmark
  }
}

extension WatchRequest {
  init(_ subject: Subject, _ options: WatchOptions) {
    self.init(
      subject,
      echoes: options.echoes,
      onExpired: options.onExpired,
      bookmarkMilliseconds: options.bookmark.map { min(max($0.milliseconds, 100), 86_400_000) }
    )
  }
}
