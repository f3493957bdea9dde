internal import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension BlockingConnection {
  /// Calls `body` with the records that satisfy a predicate in batches, all of one moment.
  ///
  /// Memory is bounded by a batch, however many records there are. `body` may use the connection; unless
  /// `allowEscapingMutations` is true, its writes that name the entity fail with `request.enumerating`.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: What the records must satisfy; all of them if `nil`.
  ///   - sort: The properties to sort by, the most important first.
  ///   - prefetch: The relationships whose rows are to come along.
  ///   - batchSize: How many records a batch has; the last one may have fewer.
  ///   - cursor: The ``Page/next`` of a batch of an earlier enumeration with the same predicate and
  ///     order, to go on after it. What is read then is of a later moment.
  ///   - allowEscapingMutations: Whether the connection may change the entity meanwhile; the
  ///     enumeration doesn't show it.
  ///   - deadline: How long the whole enumeration may take at most.
  ///   - body: What to do with a batch.
  /// - Returns: How many records there were.
  /// - Throws: ``DepotError`` if the fetch fails; after `stream.expired`, go on with the last batch's
  ///   ``Page/next``. What `body` throws, after the enumeration was cancelled.
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
    let operation = Operation.fetch(reading.request)
    let stream = try openStream(operation, deadline: deadline)
    defer { closeStream(stream) }
    if !allowEscapingMutations { enumerations.begin(Model.entity) }
    defer { if !allowEscapingMutations { enumerations.end(Model.entity) } }
    var count = 0
    func pass(_ page: Page<Model>) throws {
      count += page.records.count
      try body(page)
    }
    while var frame = try nextFrame(of: stream) {
      frame.reading = RowReading(operation)
      var pages: [Page<Model>] = []
      try frame.forEachRow { row in
        try reading.append(&row)
        if let page = reading.takePage(isLast: false) { pages.append(page) }
      }
      for page in pages { try pass(page) }
    }
    if let page = reading.takePage(isLast: true) { try pass(page) }
    return count
  }
}
