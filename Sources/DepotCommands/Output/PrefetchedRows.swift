internal import DepotClientCore
internal import DepotProtocol

/// The prefetched rows of a frame, by their relationships.
struct PrefetchedRows {
  /// The target rows of a relationship.
  private struct Path {
    var entity: String
    var columns: [String]
    /// The JSON of the values of each row, without its identifier and version.
    var rows: [Int64: [[UInt8]]] = [:]
    /// The targets of each row; `nil` for a to-one relationship, whose rows have a column for it.
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

  /// Whether a path's targets are listed rather than named in a column.
  func isToMany(_ path: String) -> Bool { paths[path]?.links != nil }

  /// The relationships after a path, or of the fetched rows.
  private func following(_ path: String?) -> [String] {
    let start = path.map { $0 + "." } ?? ""
    return paths.keys
      .filter { $0.hasPrefix(start) && !$0.dropFirst(start.count).contains(".") }.sorted()
  }

  /// Writes the members of a row, with its prefetched rows in place of their identifiers.
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
