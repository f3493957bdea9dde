internal import DepotProtocol

/// The values of some rows that are read on their own, since the rows have only their lengths.
package final class LargeValues {
  /// A value of a row as it was at a version.
  struct Place: Hashable {
    let entity: String
    let identifier: Int64
    let version: Int64
    let attribute: String
  }

  private var texts: [Place: [UInt8]] = [:]
  /// The values that were looked for and aren't there yet.
  private var missing: Set<Place> = []

  /// Returns the whole value as JSON in place of a length; `nil` if a value stays as it is.
  func text(
    in value: [UInt8],
    _ column: Int,
    of columns: LargeColumns,
    _ identifier: Int64,
    _ version: Int64
  ) -> [UInt8]? {
    guard let attribute = columns.path(of: column, with: value) else { return nil }
    let place = Place(
      entity: columns.entity,
      identifier: identifier,
      version: version,
      attribute: attribute
    )
    let text = texts[place]
    if text == nil { missing.insert(place) }
    return text
  }

  /// Returns the values that have to be read.
  func takeMissing() -> Set<Place> {
    defer { missing = [] }
    return missing
  }

  /// Keeps a value as JSON.
  func add(_ text: [UInt8], _ place: Place) { texts[place] = text }
}
