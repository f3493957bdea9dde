public import DepotClientCore
internal import DepotProtocol
internal import FoundationEssentials
internal import FoundationInternationalization

/// Some consecutive records of an order, and where the next ones begin.
public struct Page<Model: Record>: Sendable {
  public let records: [Model]
  /// Where the next page begins; `nil` if this is the last one.
  ///
  /// It stays where it is though records before it come and go, and costs the same on each page.
  public let next: PageCursor?
}

/// A position in an order: after a record with these values of the sort keys.
///
/// It can be stored, to continue with the same predicate and order at another time.
public struct PageCursor: Hashable, Sendable {
  let values: [Value]
}

/// It is encoded as the JSON text that the service gets.
extension PageCursor: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    values = try JSONDocument(Array(text.utf8)).root.elements().map { try Value(constant: $0) }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(JSONWriter.text { $0.write(Value.list(values)) })
  }
}

/// A page whose records may lack large values.
struct IncompletePage<Model: Record> {
  let batch: RecordBatch<Model>
  let next: PageCursor?
}

extension ServiceConnection {
  /// Returns a page with all values of its records.
  @Blocking
  @concurrent
  func wholePage<Model: Record>(
    _ page: IncompletePage<Model>,
    of request: FetchRequest,
    _ deadline: SharedDeadline
  ) async throws -> Page<Model> where Self == Client {
    let records = try await self.wholeRecords(page.batch, of: request, deadline)
    return Page(records: records, next: page.next)
  }
}

/// The reading of one page.
struct PageReading<Model: Record> {
  private(set) var request: FetchRequest
  private let types: [AttributeType]
  private let size: Int
  private var batch = RecordBatch<Model>()
  private var last: [Value]?

  init(
    _ predicate: Predicate<Model>?,
    _ sort: [SortDescriptor<Model>],
    _ prefetch: [any PartialKeyPath<Model> & Sendable],
    size: Int,
    isLast: Bool = true,
    after cursor: PageCursor?
  ) throws(DepotError) {
    self.size = size
    var request = try FetchRequest(
      Model.self,
      where: predicate,
      sortBy: sort,
      limit: isLast ? size : nil,
      prefetch: prefetch
    )
    var types: [AttributeType] = []
    for descriptor in sort {
      let property = try SortKey.property(descriptor).property
      types.append(property.type)
      guard !property.path.hasPrefix("$"), request.select?.contains(property.path) == false else {
        continue
      }
      request.select?.append(property.path)
    }
    request.after = cursor?.values
    self.request = request
    self.types = types
  }

  /// Reads a row.
  mutating func append(_ row: inout RowReader) throws {
    if batch.count + 1 == size { last = try sortValues(of: row) }
    try batch.append(&row)
    try row.skipRest()
  }

  /// Returns the rows that were read as a page, if it is full or `isLast`, and begins the next one.
  mutating func takePage(isLast: Bool) -> IncompletePage<Model>? {
    guard batch.count == size || isLast && batch.count > 0 else { return nil }
    defer {
      batch = RecordBatch()
      last = nil
    }
    return page
  }

  /// Reads a frame; returns the pages that it completes.
  mutating func pages(of frame: RowFrame) throws -> [IncompletePage<Model>] {
    var pages: [IncompletePage<Model>] = []
    try frame.forEachRow { row in
      try append(&row)
      if let page = takePage(isLast: false) { pages.append(page) }
    }
    return pages
  }

  /// The page, once all rows were read.
  var page: IncompletePage<Model> {
    IncompletePage(batch: batch, next: last.map { PageCursor(values: $0) })
  }

  /// Returns the values that a row is sorted by, and its identifier.
  private func sortValues(of row: borrowing RowReader) throws(DepotError) -> [Value] {
    var values: [String: Value] = [:]
    var copy = row.copy()
    let wanted = Dictionary(
      zip(request.sort.compactMap(\.path), types),
      uniquingKeysWith: { first, _ in first }
    )
    for name in request.select ?? [] {
      guard let type = wanted[name] else {
        _ = try copy.text()
        continue
      }
      let field = try copy.field()
      guard let value = field.value(as: type) else { throw field.isNo(type.rawValue).at(name) }
      values[name] = value
    }
    values["$id"] = .int64(row.identifier)
    values["$version"] = .int64(row.version)
    return request.sort.map { $0.path.flatMap { values[$0] } ?? .null } + [.int64(row.identifier)]
  }
}

extension SortKey {
  /// The path to sort by, which is all that a descriptor can name.
  fileprivate var path: String? {
    if case .attribute(let path) = expression { path } else { nil }
  }
}
