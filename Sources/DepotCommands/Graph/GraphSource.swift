internal import DepotProtocol

/// A file of records whose rows may refer to each other.
struct GraphSource {
  var path: String
  var format: ImportFormat?
  var entity: Entity
  var schema: Schema
  var rules: LinkRules
  var style: ImportStyle
  /// Whether records keep what they are read from, for rejects.
  var keepsInput: Bool
  var fileKeys: Set<NaturalKey> = []

  /// What to do with a record that can't be read: its error, position, line, and text.
  typealias Refusal = (DepotError, Int, Int, [UInt8]) throws -> Void

  /// Reads all records.
  ///
  /// - Parameters:
  ///   - file: The file, of which nothing was read.
  ///   - skip: Whether a record, by its position, is left out.
  ///   - refuse: What to do with a record that can't be read.
  ///   - body: What to do with a record.
  /// - Throws: What the functions throw, or ``DepotError`` if the file can't be read.
  func read(
    _ file: InputFile,
    skip: (Int) -> Bool,
    refuse: Refusal,
    _ body: (GraphRecord) throws -> Void
  ) throws {
    let reader = GraphReader(
      schema,
      rules,
      ignoresUnknown: style.ignoresUnknown,
      fileKeys: fileKeys
    )
    var index = 0
    var header: DelimitedObjects?
    func take(_ input: [UInt8], _ line: Int, _ object: () throws(DepotError) -> [UInt8]) throws {
      defer { index += 1 }
      if skip(index) { return }
      var record: GraphRecord
      do throws(DepotError) {
        record = try reader.record(object(), of: entity, index: index, line: line)
      } catch {
        return try refuse(error, index, line, input)
      }
      if keepsInput { record.input = input }
      try body(record)
    }
    try ImportSource.read(
      file,
      format: format,
      object: { record in
        let bytes = Array(record.bytes)
        try take(bytes, record.line) { bytes }
      },
      delimited: { record in
        guard let header else {
          header = try DelimitedObjects(record, of: entity, schema, rules, style)
          return
        }
        if record.isBlank, !header.isSingle { return }
        try take(record.text, record.line) { () throws(DepotError) in try header.object(record) }
      }
    )
  }
}
