/// The output formats of rows.
enum OutputFormat: String, CaseIterable, Sendable {
  case table
  /// A table with a line for each value.
  case expanded
  case json
  case ndjson
  case csv
  case tsv
  case ids

  /// Whether it is one of the two tables, which are for people.
  var isTable: Bool { self == .table || self == .expanded }
}

extension [OutputFormat] {
  /// The formats of answers that aren't rows.
  static let documents: Self = [.table, .expanded, .json, .ndjson]
}
