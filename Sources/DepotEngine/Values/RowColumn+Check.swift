internal import DepotProtocol

extension RowColumn {
  /// Checks that a stored value has the column's form.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` or `storage.text` if the row is damaged.
  func check(_ cell: Cell, of layout: EntityLayout, _ identifier: Int64) throws(DepotError) {
    if case .text(let text) = cell, !UTF8Sequence.isValid(text) {
      throw invalidText(in: "\(layout.name)/\(identifier)")
    }
    guard form.holds(cell) else { throw unexpectedValue(in: "\(layout.name)/\(identifier)") }
  }

  /// The error for a stored value of another form.
  func unexpectedValue(in row: String) -> DepotError {
    DepotError(.corrupt, "\(row) is damaged. Its \(name) isn't stored as its type is.")
      .hint(Self.damageHint)
  }

  /// The error for a stored text that isn't valid.
  func invalidText(in row: String) -> DepotError {
    DepotError(.invalidText, "\(name) of \(row) isn't valid UTF-8.").hint(Self.damageHint)
  }

  private static let damageHint = "Restore the store from a backup, or delete the row."
}

extension RowColumn.Form {
  /// Whether a value has the form.
  fileprivate func holds(_ cell: Cell) -> Bool {
    switch (cell, self) {
    case (.null, _): true
    case (.text(let bytes), .external), (.blob(let bytes), .external),
      (.text(let bytes), .scalar(.data)), (.blob(let bytes), .scalar(.string)):
      BlobReference(bytes) != nil
    case (.integer, .scalar(let type)): type == .int64 || type == .bool
    case (.real, .scalar(let type)): type == .double || type == .date
    case (.text, .scalar(let type)): type == .string || type == .url
    case (.text, .list), (.text, .json), (.text, .identifiers): true
    case (.blob(let bytes), .scalar(let type)):
      switch type {
      case .data: true
      case .uuid: bytes.count == 16
      case .decimal: DecimalKey.decode(bytes) != nil
      case .double, .date: bytes.isEmpty
      default: false
      }
    default: false
    }
  }
}
