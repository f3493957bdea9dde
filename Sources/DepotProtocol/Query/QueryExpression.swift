/// A predicate, or a part of one, as a tree.
///
/// Values are data, never text to be parsed again. Comparisons follow Swift: null equals null, and
/// nothing is less or greater than null. Every predicate is true or false, never unknown.
public indirect enum QueryExpression: Hashable, Sendable {
  /// A constant.
  ///
  /// If its type isn't the attribute's, it is converted where nothing is lost: a string to a date,
  /// UUID, URL, or decimal; an integer to a double or decimal.
  case value(Value)
  /// The value of a key path from the row: `name`, `home.city`, `country.name`, `country.$id`.
  ///
  /// `$id` is the identifier, `$version` the version, `$entity` the name of the entity. A path
  /// through a to-many relationship gives a collection; a path from nothing gives nothing.
  case attribute(String)
  /// The row itself, named `SELF`, or the element of an enclosing quantifier or filter.
  case variable(String)
  /// The value of a key path from an object other than the row.
  case member(QueryExpression, String)
  /// The time at which the service runs the query.
  case now
  /// The comparison of two values; `options` matter for strings only.
  case comparison(Comparison, QueryExpression, QueryExpression, options: TextOptions = [])
  /// The comparison of a string with a pattern; it is false if either is null.
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
  /// The result for two numbers; null for null, integer overflow, and division by zero.
  case arithmetic(Arithmetic, QueryExpression, QueryExpression)
  case negate(QueryExpression)
  /// Whether the searchable attributes, or the named ones, match a full-text query.
  case search([String], String)
  /// Whether an object is of an entity or one of its subentities.
  case `is`(QueryExpression, entity: String)
  /// An object as one of an entity; null if it isn't one.
  case cast(QueryExpression, entity: String)
  /// A value as one of another type; null if it can't be one.
  case convert(QueryExpression, AttributeType)
  /// A value as a number of a width; null if it can't be one, for example if it is out of range.
  ///
  /// A double is rounded to the nearest float.
  case narrow(QueryExpression, NumberWidth)
  /// A collection of the values of its parts, in this order.
  ///
  /// They are values of one type, or objects of one hierarchy. Constants alone are a ``value(_:)``
  /// with a list.
  case list([QueryExpression])
  /// The second if the first is true, or else the third.
  case conditional(QueryExpression, QueryExpression, QueryExpression)
  /// The first that isn't null.
  case coalesce([QueryExpression])
  /// A function of values; null if one of them is null.
  case function(Function, [QueryExpression])
  /// Whether any, all, or none of a collection's named elements satisfy a predicate.
  case quantified(Quantifier, QueryExpression, String, QueryExpression)
  /// The named elements of a collection that satisfy a predicate.
  case filtered(QueryExpression, String, QueryExpression)
  /// A value computed from a collection.
  case aggregate(Aggregate, QueryExpression)
  /// Whether a collection has an element that equals a value.
  case contains(QueryExpression, QueryExpression)
  /// The element at a position of an array or ordered relationship; -1 is the last one.
  ///
  /// It is null beyond the ends.
  case element(QueryExpression, Int)
  /// The existing elements at these positions of an array or ordered relationship.
  case slice(QueryExpression, Range<Int>)
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

  /// The ways of comparing a string with a pattern.
  public enum TextTest: String, Hashable, Sendable, CaseIterable {
    case contains
    case begins
    case ends
    /// A pattern where `*` stands for any characters and `?` for one; `\` makes them plain.
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
    /// The remainder of a division of integers, with the sign of the first.
    case modulo = "%"
    case power = "**"
  }

  /// The number of elements that must satisfy a predicate.
  public enum Quantifier: String, Hashable, Sendable, CaseIterable {
    case any
    /// Every element; true if there are none.
    case all
    case none
  }

  /// A value computed from a collection's elements; null elements don't count, except for `count`.
  public enum Aggregate: String, Hashable, Sendable, CaseIterable {
    case count
    /// The number of different elements that aren't null.
    case countDistinct
    /// The sum, 0 if there are none.
    case sum
    /// The least; null if there are none.
    case min
    /// The greatest; null if there are none.
    case max
    /// The mean, a double; null if there are none.
    case average
    case median
    /// The most frequent; if there are several, the least of them.
    case mode
    /// The standard deviation of the whole population.
    case stddev
  }

  /// Functions of values.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    case uppercase
    case lowercase
    /// The text without case and marks, as `[cd]` compares it.
    case canonical
    /// The number of characters of a text, of bytes of data.
    case length
    /// The first as text with the second after it.
    case concatenate
    case abs
    case floor
    case ceiling
    case trunc
    case round
    case sqrt
    case exp
    case ln
    case log
    /// A random integer from 0 up to, but not including, the argument.
    case randomn
    /// A random double from 0 to 1.
    case random
    case bitwiseAnd
    case bitwiseOr
    case bitwiseXor
    case onesComplement
    case leftshift
    case rightshift
    /// The member of a JSON object named by the second argument: a string, number, or truth value.
    case json
    /// The rank of the row in the request's full-text query: greater is a better match.
    case rank
  }

  /// The differences to ignore when strings are compared.
  @Memberwise
  public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    /// Letters are equal to their other case, by Unicode's case folding; written `c`.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Letters are equal to those without marks, so that `é` is `e`; written `d`.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// Strings are compared as a person would search: case, marks, and widths don't matter.
    ///
    /// Digits count as numbers in comparisons; written `l`.
    public static let localized = TextOptions(rawValue: 4)
    /// The strings are known to be normalized, so they are compared unchanged; written `n`.
    public static let normalized = TextOptions(rawValue: 8)
  }
}

/// One key to sort by.
///
/// Ascending, null comes first.
public struct SortKey: Hashable, Sendable {
  /// The key to sort by: a truth value, number, date, text, or identifier.
  public var expression: QueryExpression
  public var isDescending: Bool
  /// Whether text is in the order that people expect.
  ///
  /// Case, marks, and widths only decide between otherwise equal texts; `9` comes before `10`.
  public var isLocalized: Bool

  public init(_ expression: QueryExpression, descending: Bool = false, localized: Bool = false) {
    self.expression = expression
    isDescending = descending
    isLocalized = localized
  }

  /// Creates a key from a key path, or from `$id` or `$version`.
  public init(_ path: String, descending: Bool = false, localized: Bool = false) {
    self.init(.attribute(path), descending: descending, localized: localized)
  }
}
