internal import DepotProtocol

/// One save request for a batch of records, with the records and links that must wait.
struct GraphSave {
  private(set) var request = SaveRequest()
  /// The records whose rows are in the request.
  private(set) var records: [GraphRecord] = []
  /// The records that require other records first.
  private(set) var postponed: [GraphRecord] = []
  /// The positions of records with references to rows that don't exist yet.
  private(set) var deferred: [Int] = []
  /// The rows of the request with their lines.
  private(set) var sent = SentRows([])
  /// The keys of the rows in the request, by their temporary identifiers.
  private(set) var keys: [(name: String, key: NaturalKey, value: Value)] = []

  /// The number of rows nested in records, by entity.
  private(set) var related: [String: Int] = [:]

  private var names: [NaturalKey: [Value: String]] = [:]
  private var omitted: Set<String> = []
  private var parts = RowParts()
  private let index: KeyIndex

  /// Makes a request of records in the order of the file.
  init(_ records: [GraphRecord], _ index: KeyIndex, onConflict: InsertRequest.OnConflict = .error) {
    self.index = index
    request.onConflict = onConflict
    var included = records
    // Postponing a record may leave another without its required row.
    while true {
      register(included)
      let (ready, waiting) = divide(included)
      if waiting.isEmpty { break }
      postponed += waiting
      included = ready
    }
    postponed.sort { $0.index < $1.index }
    self.records = included
    for record in included { add(record) }
    request.inserts = parts.all.map { .init(entity: $0.entity, columns: $0.columns, rows: $0.rows) }
    sent = SentRows(parts.all)
  }

  /// Collects the temporary identifiers that rows can be referred to by.
  private mutating func register(_ records: [GraphRecord]) {
    names = [:]
    omitted = []
    for record in records {
      // The outermost rows come first: rows nested in an omitted row are omitted too.
      for row in record.rows.reversed() {
        let isThere = row.keys.contains { key, value in
          names[key]?[value] != nil || index[key, value] != nil
        }
        if let parent = row.parent, isThere || omitted.contains(parent) {
          omitted.insert(row.name)
          continue
        }
        for (key, value) in row.keys where names[key]?[value] == nil {
          names[key, default: [:]][value] = row.name
        }
      }
    }
  }

  private func divide(_ records: [GraphRecord]) -> (ready: [GraphRecord], waiting: [GraphRecord]) {
    var ready: [GraphRecord] = []
    var waiting: [GraphRecord] = []
    for record in records {
      let needs = record.rows.contains { row in
        !omitted.contains(row.name)
          && row.links.contains { link in
            let isRequired =
              link.relationship.isToMany
              ? link.relationship.minCount > 0 : !link.relationship.isOptional
            return isRequired && link.references.contains { resolve($0) == nil }
          }
      }
      if needs { waiting.append(record) } else { ready.append(record) }
    }
    return (ready, waiting)
  }

  /// Returns the JSON of the referenced identifier, or `nil`.
  private func resolve(_ reference: GraphReference) -> [UInt8]? {
    switch reference {
    case .nested(let name): return .json(name)
    case .key(let key, let value):
      // Temporary names are preferred, so that the request is the same after an interruption.
      return names[key]?[value].map { .json($0) } ?? index[key, value].map { Array("\($0)".utf8) }
    }
  }

  private mutating func add(_ record: GraphRecord) {
    var isDeferred = false
    for row in record.rows where !omitted.contains(row.name) {
      var columns = ["$id"] + row.columns
      var values = [.json(row.name)] + row.values
      for link in row.links {
        let found = link.references.compactMap { resolve($0) }
        if found.count < link.references.count { isDeferred = true }
        if found.isEmpty, !link.references.isEmpty || request.onConflict != .replace { continue }
        columns.append(link.relationship.name)
        values.append(
          link.relationship.isToMany ? found.jsonArray : found.first ?? Array("null".utf8)
        )
      }
      parts.append(row.entity, columns, values, line: record.line)
      if row.parent != nil { related[row.entity, default: 0] += 1 }
      keys += row.keys.map { (row.name, $0.key, $0.value) }
    }
    if isDeferred { deferred.append(record.index) }
  }
}

/// The rows of a request, divided into parts where the entity or the columns change.
///
/// They stay in the order of the file as far as their columns allow, and so do their identifiers.
struct RowParts {
  private(set) var all: [SentRows.Part] = []

  /// Adds a row, whose values are JSON already.
  mutating func append(_ entity: String, _ columns: [String], _ values: [[UInt8]], line: Int) {
    let isNext = all.last.map { $0.entity == entity && $0.columns == columns } ?? false
    if !isNext { all.append(.init(entity: entity, columns: columns)) }
    all[all.count - 1].append(values.jsonArray, line: line)
  }
}

extension [UInt8] {
  /// Returns the JSON of a text.
  static func json(_ text: String) -> [UInt8] { JSONWriter.bytes { $0.string(text) } }
}

extension [[UInt8]] {
  /// The values, which are JSON already, as an array.
  var jsonArray: [UInt8] {
    JSONWriter.bytes { $0.array(self) { $0.raw($1) } }
  }
}
