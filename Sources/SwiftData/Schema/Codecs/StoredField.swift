@_spi(Reflection) internal import Swift

/// One stored property of a structure.
struct StoredField {
  let name: String
  let offset: Int
  let type: Any.Type

  /// Returns the stored properties of a structure; `nil` if the runtime doesn't know them.
  static func all<Content>(of _: Content.Type) -> [StoredField]? {
    guard TypeKind(Content.self) == .structure else { return nil }
    var fields: [StoredField] = []
    let isWhole = _forEachField(of: Content.self) { name, offset, type, _ in
      fields.append(StoredField(name: String(cString: name), offset: offset, type: type))
      return true
    }
    return isWhole ? fields : nil
  }

  /// Returns the key paths of the stored properties of a structure, in their order.
  static func keyPaths<Content>(of _: Content.Type) -> [PartialKeyPath<Content>] {
    var keyPaths: [PartialKeyPath<Content>] = []
    _ = _forEachFieldWithKeyPath(of: Content.self) { _, keyPath in
      keyPaths.append(keyPath)
      return true
    }
    return keyPaths
  }
}
