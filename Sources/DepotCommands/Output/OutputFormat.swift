/// The forms in which rows are written.
enum OutputFormat: String, CaseIterable, Sendable {
  case table
  case json
  case ndjson
  case csv
  case tsv
  case ids
}
