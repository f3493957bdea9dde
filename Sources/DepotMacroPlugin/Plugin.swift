internal import DepotMacros
internal import SwiftSyntaxMacros

#if DEPOT_SWIFT_SYNTAX
internal import SwiftCompilerPlugin

/// The compiler plugin, built on the swift-syntax package.
@main struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = Macros.all
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
    guard let macro = Macros.named(typeName) else {
      throw UnknownMacro(name: "\(moduleName).\(typeName)")
    }
    return macro
  }
}

/// The compiler asked for a macro that the plugin doesn't have.
private struct UnknownMacro: Error, CustomStringConvertible {
  let name: String

  var description: String { "The plugin DepotMacroPlugin has no macro \(name)." }
}
#endif
