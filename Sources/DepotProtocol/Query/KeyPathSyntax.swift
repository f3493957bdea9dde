/// The form of the names in expressions.
package enum KeyPathSyntax {
  /// The names of a row's own values, which are steps of paths but not attributes.
  package static let system: Set<String> = ["$id", "$version", "$entity"]

  /// The steps that can only end a path: ``system``, and the length of a value in external storage.
  static let ends = system.union([length])
  package static let length = "$length"

  /// Checks that a path doesn't have too many steps.
  package static func checkLength(_ path: String) throws(DepotError) {
    if isTooLong(path) { throw DepotError(.predicateTooLarge, tooLong) }
  }

  static func isTooLong(_ path: String) -> Bool {
    path.utf8.count { $0 == 0x2E } >= Limits.pathSteps
  }
  static let tooLong = "A path has more than \(Limits.pathSteps) steps."

  /// Whether `text` could be the name of an entity, an attribute, or a relationship.
  package static func isName(_ text: some StringProtocol) -> Bool { NameSyntax.isName(text) }

  /// Whether `text` is names separated by points; the last one may be in ``system``.
  package static func isPath(_ text: String) -> Bool {
    let steps = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = steps.last else { return false }
    guard steps.dropLast().allSatisfy(isName) else { return false }
    return isName(last) || system.contains(String(last)) || last == length && steps.count > 1
  }

  /// Reads a path.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it isn't one.
  static func path(_ node: JSONNode) throws(DepotError) -> String {
    let text = try node.string()
    if isTooLong(text) { throw DepotError(.predicateTooLarge, tooLong).at(node.pointer) }
    guard isPath(text) else {
      throw DepotError(.predicate, "\(text.quoted) isn't a path.").hint(
        "A path is names with points between them; $id, $version, or $entity may be the last."
      ).at(node.pointer)
    }
    return NameSyntax.normalized(text)
  }

  /// Whether a quantifier or filter may use `text` as the name of its element.
  package static func isVariable(_ text: String) -> Bool {
    isGenerated(text) || isName(text) && isFree(text)
  }

  /// Whether a name is neither reserved after `$` nor the name of the row, `SELF`.
  static func isFree(_ name: String) -> Bool {
    !system.contains("$" + name) && name != "SELF"
  }

  /// Whether `text` is a generated name for an element: `#1`, `#2`, ….
  static func isGenerated(_ text: String) -> Bool {
    text.first == "#" && text.utf8.count > 1 && text.utf8.dropFirst().allSatisfy { $0 &- 0x30 < 10 }
  }

  /// Returns the name for an element without one, as in `ANY tags.name == "x"`.
  ///
  /// It is the first of `#1`, `#2`, … that isn't in `scope`.
  package static func generatedVariable(in scope: [String]) -> String {
    var number = 1
    while scope.contains("#\(number)") { number += 1 }
    return "#\(number)"
  }
}
