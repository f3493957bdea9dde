internal import DepotLinux
internal import DepotProtocol

/// The limits of a transaction that several requests share.
struct Batch {
  static let requestLimit = 512
  static let byteLimit = 8 << 20
  /// The time in nanoseconds after which no more requests are added to the transaction.
  static let duration: UInt64 = 20_000_000

  /// The number of requests that a transaction may always have, for a store in a file.
  ///
  /// More requests may join only if they were waiting when the transaction began. Later ones wait
  /// for the next transaction: if all clients were in one, nothing would be done while it is
  /// flushed. A cluster's transactions have no such limit, since each costs much more.
  /// costs more than that.
  private static let small = 8

  private let limit: Int
  private var count = 1
  private var bytes: Int
  private let end = Monotonic.now() + duration
  private let isShared: Bool
  private let catalog: Catalog

  /// Starts with a request, which may have any size, while `waiting` others wait.
  init(_ first: WriteRequest, waiting: Int, isInCluster: Bool, _ catalog: Catalog) {
    self.catalog = catalog
    limit = isInCluster ? Self.requestLimit : min(Self.requestLimit, max(Self.small, 1 + waiting))
    bytes = first.operation.rowBytes
    isShared = !first.isAlone(in: catalog)
  }

  /// Adds the next request if it fits, and returns whether it does.
  mutating func admits(_ request: WriteRequest) -> Bool {
    let sum = bytes + request.operation.rowBytes
    guard isShared, !request.isAlone(in: catalog), count < limit, sum <= Self.byteLimit,
      Monotonic.now() < end
    else { return false }
    (count, bytes) = (count + 1, sum)
    return true
  }
}

extension WriteRequest {
  /// Whether the request must have its own transaction.
  fileprivate func isAlone(in catalog: Catalog) -> Bool {
    switch operation {
    case .defineSchema, .beginMigration, .commitMigration: true
    case .writeBlob where widening(in: catalog) != nil: true
    default: isBarrier || phase != .whole
    }
  }
}

extension Operation {
  /// The size of the request's rows in bytes.
  fileprivate var rowBytes: Int {
    switch self {
    case .insert(let request): request.rows.byteCount
    case .save(let request):
      request.inserts.reduce(0) { $0 + $1.rows.byteCount }
        + request.updates.reduce(0) { $0 + $1.rows.byteCount }
    default: 0
    }
  }
}
