internal import DepotLinux

/// Extends the write-ahead log's file in advance, so that a commit needn't change its size.
///
/// The file grows with the log up to a limit, so that it stays small if the store is rarely
/// written.
struct WALSpace {
  private let path: String
  private let limit: Int
  private let pageSize: Int
  private var pages = 0

  private var firstPages: Int { (4 << 20) / pageSize }
  private var stepPages: Int { (1 << 20) / pageSize }

  /// Starts with the log of a store; a temporary store's log isn't extended.
  init(_ configuration: StoreConfiguration, pageSize: Int) {
    self.pageSize = pageSize
    path = configuration.path + "-wal"
    let isLasting = !configuration.isTemporary && !configuration.isScratch
    limit = isLasting ? configuration.walLimitBytes / pageSize : 0
  }

  /// Extends the file if the `used` pages of the log nearly fill it.
  ///
  /// If the disk is full, the file grows only as needed.
  mutating func grow(pages used: Int) {
    guard pages < limit, used + stepPages / 4 >= pages else { return }
    pages = min(limit, max(firstPages, used + stepPages))
    _ = try? StoredFile(path: path, isWritable: true).extend(to: bytes(pages))
  }

  /// The size in bytes of the file of an empty log.
  var firstBytes: Int { bytes(min(limit, firstPages)) }

  /// Each page has a header in the log, and a commit may exceed the limit.
  private func bytes(_ pages: Int) -> Int { pages * (24 + pageSize) + (64 << 10) }
}
