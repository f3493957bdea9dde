public import DepotProtocol

/// How a watch behaves.
@Memberwise
public struct WatchOptions: Hashable, Sendable {
  /// Whether changes that were made through the same client are told too.
  ///
  /// Without them the rows can't be known: places are those of the whole result, changes are told but
  /// can't be applied, and a watch goes on with ``LiveEvent/resumed(_:)``. Snapshots and
  /// ``LiveResults`` have all changes whatever this says.
  public var echoes: Bool = true
  /// The way on when the history doesn't say what changed since a connection was lost: a new snapshot, or
  /// `history.expired` if that was too long ago and `history.foreign` if the store was restored meanwhile.
  public var onExpired: WatchRequest.Expiry = .snapshot
  /// After how long without changes the newest token is told; never if `nil`.
  ///
  /// With a newer token less has to be looked through after a lost connection.
  public var bookmark: Duration? = .seconds(30)
}

extension WatchRequest {
  package init(_ subject: Subject, _ options: WatchOptions) {
    self.init(
      subject,
      echoes: options.echoes,
      onExpired: options.onExpired,
      bookmarkMilliseconds: options.bookmark.map { min(max($0.milliseconds, 100), 86_400_000) }
    )
  }
}
