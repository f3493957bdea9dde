public import DepotProtocol
public import FoundationEssentials

/// A value of type `Output` that is computed of the records of a group.
public struct Aggregate<Model: Record, Output: AttributeValue>: Sendable {
  let function: QueryExpression.Aggregate
  let expression: Result<QueryExpression?, DepotError>

  private init(_ function: QueryExpression.Aggregate, _ keyPath: AnyKeyPath) {
    self.function = function
    expression = Result { () throws(DepotError) in
      .attribute(try Model.property(keyPath).path)
    }
  }

  /// Aggregates an expression of each record, for example of a relationship's targets.
  public init<Content>(
    _ function: QueryExpression.Aggregate,
    of expression: Expression<Model, Content>
  ) {
    self.function = function
    self.expression = Result { () throws(DepotError) in try QueryExpression(expression) }
  }
}

extension Aggregate where Output == Int {
  private init(counting: Void) {
    function = .count
    expression = .success(nil)
  }

  /// The number of records.
  public static var count: Aggregate { Aggregate(counting: ()) }

  /// The number of records whose property isn't `nil`.
  public static func count<Content>(_ keyPath: KeyPath<Model, Content?>) -> Aggregate {
    Aggregate(.count, keyPath)
  }

  /// The number of different values that aren't `nil`.
  public static func countDistinct<Content>(_ keyPath: KeyPath<Model, Content>) -> Aggregate {
    Aggregate(.countDistinct, keyPath)
  }
}

extension Aggregate {
  /// The sum; 0 of no values.
  public static func sum(_ keyPath: KeyPath<Model, Output>) -> Aggregate where Output: Numeric {
    Aggregate(.sum, keyPath)
  }

  /// The sum of the values that aren't `nil`; 0 of none.
  public static func sum(_ keyPath: KeyPath<Model, Output?>) -> Aggregate where Output: Numeric {
    Aggregate(.sum, keyPath)
  }

  /// The least value; `nil` of no values.
  public static func min<Content>(_ keyPath: KeyPath<Model, Content>) -> Aggregate
  where Output == Content? { Aggregate(.min, keyPath) }

  /// The least value that isn't `nil`; `nil` of none.
  public static func min<Content>(_ keyPath: KeyPath<Model, Content?>) -> Aggregate
  where Output == Content? { Aggregate(.min, keyPath) }

  /// The greatest value; `nil` of no values.
  public static func max<Content>(_ keyPath: KeyPath<Model, Content>) -> Aggregate
  where Output == Content? { Aggregate(.max, keyPath) }

  /// The greatest value that isn't `nil`; `nil` of none.
  public static func max<Content>(_ keyPath: KeyPath<Model, Content?>) -> Aggregate
  where Output == Content? { Aggregate(.max, keyPath) }

  /// The most frequent value, the least of several; `nil` of no values.
  public static func mode<Content>(_ keyPath: KeyPath<Model, Content>) -> Aggregate
  where Output == Content? { Aggregate(.mode, keyPath) }

  /// The most frequent value that isn't `nil`, the least of several; `nil` of none.
  public static func mode<Content>(_ keyPath: KeyPath<Model, Content?>) -> Aggregate
  where Output == Content? { Aggregate(.mode, keyPath) }
}

extension Aggregate where Output == Double? {
  /// The mean of the values that aren't `nil`; `nil` of none.
  public static func average<Content>(_ keyPath: KeyPath<Model, Content>) -> Aggregate {
    Aggregate(.average, keyPath)
  }

  /// The median of the values that aren't `nil`; `nil` without any.
  public static func median<Content>(_ keyPath: KeyPath<Model, Content>) -> Aggregate {
    Aggregate(.median, keyPath)
  }

  /// The standard deviation of the values that aren't `nil`; `nil` of none.
  public static func standardDeviation<Content>(
    _ keyPath: KeyPath<Model, Content>
  ) -> Aggregate {
    Aggregate(.stddev, keyPath)
  }
}
