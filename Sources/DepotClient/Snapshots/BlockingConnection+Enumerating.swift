public import DepotClientCore
internal import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension BlockingConnection {
  /// Calls `body` with each batch of the records that satisfy a predicate, all from one snapshot.
  ///
  /// The parameters are the same as for
  /// ``Client/enumerate(_:where:sortBy:prefetch:batchSize:after:allowEscapingMutations:deadline:_:)``.
  /// `body` may use the connection. After `stream.expired`, continue with the ``Page/next`` of the
  /// last batch.
  @discardableResult
  public func enumerate<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    batchSize: Int = 5000,
    after cursor: PageCursor? = nil,
    allowEscapingMutations: Bool = false,
    deadline: Duration? = nil,
    _ body: (Page<Model>) throws -> Void
  ) throws -> Int {
    precondition(batchSize > 0, "A batch has at least one record.")
    var reading = try PageReading<Model>(
      predicate,
      sort,
      prefetch,
      size: batchSize,
      isLast: false,
      after: cursor
    )
    let request = reading.request
    let operation = Operation.fetch(request)
    let shared = SharedDeadline(deadline)
    let stream = try openStream(operation, deadline: deadline)
    defer { closeStream(stream) }
    if !allowEscapingMutations { enumerations.begin(Model.entity) }
    defer { if !allowEscapingMutations { enumerations.end(Model.entity) } }
    var count = 0
    func pass(_ page: IncompletePage<Model>) throws {
      let page = try wholePage(page, of: request, shared)
      count += page.records.count
      try body(page)
    }
    while var frame = try nextFrame(of: stream) {
      frame.reading = RowReading(operation)
      for page in try reading.pages(of: frame) { try pass(page) }
    }
    if let page = reading.takePage(isLast: true) { try pass(page) }
    return count
  }
}
