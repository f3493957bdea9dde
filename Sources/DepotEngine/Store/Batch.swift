internal import DepotProtocol

/// The choice of the requests that share a transaction.
enum Batch {
  static let requestLimit = 512
  static let byteLimit = 8 << 20

  /// Returns the first of `requests` that fit together, at least one.
  ///
  /// A change of the schema and what is done in chunks are always alone.
  static func next(of requests: ArraySlice<WriteRequest>) -> ArraySlice<WriteRequest> {
    var bytes = 0
    var end = requests.startIndex
    while end < requests.endIndex, end - requests.startIndex < requestLimit {
      let operation = requests[end].operation
      if operation.isAlone {
        if end == requests.startIndex { end += 1 }
        break
      }
      bytes += operation.rowBytes
      if bytes > byteLimit, end > requests.startIndex { break }
      end += 1
    }
    return requests[..<end]
  }
}

extension Operation {
  /// Whether no other request may be in its transaction.
  fileprivate var isAlone: Bool {
    switch self {
    case .defineSchema, .beginMigration, .commitMigration: true
    default: chunk != nil
    }
  }

  /// The size of the rows that it brings, in bytes.
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
