/// A predicate, or a part of one, as a tree.
///
/// Values are data, never text to be parsed again. Comparisons follow Swift: null equals null, and
/// nothing is less or greater than null. Every predicate is true or false, never unknown.
public indirect enum QueryExpression: Hashable, Sendable {
  /// A constant. Where its type isn't the attribute's, it is converted if nothing is lost: a string
  /// to a date, UUID, URL, or decimal; an integer to a double or decimal.
  case value(Value)
  /// The value to which a key path leads from the row: `name`, `home.city`, `country.name`, `country.$id`.
  ///
  /// `$id` is the identifier, `$version` the version, `$entity` the name of the entity. A path through
  /// a to-many relationship leads to a collection; nothing follows from nothing.
  case attribute(String)
  /// The row itself, named `SELF`, or the element of an enclosing quantifier or filter.
  case variable(String)
  /// The value to which a key path leads from something else than the row.
  case member(QueryExpression, String)
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
  /// Whether the words of a full-text query are in the searchable attributes, or in those named.
  case search([String], String)
  /// Whether an object is of an entity or of one that descends from it.
  case `is`(QueryExpression, entity: String)
  /// An object as one of an entity; null if it isn't one.
  case cast(QueryExpression, entity: String)
  /// A value as one of another type; null if it can't be one.
  case convert(QueryExpression, AttributeType)
  /// A value as a number of a width; null if it can't be one, as when it is out of range. A float is
  /// rounded to the nearest one.
  case narrow(QueryExpression, NumberWidth)
  /// A collection of the values of its parts, in this order.
  ///
  /// They are values of one type, or objects of one hierarchy. Constants alone are a ``value(_:)``
  /// with a list.
  case list([QueryExpression])
  /// The second if the first is true, else the third.
  case conditional(QueryExpression, QueryExpression, QueryExpression)
  /// The first that isn't null.
  case coalesce([QueryExpression])
  /// A function of values; null if one of them is null.
  case function(Function, [QueryExpression])
  /// Whether so many elements of a collection, each called by the name, satisfy a predicate.
  case quantified(Quantifier, QueryExpression, String, QueryExpression)
  /// The elements of a collection, each called by the name, that satisfy a predicate.
  case filtered(QueryExpression, String, QueryExpression)
  /// A value that is computed of a collection.
  case aggregate(Aggregate, QueryExpression)
  /// Whether a collection has an element that equals a value.
  case contains(QueryExpression, QueryExpression)
  /// The element of an array or ordered relationship at a position, the last one at -1; null beyond
  /// the ends.
  case element(QueryExpression, Int)
  /// The elements of an array or ordered relationship at these positions, as far as it has them.
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

  /// The ways of holding one string against another.
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
    /// The rest of a division of whole numbers, with the sign of the first.
    case modulo = "%"
    case power = "**"
  }

  /// How many elements must satisfy a predicate.
  public enum Quantifier: String, Hashable, Sendable, CaseIterable {
    case any
    /// Every element; true if there are none.
    case all
    case none
  }

  /// A value that is computed of a collection's elements; null elements don't count, except for `count`.
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
    /// The most frequent, the least of these if there are several.
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
    /// A whole number from 0 up to the first, which it doesn't reach.
    case randomn
    /// A double from 0 to 1.
    case random
    case bitwiseAnd
    case bitwiseOr
    case bitwiseXor
    case onesComplement
    case leftshift
    case rightshift
    /// The member of a JSON object that the second names, as JSON's strings, numbers, or truth values.
    case json
    /// How well the row matches the full-text query of the request: greater is better.
    case rank
  }

  /// The differences that don't matter when strings are compared.
  @Memberwise
  public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    /// Letters are equal to their other case, by Unicode's case folding; written `c`.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Letters are equal to those without marks, so that `é` is `e`; written `d`.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// Strings are the same as a person would search for them: case, marks, and widths don't matter,
    /// and digits count as numbers in comparisons; written `l`.
    public static let localized = TextOptions(rawValue: 4)
    /// The strings are known to be normalized, so they are compared as they are; written `n`.
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
