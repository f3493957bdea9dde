public import DepotProtocol
public import FoundationEssentials

extension Client {
  /// Watches how many records satisfy a predicate.
  ///
  /// ```swift
  /// for try await count in client.watchCount(Package.self) { print(count.value) }
  /// ```
  public func watchCount<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    options: WatchOptions = WatchOptions()
  ) -> WatchedAnswers<Int> {
    let request = Result { () throws(DepotError) in
      WatchRequest(.count(try CountRequest(type, where: predicate)), options)
    }
    return WatchedAnswers(client: self, request: request, reader: .count)
  }

  /// Watches the aggregates of groups of records.
  ///
  /// The parameters are the same as for
  /// `aggregate(_:where:by:values:having:sortBy:limit:offset:deadline:)`.
  public func watchAggregate<
    Model: Record,
    each Key: AttributeValue,
    each Output: AttributeValue
  >(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    by keys: repeat any KeyPath<Model, each Key> & Sendable,
    values: repeat Aggregate<Model, each Output>,
    having: QueryExpression? = nil,
    sortBy sort: [GroupOrder] = [],
    limit: Int? = nil,
    offset: Int = 0,
    options: WatchOptions = WatchOptions()
  ) -> WatchedAnswers<[AggregateGroup<(repeat each Key), (repeat each Output)>]> {
    let request = Result { () throws(DepotError) in
      let aggregate = try AggregateRequest(
        type,
        where: predicate,
        by: repeat each keys,
        values: repeat each values,
        having: having,
        sortBy: sort,
        limit: limit,
        offset: offset
      )
      return WatchRequest(.aggregate(aggregate), options)
    }
    let reader = AnswerReader { frames in
      var groups: [AggregateGroup<(repeat each Key), (repeat each Output)>] = []
      for frame in frames {
        try frame.forEachRow { row in
          let keys = (repeat try (each Key).read(from: &row))
          groups.append(
            AggregateGroup(keys: keys, values: (repeat try (each Output).read(from: &row)))
          )
        }
      }
      return groups
    }
    return WatchedAnswers(client: self, request: request, reader: reader)
  }
}
