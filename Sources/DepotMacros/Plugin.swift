internal import SwiftSyntaxMacros

#if DEPOT_SWIFT_SYNTAX
internal import SwiftCompilerPlugin

/// The compiler plugin, built on the swift-syntax package.
@main struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = Plugin.macros
}
#else
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling

/// The compiler plugin, built on the swift-syntax of the toolchain.
///
/// The compiler starts it once and sends it messages through its standard input and output.
@main struct Plugin: PluginProvider {
  static func main() throws {
    let listener = CompilerPluginMessageListener(
      connection: try StandardIOMessageConnection(),
      provider: Plugin()
    )
    try listener.main()
  }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = Self.macros.first(where: { "\($0)" == typeName }) else {
      throw UnknownMacro(name: "\(moduleName).\(typeName)")
    }
    return macro
  }
}

/// The compiler asked for a macro that the plugin doesn't have.
private struct UnknownMacro: Error, CustomStringConvertible {
  let name: String

  var description: String { "The plugin DepotMacros has no macro \(name)." }
}
#endif

extension Plugin {
  /// The macros, in the order of their names.
  static var macros: [any Macro.Type] {
    [
      AttributePropertyMacro.self,
      ColumnMacro.self,
      DTOMacro.self,
      IndexMacro.self,
      PersistedPropertyMacro.self,
      PersistentModelActorMacro.self,
      PersistentModelMacro.self,
      PredicateExpressionMacro.self,
      PredicateMacro.self,
      RelationshipPropertyMacro.self,
      TransformablePersistedPropertyMacro.self,
      TransientPropertyMacro.self,
      UniqueConstraintsMacro.self,
    ]
  }
}
