import TestSupport

/// The rows after each token, made from the transactions alone.
struct CellModel {
  private let writers: [Transaction]
  private var position = 0
  private(set) var rows: [Int64: ObservedRow] = [:]

  /// Creates a model of the moment before all tokens.
  ///
  /// - Parameter writers: The transactions that wrote, in the order of their tokens.
  init(_ writers: [Transaction]) {
    self.writers = writers
  }

  /// Makes all changes up to a token, which isn't smaller than the one before.
  mutating func advance(to token: Int64) {
    while position < writers.count, let next = writers[position].token, next <= token {
      for write in writers[position].writes { apply(write) }
      position += 1
    }
  }

  private mutating func apply(_ write: Write) {
    guard let row = write.row else { return }
    switch write.kind {
    case .insert:
      rows[row] = ObservedRow(
        id: row,
        version: write.version ?? 1,
        bin: write.bin ?? 0,
        value: write.value
      )
    case .update:
      rows[row]?.version += 1
      rows[row]?.value = write.value
      if let bin = write.bin { rows[row]?.bin = bin }
    case .delete: rows[row] = nil
    }
  }
}
