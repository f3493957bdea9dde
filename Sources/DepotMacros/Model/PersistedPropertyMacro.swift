internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@_PersistedProperty`: reads and writes a property through the backing data of its model.
enum PersistedPropertyMacro: PropertyStorageMacro {
  static let access = "Value"
}

/// `@_TransformablePersistedProperty`: the same for a property that a transformer converts to data.
enum TransformablePersistedPropertyMacro: PropertyStorageMacro {
  static let access = "TransformableValue"
}

/// A macro that keeps a property's value in the backing data.
protocol PropertyStorageMacro: AccessorMacro, PeerMacro {
  /// The ends of the names of the functions, behind `get` and `set`.
  static var access: String { get }
}

extension PropertyStorageMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = StoredProperty(declaration) else { return [] }
    let name = property.identifier
    return [
      """
      @storageRestrictions(accesses: _$backingData, initializes: _\(raw: property.name))
      init(initialValue) {
        _$backingData.set\(raw: access)(forKey: \\.\(name), to: initialValue)
        _\(raw: property.name) = \(raw: property.mark)
      }
      """,
      """
      get {
        _$observationRegistrar.access(self, keyPath: \\.\(name))
        return self.get\(raw: access)(forKey: \\.\(name))
      }
      """,
      property.observers.map {
        ObservedProperty(property: property, observers: $0, access: access).setter
      }
        ?? """
        set {
          _$observationRegistrar.withMutation(of: self, keyPath: \\.\(name)) {
            self.set\(raw: access)(forKey: \\.\(name), to: newValue)
          }
        }
        """,
    ]
  }

  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = StoredProperty(declaration) else { return [] }
    let hasDefault = property.initialValue != nil || property.type?.isOptional == true
    return [
      """
      @Transient private var _\(raw: property.name): \
      \(raw: property.markType)\(raw: hasDefault ? " = \(property.mark)" : "")
      """
    ]
  }
}
