internal import DepotClientCore
internal import DepotProtocol

/// The rows that came along with those of a frame, by the relationships that lead to them.
struct PrefetchedRows {
  /// The rows that a relationship leads to.
  private struct Path {
    var entity: String
    var columns: [String]
    /// The JSON of the values of each row, without its identifier and version.
    var rows: [Int64: [[UInt8]]] = [:]
    /// The rows that each row has; `nil` of a to-one relationship, whose rows say so themselves.
    var links: [Int64: [Int64]]?
  }

  private var paths: [String: Path] = [:]

  /// Reads the prefetched rows of a frame.
  init(_ blocks: [RelatedBlock]) throws {
    for block in blocks {
      var path = Path(entity: block.entity, columns: Array(block.columns.dropFirst(2)))
      try block.forEachRow { path.rows[$0.identifier] = try $0.values() }
      if block.links != nil { path.links = [:] }
      try block.forEachLink { path.links?[$0] = $1 }
      paths[block.path] = path
    }
  }

  /// Whether a path is there whose rows are listed rather than named by a column.
  func isToMany(_ path: String) -> Bool { paths[path]?.links != nil }

  /// The relationships that lead on from the end of a path, or from the rows of the fetch.
  private func following(_ path: String?) -> [String] {
    let start = path.map { $0 + "." } ?? ""
    return paths.keys
      .filter { $0.hasPrefix(start) && !$0.dropFirst(start.count).contains(".") }.sorted()
  }

  /// Writes the members of a row that a path leads to, or of one of the fetch itself, with the rows that it
  /// leads to in their places.
  func write(
    _ identifier: Int64,
    columns: some Collection<String>,
    _ values: [[UInt8]],
    path: String? = nil,
    to writer: inout JSONWriter
  ) {
    let start = path.map { $0 + "." } ?? ""
    for (name, value) in zip(columns, values) where !isToMany(start + name) {
      writer.name(name)
      if paths[start + name] != nil, let target = Int64(String(decoding: value, as: UTF8.self)) {
        write(target, at: start + name, to: &writer)
      } else {
        writer.raw(value)
      }
    }
    for path in following(path) {
      guard let links = paths[path]?.links else { continue }
      writer.name(String(path.dropFirst(start.count)))
      writer.array(links[identifier] ?? []) { write($1, at: path, to: &$0) }
    }
  }

  private func write(_ identifier: Int64, at name: String, to writer: inout JSONWriter) {
    guard let path = paths[name] else { return }
    writer.beginRow(path.entity, identifier)
    let values = path.rows[identifier] ?? []
    write(identifier, columns: path.columns, values, path: name, to: &writer)
    writer.raw("}")
  }
}
