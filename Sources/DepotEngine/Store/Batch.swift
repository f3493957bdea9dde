internal import DepotProtocol

/// The choice of the requests that share a transaction.
enum Batch {
  static let requestLimit = 512
  static let byteLimit = 8 << 20

  /// Returns the first of `requests` that fit together, at least one.
  ///
  /// A change of the schema is always alone.
  static func next(of requests: ArraySlice<WriteRequest>) -> ArraySlice<WriteRequest> {
    var bytes = 0
    var end = requests.startIndex
    while end < requests.endIndex, end - requests.startIndex < requestLimit {
      let operation = requests[end].operation
      if case .defineSchema = operation {
        if end == requests.startIndex { end += 1 }
        break
      }
      if case .insert(let insert) = operation { bytes += insert.rows.byteCount }
      if bytes > byteLimit, end > requests.startIndex { break }
      end += 1
    }
    return requests[..<end]
  }
}
