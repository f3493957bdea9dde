internal import DepotProtocol

/// The rows of relationships that came with one frame; each row becomes one record.
final class RelatedRows {
  /// A row of a path.
  private struct PathRow: Hashable {
    var path: String
    var id: Int64
  }

  private let blocks: [String: RelatedBlock]
  /// Where the rows of each path begin.
  private var starts: [String: [Int64: Int]] = [:]
  private var links: [String: [Int64: [Int64]]] = [:]
  private var boxes: [PathRow: AnyObject] = [:]
  /// The values that the rows have only the lengths of; `nil` if there are none.
  private let large: LargeValues?

  init(_ blocks: [RelatedBlock], _ large: LargeValues? = nil) {
    self.large = large
    self.blocks = Dictionary(blocks.map { ($0.path, $0) }) { first, _ in first }
  }

  /// Returns the record of a row that the relationship at `path` leads to; `nil` if it didn't come.
  func record<Model: Record>(
    at path: String,
    _ id: Identifier<Model>
  ) throws(DepotError) -> RecordBox<Model>? {
    guard let block = blocks[path] else { return nil }
    let place = PathRow(path: path, id: id.value)
    if let box = boxes[place] as? RecordBox<Model> { return box }
    guard let start = try starts(of: block)[id.value] else { return nil }
    let bytes = try row(block, at: start, Model.self)
    let scope = RelatedScope(self, path: path, Model.attributes.names)
    let box = try bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = try RowReader(bytes)
      reader.relatives = scope
      _ = try reader.beginRow()
      try reader.readIdentity()
      let box = RecordBox(try Model(from: &reader))
      try reader.endRow()
      return box
    }
    boxes[place] = box
    return box
  }

  private func starts(of block: RelatedBlock) throws(DepotError) -> [Int64: Int] {
    if let starts = starts[block.path] { return starts }
    var starts: [Int64: Int] = [:]
    try block.bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      guard let rows = block.rows else { return }
      var reader = try RowReader(bytes, at: rows)
      while try reader.beginRow() {
        let start = reader.offset
        try reader.readIdentity()
        starts[reader.identifier] = start
        try reader.skipRest()
        try reader.endRow()
      }
    }
    self.starts[block.path] = starts
    return starts
  }

  private func targets(at path: String, of source: Int64) throws(DepotError) -> [Int64] {
    if links[path] == nil {
      var lists: [Int64: [Int64]] = [:]
      try blocks[path]?.bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in
        guard let start = blocks[path]?.links else { return }
        var reader = try RowReader(bytes, at: start)
        while try reader.beginRow() {
          lists[try reader.next()] = try reader.next()
          try reader.endRow()
        }
      }
      links[path] = lists
    }
    return links[path]?[source] ?? []
  }

  /// Returns a row with the values in the order of a record's attributes.
  ///
  /// A value that the service didn't send is null, or, for a to-many relationship, empty.
  private func row<Model: Record>(
    _ block: RelatedBlock,
    at start: Int,
    _ model: Model.Type
  ) throws(DepotError) -> [UInt8] {
    var values: [String: JSONWriter] = [:]
    var (identity, version): (Int64, Int64) = (0, 0)
    try block.bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = RowReader(value: bytes, at: start)
      for column in block.columns {
        var value = JSONWriter(capacity: 0)
        value.raw(try reader.text())
        if column == "$id" { identity = value.number }
        if column == "$version" { version = value.number }
        values[column] = value
      }
    }
    var writer = JSONWriter(capacity: 256)
    writer.raw("[[")
    writer.integer(identity)
    writer.raw(",")
    writer.integer(version)
    let columns = large.map { _ in LargeColumns(of: model) }
    var column = 0
    for attribute in Model.attributes.all {
      for name in attribute.content.columns(attribute.name) {
        defer { column += 1 }
        writer.raw(",")
        if let value = values[name] {
          let whole = columns.flatMap {
            large?.text(in: value.bytes, column, of: $0, identity, version)
          }
          writer.raw(whole ?? value.bytes)
        } else if case .relationship(let link) = attribute.content, link.relationship.isToMany {
          let targets = try targets(at: "\(block.path).\(name)", of: identity)
          writer.write(Value.list(targets.map(Value.int64)))
        } else {
          writer.raw("null")
        }
      }
    }
    writer.raw("]]")
    return writer.bytes
  }
}

extension JSONWriter {
  /// The number that was written; 0 if it is none.
  fileprivate var number: Int64 { Int64(String(decoding: bytes, as: UTF8.self)) ?? 0 }
}

/// Where a ``Related`` that is being read finds its record.
@Memberwise("rows", "names")
final class RelatedScope {
  private let rows: RelatedRows
  private let path: String
  /// The names of the values of the rows at the path.
  private let names: [String]

  /// Returns the record that the value at `column` of a row refers to, if it was prefetched.
  func record<Model: Record>(
    at column: Int,
    _ id: Identifier<Model>
  ) throws(DepotError) -> RecordBox<Model>? {
    // The first two values are the identifier and the version.
    guard names.indices.contains(column - 2) else { return nil }
    let name = names[column - 2]
    return try rows.record(at: path.isEmpty ? name : "\(path).\(name)", id)
  }
}
