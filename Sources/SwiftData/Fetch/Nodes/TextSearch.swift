package import DepotClientCore
package import DepotProtocol

/// A search for words in a text: `$0.summary.matches(text: "object store -swift")`.
@Memberwise("text", "words")
public struct TextSearch<Text: StandardPredicateExpression, Words: StandardPredicateExpression>:
  StandardPredicateExpression
where Text.Output: SearchableText, Words.Output == String {
  /// The text.
  public let text: Text
  /// The words to search for.
  public let words: Words

  /// - Throws: An error that describes the mistake in the words.
  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let query = try SearchQuery.read(words.evaluate(bindings))
    return try text.evaluate(bindings).searched.map { query.matches([$0]) } ?? false
  }
}

/// A search for words in all texts of an object that are marked `.spotlight`.
@Memberwise("object", "words")
public struct ObjectSearch<Object: StandardPredicateExpression, Words: StandardPredicateExpression>:
  StandardPredicateExpression
where Object.Output: PersistentModel, Words.Output == String {
  /// The object.
  public let object: Object
  /// The words to search for.
  public let words: Words

  /// - Throws: An error that describes the mistake in the words.
  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try object.evaluate(bindings).matches(SearchQuery.read(words.evaluate(bindings)))
  }
}

extension TextSearch: LowerableExpression, ConstantExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.search(for: words, in: text)
  }

  package var parts: [any PredicateExpression] { [text, words] }
}

extension ObjectSearch: LowerableExpression, ConstantExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.search(for: words, in: object)
  }

  package var parts: [any PredicateExpression] { [object, words] }
}

extension PredicateLowering {
  /// - Throws: ``DepotError`` `request.usage` if there is something wrong with the words, and
  ///   `request.predicate` if the service can't search like that.
  fileprivate mutating func search(
    for words: any PredicateExpression<String>,
    in subject: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    guard let words = Constant(words)?.value as? String else {
      throw refusal("a search for words that the model has")
    }
    do {
      _ = try SearchQuery.read(words)
    } catch {
      throw DepotError(.usage, error.message, hint: error.hint)
    }
    return try search(words, in: value(subject))
  }
}

/// A type of texts that can be searched for words: `String` and `String?`.
public protocol SearchableText {
  /// The text; `nil` if there is none.
  var searched: String? { get }
}

extension String: SearchableText {
  public var searched: String? { self }

  /// Whether the text has the words of a search.
  ///
  /// All words must occur: `object store`. `"object store"` finds words next to each other, `sto*`
  /// words with this beginning, `store OR database` either word; `-swift` or `NOT swift` excludes a
  /// word. Case and diacritical marks don't matter. In a `#Predicate`, the store finds a property
  /// that is marked `.spotlight` by its full-text index; other properties are searched in memory.
  ///
  /// ```swift
  /// #Predicate<Package> { $0.summary.matches(text: "object store -swift") }
  /// ```
  ///
  /// - Returns: Whether it has them; false if the words can't be read, which is an error in a fetch.
  public func matches(text words: String) -> Bool {
    (try? SearchQuery(words))?.matches([self]) ?? false
  }
}

extension String?: SearchableText {
  public var searched: String? { self }

  /// Whether there is a text that has the words of a search, as for `String`.
  public func matches(text words: String) -> Bool { map { $0.matches(text: words) } ?? false }
}

extension PersistentModel {
  /// Whether the properties that are marked `.spotlight` have the words of a search, all together.
  ///
  /// ```swift
  /// #Predicate<Package> { $0.matches(text: "object store -swift") }
  /// ```
  ///
  /// - Returns: Whether they have them; false if the words can't be read, which is an error in a fetch.
  public func matches(text words: String) -> Bool {
    (try? SearchQuery(words)).map(matches) ?? false
  }

  fileprivate func matches(_ query: SearchQuery) -> Bool {
    guard let link = ownStorage?.link else { return false }
    let names = link.storage.description.properties.filter(\.isSearchable).map(\.name)
    return query.matches(names.compactMap { ModelRow(link).value(at: $0).text })
  }
}
