public import DepotClientCore
internal import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

/// The records of an enumeration as they arrive, in batches.
///
/// All of them are from one snapshot. Memory is bounded by a batch and by ``ClientOptions/window``
/// frames of about 64 KiB, regardless of the number of records. Leaving the loop early cancels the
/// enumeration on the service. As long as the iterator exists, the client refuses to change the
/// entity.
public struct EnumeratedPages<Model: Record>: AsyncSequence, Sendable {
  fileprivate let client: Client
  fileprivate let reading: Result<PageReading<Model>, DepotError>
  fileprivate let allowsMutations: Bool
  fileprivate let deadline: Duration?

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The batches of one enumeration, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    private let source: EnumeratedPages
    private var run: Run?
    private var isFinished = false

    fileprivate init(_ source: EnumeratedPages) {
      self.source = source
    }

    private struct Run {
      var reading: PageReading<Model>
      var frames: FetchedFrames.Iterator
      let mark: EnumerationMark?
      /// The rest of a frame that was more than a batch had room for.
      var ready: [IncompletePage<Model>] = []
      let deadline: SharedDeadline
    }

    /// Waits for the next batch; `nil` after the last.
    ///
    /// - Throws: ``DepotError`` if the fetch fails; after `stream.expired` or a lost connection,
    ///   continue with the last batch's ``Page/next``. `CancellationError` if the task was
    ///   cancelled.
    public mutating func next() async throws -> Page<Model>? {
      guard !isFinished else { return nil }
      do {
        if run == nil { run = try begin() }
        guard var run else { return nil }
        while run.ready.isEmpty {
          guard let frame = try await run.frames.next() else {
            isFinished = true
            self.run = nil
            guard let last = run.reading.takePage(isLast: true) else { return nil }
            return try await whole(last, run)
          }
          (run.reading, run.ready) = try await run.reading.reading(frame)
        }
        let page = run.ready.removeFirst()
        self.run = run
        return try await whole(page, run)
      } catch {
        isFinished = true
        run = nil
        throw error
      }
    }

    /// Returns a page with all values of its records.
    private func whole(_ page: IncompletePage<Model>, _ run: Run) async throws -> Page<Model> {
      try await source.client.wholePage(page, of: run.reading.request, run.deadline)
    }

    private func begin() throws -> Run {
      let reading = try source.reading.get()
      let mark =
        source.allowsMutations ? nil : EnumerationMark(Model.entity, source.client)
      let frames = source.client.fetchFrames(reading.request, deadline: source.deadline)
      return Run(
        reading: reading,
        frames: frames.makeAsyncIterator(),
        mark: mark,
        deadline: SharedDeadline(source.deadline)
      )
    }
  }
}

@available(*, unavailable)
extension EnumeratedPages.Iterator: Sendable {}

extension PageReading {
  /// Reads a frame away from the caller's actor; returns the batches that it completes.
  @concurrent
  fileprivate consuming func reading(
    _ frame: RowFrame
  ) async throws -> (PageReading, [IncompletePage<Model>]) {
    var reading = self
    let pages = try reading.pages(of: frame)
    return (reading, pages)
  }
}

extension Client {
  /// Returns the records that satisfy a predicate in batches from one snapshot.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: The condition of the records; all of them if `nil`.
  ///   - sort: The properties to sort by, the most important first.
  ///   - prefetch: The relationships whose rows are prefetched.
  ///   - batchSize: How many records a batch has; the last one may have fewer.
  ///   - cursor: The ``Page/next`` of a batch of an earlier enumeration with the same predicate and
  ///     order, to continue after it. The rest is read from a later snapshot.
  ///   - allowEscapingMutations: Whether the client may change the entity meanwhile; the enumeration
  ///     doesn't show it.
  ///   - deadline: How long the whole enumeration may take at most.
  /// - Returns: The sequence. Nothing is sent before its first element is asked for.
  public func batches<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    batchSize: Int = 5000,
    after cursor: PageCursor? = nil,
    allowEscapingMutations: Bool = false,
    deadline: Duration? = nil
  ) -> EnumeratedPages<Model> {
    precondition(batchSize > 0, "A batch has at least one record.")
    return EnumeratedPages(
      client: self,
      reading: Result { () throws(DepotError) in
        try PageReading(predicate, sort, prefetch, size: batchSize, isLast: false, after: cursor)
      },
      allowsMutations: allowEscapingMutations,
      deadline: deadline
    )
  }

  /// Calls `body` with each record that satisfies a predicate, all from one snapshot.
  ///
  /// Records come in batches, so that memory is bounded regardless of their number. Unless
  /// `allowEscapingMutations` is true, writes of this client that name the entity fail meanwhile
  /// with `request.enumerating`.
  ///
  /// - Returns: How many records there were.
  /// - Throws: Errors of
  ///   ``batches(_:where:sortBy:prefetch:batchSize:after:allowEscapingMutations:deadline:)``, and
  ///   errors of `body`, after the enumeration was cancelled.
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
    _ body: (Model) async throws -> Void
  ) async throws -> Int {
    let batches = batches(
      type,
      where: predicate,
      sortBy: sort,
      prefetch: prefetch,
      batchSize: batchSize,
      after: cursor,
      allowEscapingMutations: allowEscapingMutations,
      deadline: deadline
    )
    var count = 0
    for try await batch in batches {
      for record in batch.records { try await body(record) }
      count += batch.records.count
    }
    return count
  }
}
