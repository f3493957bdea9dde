internal import DepotProtocol

/// The rows of a request, with the lines of the file that they come from.
///
/// They translate an error of the service into the file's terms.
@Memberwise("parts")
struct SentRows {
  /// Rows with the same columns.
  struct Part {
    var entity: String
    var columns: [String]
    private(set) var lines: [Int] = []
    /// The JSON of the rows, without the closing bracket.
    private var json = [UInt8(ascii: "[")]

    /// Creates an empty part with room for rows of some bytes.
    init(entity: String, columns: [String], capacity: Int = 0) {
      self.entity = entity
      self.columns = columns
      json.reserveCapacity(capacity)
    }

    init(entity: String, columns: [String], rows: RowBatch, lines: [Int]) {
      self.init(entity: entity, columns: columns)
      json = rows.json.dropLast()
      self.lines = lines
    }

    /// The number of rows.
    var count: Int { lines.count }

    /// The size of the rows in bytes.
    var byteCount: Int { json.count }

    /// The rows to send.
    var rows: RowBatch { RowBatch(json: json + [UInt8(ascii: "]")], count: count) }

    /// Adds a row, given as a JSON array.
    mutating func append(_ row: [UInt8], line: Int) {
      if !lines.isEmpty { json.append(UInt8(ascii: ",")) }
      json.append(contentsOf: row)
      lines.append(line)
    }
  }

  private struct Location {
    var part: Int
    var row: Int
    var column: Int?
  }

  private let parts: [Part]

  /// Returns an error of the service in an import's terms, with its line.
  ///
  /// Its place is the name of a column, if there is one. If `areStored`, it may be about stored
  /// rows.
  func located(_ error: DepotError, areStored: Bool = false) -> (error: DepotError, line: Int?) {
    var located = error.inCommandWords
    let place = error.at.flatMap(place)
    located.at = place.flatMap(column)
    if error.code == .violations {
      located = withViolations(located, areStored: areStored)
    } else if !areStored, let place, let other = clash(error, at: place) {
      located.message = Self.sentence(error.details, other)
      located.details = Self.facts(error.details, other)
    } else if let place {
      located.message = anonymous(error.message, place)
    }
    return (located, place.map { parts[$0.part].lines[$0.row] })
  }

  /// Reads `/args/rows/3/0` or `/args/insert/2/rows/3/0`.
  private func place(_ pointer: String) -> Location? {
    let steps = pointer.split(separator: "/")
    guard let rows = steps.firstIndex(of: "rows"), rows + 1 < steps.count,
      let row = Int(steps[rows + 1])
    else { return nil }
    let part = rows > 1 && steps[rows - 2] == "insert" ? Int(steps[rows - 1]) ?? 0 : 0
    guard parts.indices.contains(part), parts[part].lines.indices.contains(row) else { return nil }
    return Location(
      part: part,
      row: row,
      column: rows + 2 < steps.count ? Int(steps[rows + 2]) : nil
    )
  }

  private func column(_ place: Location) -> String? {
    let columns = parts[place.part].columns
    guard let index = place.column, columns.indices.contains(index) else { return nil }
    // Temporary identifiers mean nothing to the user.
    return columns[index].hasPrefix("$") ? nil : columns[index]
  }

  private func withViolations(_ error: DepotError, areStored: Bool) -> DepotError {
    guard var details = error.details?.object, let violations = details["violations"]?.array else {
      return error
    }
    var result = error
    let sentences = violations.map { violation -> JSONValue in
      guard let pointer = violation["pointer"]?.string, let place = place(pointer) else {
        return violation
      }
      var inner = DepotError(.violations, violation["message"]?.string ?? "")
      inner.hint = violation["hint"]?.string
      inner.details = violation
      let message = inner.message
      if !areStored, let other = clash(inner, at: place) {
        inner.message = Self.sentence(violation, other)
        inner.details = Self.facts(violation, other)
      } else {
        inner.message = anonymous(message, place)
      }
      if !message.isEmpty {
        result.message = result.message.replacing(message, with: inner.message)
      }
      var members = inner.details?.object ?? [:]
      members["message"] = .string(inner.message)
      members["hint"] = inner.inCommandWords.hint.map(JSONValue.string)
      let line = "line \(parts[place.part].lines[place.row])"
      members["pointer"] = .string(line + (column(place).map { ", \($0)" } ?? ""))
      return .object(members)
    }
    details["violations"] = .array(sentences)
    result.details = .object(details)
    return result
  }

  /// Returns the line of an earlier row in the request with the same unique values.
  private func clash(_ error: DepotError, at place: Location) -> Int? {
    let details = error.details
    let names =
      details?["attributes"]?.array?.compactMap(\.string)
      ?? details?["attribute"]?.string.map { [$0] } ?? []
    guard details?["existing"] != nil, !names.isEmpty,
      case let rows = values(names, of: parts[place.part]), rows.indices.contains(place.row),
      let own = rows[place.row]
    else { return nil }
    for (index, part) in parts[...place.part].enumerated()
    where part.entity == parts[place.part].entity {
      let rows = index == place.part ? rows[..<place.row] : values(names, of: part)[...]
      if let row = rows.firstIndex(of: own) { return part.lines[row] }
    }
    return nil
  }

  /// Returns the values of some columns of each row; `nil` for a row that lacks one.
  private func values(_ columns: [String], of part: Part) -> [[JSONValue]?] {
    let places = columns.compactMap { part.columns.firstIndex(of: $0) }
    guard places.count == columns.count,
      let root = try? JSONDocument(part.rows.json, valueLimit: .max).root,
      let rows = try? root.elements()
    else { return [] }
    return rows.map { row in
      guard let cells = try? row.elements() else { return nil }
      let values = places.compactMap { place -> JSONValue? in
        guard cells.indices.contains(place), !cells[place].isNull else { return nil }
        return try? JSONValue(cells[place])
      }
      return values.count == places.count ? values : nil
    }
  }

  /// Returns the message about a row without the row's assigned identifier.
  private func anonymous(_ message: String, _ place: Location) -> String {
    let entity = parts[place.part].entity
    guard let range = message.firstRange(of: "\(entity)/") else { return message }
    let rest = message[range.upperBound...].drop { $0.isNumber }
    if message[..<range.lowerBound].hasSuffix(" of ") {
      return String(message[..<range.lowerBound].dropLast(4) + rest)
    }
    // In other messages the identifier is of a stored row.
    return rest.first == "." ? String(message[..<range.lowerBound] + entity + rest) : message
  }

  private static func sentence(_ details: JSONValue?, _ line: Int) -> String {
    let names = details?["attributes"]?.array ?? details?["attribute"].map { [$0] } ?? []
    let list = names.map { "\"\($0.string ?? "")\"" }.joined(separator: ", ")
    return "It has the same \(names.count > 1 ? "values" : "value") for \(list) as line \(line)."
  }

  private static func facts(_ details: JSONValue?, _ line: Int) -> JSONValue? {
    guard var members = details?.object else { return details }
    members["existing"] = nil
    members["line"] = .int64(Int64(line))
    return .object(members)
  }
}

extension DepotError {
  /// The error with options of the command line in place of members of the protocol.
  var inCommandWords: DepotError {
    var error = self
    error.hint = hint.map(CommandLineTerms(options: [.onConflict]).text)
    if error.at?.hasPrefix("/") == true { error.at = nil }
    return error
  }
}
