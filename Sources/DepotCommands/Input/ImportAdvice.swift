/// The advice in errors of imports.
enum ImportAdvice {
  /// The advice about an import that ended early.
  static let resume = """
    With --resume JOURNAL the same command goes on later; without, import again with --on-conflict skip if an \
    attribute is unique.
    """
  /// The advice for a value that is too large for any record.
  static let largeValue =
    "A larger value goes into a row that is stored, with: depot blob put ENTITY/ID ATTRIBUTE FILE"
  /// The advice about a bad record.
  static let rejects = "depot import --rejects FILE sets bad records aside and continues."
}
