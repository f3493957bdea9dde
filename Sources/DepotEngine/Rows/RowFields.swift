internal import DepotProtocol

extension EntityWriter {
  /// Returns the places of the stored columns that a request names.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_attribute`, or `request.usage` if one is named twice.
  func positions(of columns: [String], at pointer: String) throws(DepotError) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(columns.count)
    for (index, column) in columns.enumerated() {
      guard let field = layout.position(of: column) else {
        throw layout.entity.unknownAttribute(column).at("\(pointer)/\(index)")
      }
      guard let position = layout.storedPositions[field] else {
        throw DepotError(.usage, "\"\(column)\" can't be set.").at("\(pointer)/\(index)")
      }
      guard !result.contains(position) else {
        throw DepotError(.usage, "\"\(column)\" is named twice.").at("\(pointer)/\(index)")
      }
      result.append(position)
    }
    return result
  }

  /// Reads a row's values into the cells at `positions`.
  ///
  /// - Returns: What is wrong with the row, if anything; it was read to its end all the same.
  /// - Throws: ``DepotError`` if the bytes aren't a row.
  func readRow(
    _ reader: inout RowReader,
    _ positions: [Int]
  ) throws(DepotError) -> (error: DepotError, column: Int?)? {
    arena.removeAll()
    var problem: (error: DepotError, column: Int?)?
    for (column, position) in positions.enumerated() {
      if reader.isAtEndOfRow() {
        problem = (wrongCount(column, positions.count), nil)
        break
      }
      let field = try reader.field()
      if problem != nil { continue }
      guard let attribute = layout.field(at: position)?.attribute else { continue }
      guard let cell = Cell(field, as: attribute.type, in: arena) else {
        problem = (wrongType(field, attribute), column)
        continue
      }
      cells[position] = cell
      if cell.isNull, !attribute.isOptional {
        problem = (required(attribute), column)
      } else if cell.byteCount > Limits.valueBytes {
        problem = (tooLarge(cell.byteCount, attribute), column)
      }
    }
    var count = positions.count
    while !reader.isAtEndOfRow() {
      _ = try reader.field()
      count += 1
    }
    if count > positions.count { problem = (wrongCount(count, positions.count), nil) }
    try reader.endRow()
    return problem
  }

  /// Returns the error that a value is missing.
  func required(_ attribute: Attribute) -> DepotError {
    DepotError(.required, "\(layout.name).\(attribute.name) must have a value.")
      .hint("Give it one, or make it optional or give it a default in the schema.")
      .details(["entity": .string(layout.name), "attribute": .string(attribute.name)])
  }

  private func wrongType(_ field: RowField, _ attribute: Attribute) -> DepotError {
    let name = "\(layout.name).\(attribute.name)"
    let message = "\(name) is of type \(attribute.type.rawValue), which this \(field.kind) isn't."
    return DepotError(.type, message)
      .details(["entity": .string(layout.name), "attribute": .string(attribute.name)])
  }

  private func tooLarge(_ count: Int, _ attribute: Attribute) -> DepotError {
    let limit = Limits.valueBytes
    let name = "\(layout.name).\(attribute.name)"
    return DepotError(
      .valueTooLarge,
      "The \(count) bytes of \(name) are over the limit of \(limit)."
    )
    .details(["entity": .string(layout.name), "attribute": .string(attribute.name)])
  }

  private func wrongCount(_ count: Int, _ wanted: Int) -> DepotError {
    DepotError(.usage, "The row has \(count) values for \(wanted) columns.")
  }
}
