internal import DepotProtocol

/// A file of records whose rows may refer to each other.
struct GraphSource {
  var path: String
  var form = InputForm()
  var entity: Entity
  var schema: Schema
  var rules: LinkRules
  var style: ImportStyle
  /// Whether records keep their input, for rejects.
  var keepsInput: Bool
  var fileKeys: Set<NaturalKey> = []
  /// The identifier of the store of each entity.
  var stores: [String: String] = [:]

  /// Handles an unreadable record: its error, position, line, and text.
  typealias Refusal = (DepotError, Int, Int, [UInt8]) throws -> Void

  /// Reads the records of an unread file, except those whose positions are skipped.
  func read(
    _ file: InputFile,
    skip: (Int) -> Bool,
    refuse: Refusal,
    _ body: (GraphRecord) throws -> Void
  ) throws {
    let objects = try reader(style.map)
    // The names in the header are mapped already.
    let rows = try reader(RecordMap())
    let (entity, keepsInput) = (entity, keepsInput)
    var index = 0
    func add(
      _ input: ArraySlice<UInt8>,
      line: Int,
      _ reader: GraphReader,
      _ object: () throws(DepotError) -> [UInt8]
    ) throws {
      defer { index += 1 }
      if skip(index) { return }
      var record: GraphRecord
      do throws(DepotError) {
        record = try reader.record(object(), of: entity, index: index, line: line)
      } catch {
        return try refuse(error, index, line, Array(input))
      }
      if keepsInput { record.input = Array(input) }
      try body(record)
    }
    try records(
      of: file,
      object: { record in
        try add(record.bytes, line: record.line, objects) { () throws(DepotError) in
          try record.check()
          return Array(record.bytes)
        }
      },
      row: { row, columns in
        try add(row.text, line: row.line, rows) { () throws(DepotError) in
          try columns.object(row)
        }
      }
    )
  }

  private func reader(_ map: RecordMap) throws(DepotError) -> GraphReader {
    try GraphReader(
      schema,
      rules,
      ignoresUnknown: style.ignoresUnknown,
      map: map,
      stores: stores,
      fileKeys: fileKeys
    )
  }

  /// Returns the meaning of a file's columns; `nil` if the first row is a header.
  private func begin(_ record: DelimitedRecord) throws(DepotError) -> DelimitedObjects? {
    if form.hasHeader { return nil }
    let names = DelimitedNames(form, of: entity, schema)
    return try DelimitedObjects(names, of: entity, schema, rules, style)
  }

  /// Passes all records of an unread file to one of two functions.
  ///
  /// They are JSON objects, or rows of CSV with the meaning of their columns.
  func records(
    of file: InputFile,
    object: (InputRecord) throws -> Void,
    row: (DelimitedRecord, DelimitedObjects) throws -> Void
  ) throws {
    var header: DelimitedObjects?
    try ImportSource.read(
      file,
      form: form,
      object: object,
      delimited: { record in
        if header == nil { header = try begin(record) }
        guard let header else {
          let names = try DelimitedNames(record, form)
          header = try DelimitedObjects(names, of: entity, schema, rules, style)
          return
        }
        if record.isBlank, !header.isSingle { return }
        try row(record, header)
      }
    )
  }
}
