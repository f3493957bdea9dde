internal import DepotLinux

/// The room that the write-ahead log gets in advance, so that a commit needn't change the file's size.
///
/// It grows with the log up to its limit, so that a store that is written little stays small.
struct LogRoom {
  private let path: String
  private let limit: Int
  private var pages = 0

  private static let firstPages = 1024
  private static let stepPages = 256

  /// Describes the log of a store; a store that needn't last gets no room.
  init(_ configuration: StoreConfiguration) {
    path = configuration.path + "-wal"
    let isLasting = !configuration.isTemporary && !configuration.isScratch
    limit = isLasting ? configuration.walLimitBytes / 4096 : 0
  }

  /// Extends the file if a log of so many pages has nearly filled it.
  ///
  /// Without room on the disk, the log grows as needed.
  mutating func grow(pages used: Int) {
    guard pages < limit, used + Self.stepPages / 4 >= pages else { return }
    pages = min(limit, max(Self.firstPages, used + Self.stepPages))
    _ = try? StoredFile(path: path, isWritable: true).extend(to: Self.bytes(pages))
  }

  /// The room of a log that has nothing in it.
  var firstBytes: Int { Self.bytes(min(limit, Self.firstPages)) }

  /// Each page has a header of its own there, and a commit may go beyond the limit.
  private static func bytes(_ pages: Int) -> Int { pages * 4120 + (64 << 10) }
}
