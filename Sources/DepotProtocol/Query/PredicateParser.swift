/// A parser of predicates in Core Data's format language.
public enum PredicateParser {
  public static func parse(_ text: String) throws(DepotError) -> QueryExpression {
    throw DepotError(.predicate, "not yet")
  }
}
