internal import DepotLinux

/// Extends the write-ahead log's file in advance, so that a commit needn't change its size.
///
/// The file grows with the log up to a limit, so that it stays small if the store is rarely
/// written.
struct WALSpace {
  private let path: String
  private let limit: Int
  private var pages = 0

  private static let firstPages = 1024
  private static let stepPages = 256

  /// Starts with the log of a store; a temporary store's log isn't extended.
  init(_ configuration: StoreConfiguration) {
    path = configuration.path + "-wal"
    let isLasting = !configuration.isTemporary && !configuration.isScratch
    limit = isLasting ? configuration.walLimitBytes / 4096 : 0
  }

  /// Extends the file if the `used` pages of the log nearly fill it.
  ///
  /// If the disk is full, the file grows only as needed.
  mutating func grow(pages used: Int) {
    guard pages < limit, used + Self.stepPages / 4 >= pages else { return }
    pages = min(limit, max(Self.firstPages, used + Self.stepPages))
    _ = try? StoredFile(path: path, isWritable: true).extend(to: Self.bytes(pages))
  }

  /// The size in bytes of the file of an empty log.
  var firstBytes: Int { Self.bytes(min(limit, Self.firstPages)) }

  /// Each page has a header in the log, and a commit may exceed the limit.
  private static func bytes(_ pages: Int) -> Int { pages * 4120 + (64 << 10) }
}
