extension PredicateBuilder {
  /// A value as text, in an interpolation.
  public static func text<P: Part<String>>(_ part: P) -> P { part }

  /// A number as text.
  public static func text<P: Part>(
    _ part: P
  ) -> ValueConversion<P, String> where P.Output: BinaryInteger {
    ValueConversion(part)
  }

  /// Whether a text has the words of a search.
  public static func search<Text: Part, Words: Part<String>>(
    _ text: Text,
    _ words: Words
  ) -> TextSearch<Text, Words> where Text.Output: SearchableText {
    TextSearch(text, words)
  }

  /// Whether the texts of an object have the words of a search.
  public static func search<Object: Part, Words: Part<String>>(
    _ object: Object,
    _ words: Words
  ) -> ObjectSearch<Object, Words> where Object.Output: PersistentModel {
    ObjectSearch(object, words)
  }
}
