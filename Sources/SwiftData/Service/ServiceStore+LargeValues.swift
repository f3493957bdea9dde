internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// Reading values that are too large to come with a row.
extension ServiceStore {
  /// How often a row is read again because it changes meanwhile.
  private static let readings = 8

  /// Reads a row whose large values come in pieces, each on its own.
  func largeRow(
    _ row: Int64,
    _ plan: RowPlan,
    into context: ModelContext
  ) throws -> [ObjectReference] {
    for _ in 1..<Self.readings {
      if let links = try talk({ try read(row, plan, over: $0, into: context) }) { return links }
    }
    throw SwiftDataError(
      .storeFailure,
      "\(plan.description.name)/\(row) is changed again and again while it is read.",
      hint: "Read the value again later."
    )
  }

  /// Returns `nil` if the row was changed meanwhile.
  private func read(
    _ row: Int64,
    _ plan: RowPlan,
    over connection: BlockingConnection,
    into context: ModelContext
  ) throws -> [ObjectReference]? {
    let others = plan.select.filter { !plan.externalColumns.contains($0) }
    let request = GetRequest(
      entity: plan.description.name,
      identifiers: [row],
      select: others,
      includesSubentityColumns: plan.hasEntity,
      allowsMissing: true,
      namesColumns: false
    )
    var texts: [[UInt8]] = []
    var version: Int64?
    try connection.get(request) { reader in
      version = reader.version
      texts = try others.map { _ in Array(try reader.text()) }
    }
    guard let version else { return [] }
    var values = texts[...]
    var columns: [[UInt8]] = []
    for column in plan.select {
      if !plan.externalColumns.contains(column) {
        let text = values.removeFirst()
        let type = plan.description.type(of: column)
        guard type == .string || type == .data, text.first == UInt8(ascii: "{") else {
          columns.append(text)
          continue
        }
      }
      let value = try connection.blobText(
        BlobReadRequest(entity: plan.description.name, identifier: row, attribute: column)
      )
      guard value.version == version else { return nil }
      columns.append(value.json)
    }
    let head = Array("[[\(row),\(version)".utf8)
    let json = columns.reduce(into: head) { $0 += Array(",".utf8) + $1 } + Array("]]".utf8)
    let intake = RowIntake(context, identifier, plan, grouped: false)
    try json.withRows(at: 0, RowReading(), intake.row)
    return intake.finish()
  }
}

extension EntityDescription {
  /// Returns the type of the values of a column; `nil` if it isn't one of an attribute.
  fileprivate func type(of column: String) -> AttributeType? {
    let names = column.split(separator: ".").map(String.init)
    var attribute = names.first.flatMap { property(named: $0) }?.codec?.attribute
    for name in names.dropFirst() {
      attribute = attribute?.properties.first { $0.name == name }
    }
    return attribute?.collection == nil ? attribute?.type : nil
  }
}

extension SwiftDataError {
  /// Whether rows are too large for an answer.
  var isTooLarge: Bool {
    serviceError?.code == .valueTooLarge || serviceError?.code == .frameTooLarge
  }
}
