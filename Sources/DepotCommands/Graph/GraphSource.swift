internal import DepotProtocol

/// A file of records whose rows may refer to each other.
struct GraphSource {
  var path: String
  var form = InputForm()
  var entity: Entity
  var schema: Schema
  var rules: LinkRules
  var style: ImportStyle
  /// Whether records keep what they are read from, for rejects.
  var keepsInput: Bool
  var fileKeys: Set<NaturalKey> = []
  /// The identifier of the store of each entity.
  var stores: [String: String] = [:]

  /// Takes a record that can't be read: its error, position, line, and text.
  typealias Refusal = (DepotError, Int, Int, [UInt8]) throws -> Void

  /// Reads the records of a file, of which nothing was read, without those whose positions are skipped.
  func read(
    _ file: InputFile,
    skip: (Int) -> Bool,
    refuse: Refusal,
    _ body: (GraphRecord) throws -> Void
  ) throws {
    let objects = try reader(style.map)
    // The header is mapped already.
    let rows = try reader(RecordMap())
    let (entity, keepsInput) = (entity, keepsInput)
    var index = 0
    try self.objects(of: file) { input, header, text in
      defer { index += 1 }
      if skip(index) { return }
      let reader = header == nil ? objects : rows
      var record: GraphRecord
      do throws(DepotError) {
        record = try reader.record(Array(text(false)), of: entity, index: index, line: input.line)
      } catch {
        return try refuse(error, index, input.line, Array(input.bytes))
      }
      if keepsInput { record.input = Array(input.bytes) }
      try body(record)
    }
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

  /// Takes a record as it stands in a file, the header if it is a row of CSV, and a function that makes
  /// it a JSON object, or an array if the header has ``DelimitedObjects/attributes``.
  typealias ObjectBody = (
    InputRecord,
    DelimitedObjects?,
    _ text: (_ isArray: Bool) throws(DepotError) -> ArraySlice<UInt8>
  ) throws -> Void

  /// Returns the meaning of the columns of a file that has no header, by its first row; `nil` if that is one.
  private func begin(_ record: DelimitedRecord) throws(DepotError) -> DelimitedObjects? {
    if form.hasHeader { return nil }
    let names = DelimitedNames(form, of: entity, schema)
    return try DelimitedObjects(names, of: entity, schema, rules, style)
  }

  /// Gives all records of a file, of which nothing was read, to a function.
  func objects(of file: InputFile, _ body: ObjectBody) throws {
    var header: DelimitedObjects?
    try ImportSource.read(
      file,
      form: form,
      object: { record in
        try body(record, nil) { _ throws(DepotError) in
          try record.check()
          return record.bytes
        }
      },
      delimited: { record in
        if header == nil { header = try begin(record) }
        guard let header else {
          let names = try DelimitedNames(record, form)
          header = try DelimitedObjects(names, of: entity, schema, rules, style)
          return
        }
        if record.isBlank, !header.isSingle { return }
        let input = InputRecord(bytes: record.text[...], line: record.line)
        try body(input, header) { isArray throws(DepotError) in
          try header.object(record, asArray: isArray)[...]
        }
      }
    )
  }
}
