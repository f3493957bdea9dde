internal import DepotClientCore
internal import DepotProtocol

/// A writer of fetched rows, with references in the form of exports.
@Memberwise
struct ExportedRows {
  private let names: ReferenceNames
  private let stores: [String: String]
  private let printer: any RowPrinter
  /// The names of the written columns.
  private var written: [String] = []
  /// The fetched columns, by the names that they are written under.
  private var forms: [(name: String, form: EntityExport.Column.Form, mayBeLarge: Bool)] = []
  /// The entity of the part.
  private var part = ""
  /// The JSON of the entity's name, if it is written.
  private var entity: [UInt8]?

  /// The names of the fetched columns.
  var columns: [String] {
    (entity == nil ? [] : ["$entity"])
      + forms.map(\.name).filter { entity == nil || $0 != "$entity" }
  }

  /// Begins rows with these columns.
  mutating func begin(_ columns: [String]) throws {
    written = columns
    try printer.begin(columns: ["$id", "$version"] + columns)
  }

  /// Sets the columns fetched for a part.
  mutating func read(_ columns: [String], of part: EntityExport.Part, names: Bool) {
    entity = names ? .json(part.entity) : nil
    self.part = part.entity
    let paths = columns.dropFirst(2)
    let own = paths.filter { $0 != "$entity" }
    var position = 0
    forms = paths.map { path in
      guard path != "$entity" else { return (path, .value, false) }
      defer { position += 1 }
      let column =
        own.count == part.columns.count
        ? part.columns[position] : part.columns.first { $0.path == path }
      return (column?.name ?? path, column?.form ?? .value, column?.mayBeLarge ?? false)
    }
  }

  /// Writes rows and returns how many there were.
  func write(_ frame: RowFrame) throws -> Int {
    let places = written.map { name in forms.firstIndex { $0.name == name } }
    let entityPlace = entity == nil ? nil : written.firstIndex(of: "$entity")
    var output = JSONWriter(capacity: 1 << 16)
    var values = [[UInt8]](repeating: [], count: forms.count)
    var count = 0
    output.raw("[")
    try frame.withRows(hasIdentity: true) { row in
      for (index, (name, form, mayBeLarge)) in forms.enumerated() {
        let field = try row.field()
        if mayBeLarge, field.kind == .object {
          throw DepotError.tooLargeForExport("\(part)/\(row.identifier)", name)
        }
        values[index] = try text(field, form)
      }
      output.raw(count > 0 ? ",[" : "[")
      output.integer(row.identifier)
      output.raw(",")
      output.integer(row.version)
      for (index, place) in places.enumerated() {
        output.raw(",")
        if let entity, index == entityPlace {
          output.raw(entity)
        } else if let place {
          output.raw(values[place])
        } else {
          output.raw("null")
        }
      }
      output.raw("]")
      count += 1
    }
    output.raw("]")
    try output.bytes.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      while try reader.beginRow() {
        try reader.readIdentity()
        try printer.print(&reader)
        try reader.endRow()
      }
    }
    return count
  }

  /// Returns the JSON of a value.
  private func text(
    _ field: RowField,
    _ form: EntityExport.Column.Form
  ) throws(DepotError) -> [UInt8] {
    let json = field.json
    switch form {
    case .value: return json
    case .json:
      guard field.kind == .string else { return json }
      return .json(String(decoding: json, as: UTF8.self))
    case .keys(let relationship): return try names.json(json, relationship)
    case .identifiers(let relationship):
      let entity = relationship.destination
      return try relationship.json(json) { identifier in
        .json(RowReference(entity: entity, identifier: identifier, store: stores[entity]).text)
      }
    }
  }
}
