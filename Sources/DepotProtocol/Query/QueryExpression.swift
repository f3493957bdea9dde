/// A predicate, or a part of one, as a tree.
///
/// Values are data, never text to be parsed again. Comparisons follow Swift: null equals null, and
/// nothing is less or greater than null. Every predicate is true or false, never unknown.
public indirect enum QueryExpression: Hashable, Sendable {
  /// A constant. Where its type isn't the attribute's, it is converted if nothing is lost: a string
  /// to a date, UUID, URL, or decimal; an integer to a double or decimal.
  case value(Value)
  /// An attribute of the row by its name; `$id` is the identifier and `$version` the version.
  case attribute(String)
  /// The time at which the service runs the query.
  case now
  /// Two values compared. `options` matter for strings only.
  case comparison(Comparison, QueryExpression, QueryExpression, options: TextOptions = [])
  /// A string held against another. It is false if either is null.
  case text(TextTest, QueryExpression, QueryExpression, options: TextOptions = [])
  /// Whether a value lies between two others, both included.
  case between(QueryExpression, QueryExpression, QueryExpression)
  /// Whether a value equals one of a list.
  case `in`(QueryExpression, [QueryExpression], options: TextOptions = [])
  /// All of the predicates; true if there are none.
  case and([QueryExpression])
  /// Any of the predicates; false if there are none.
  case or([QueryExpression])
  case not(QueryExpression)
  /// Two numbers combined. Null, an overflow of whole numbers, and division by zero give null.
  case arithmetic(Arithmetic, QueryExpression, QueryExpression)
  case negate(QueryExpression)
}

extension QueryExpression {
  /// The ways of comparing two values.
  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// The ways of holding one string against another.
  public enum TextTest: String, Hashable, Sendable, CaseIterable {
    case contains
    case begins
    case ends
    /// A pattern in which `*` stands for any characters and `?` for one; `\` makes them plain.
    case like
    /// A regular expression that must match the whole string.
    case matches
  }

  /// The operations on numbers.
  public enum Arithmetic: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    /// The quotient; of two whole numbers, rounded towards zero.
    case divide = "/"
  }

  /// What doesn't matter when strings are compared.
  public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Letters are equal to their other case, by Unicode's case folding; written `c`.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Letters are equal to those without marks, so that `é` is `e`; written `d`.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
  }
}

/// One key to sort by.
public struct SortKey: Hashable, Sendable {
  /// The name of an attribute, or `$id` or `$version`.
  public var attribute: String
  public var isDescending: Bool

  public init(_ attribute: String, descending: Bool = false) {
    self.attribute = attribute
    isDescending = descending
  }
}
