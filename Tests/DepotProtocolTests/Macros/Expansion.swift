import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import DepotMacros

/// What a macro makes of a piece of source, and what it says about it.
struct Expansion {
  /// The texts of the members, accessors, and peers that are added, and of extensions.
  var texts: [String] = []
  var attributes: [String] = []
  fileprivate(set) var diagnostics: [Diagnostic] = []
  private let source: String

  init(_ source: String, conforming conformances: [String] = Self.model) throws {
    self.source = source
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")]
    )
    let protocols = conformances.map { TypeSyntax("\(raw: $0)") }
    for statement in file.statements {
      try expand(Syntax(statement.item), conformances: protocols, in: context)
    }
    diagnostics = context.diagnostics
  }

  static let model = ["Observable", "PersistentModel", "Sendable"]

  /// The messages, each with its fix-its.
  var messages: [String] {
    diagnostics.map { diagnostic in
      ([diagnostic.message] + diagnostic.fixIts.map { "→ \($0.message.message)" })
        .joined(separator: " ")
    }
  }

  /// Returns the source as the fix-it of a message makes it.
  func mended(message: Int = 0, fixIt: Int = 0) -> String {
    var edits: [(range: Range<Int>, text: String)] = []
    for change in diagnostics[message].fixIts[fixIt].changes {
      guard case .replace(let old, let new) = change else { continue }
      edits.append((old.position.utf8Offset..<old.endPosition.utf8Offset, new.description))
    }
    var bytes = Array(source.utf8)
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: Array(edit.text.utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func expand(
    _ node: Syntax,
    conformances: [TypeSyntax],
    in context: BasicMacroExpansionContext
  ) throws {
    if let macro = node.asProtocol((any FreestandingMacroExpansionSyntax).self) {
      let implementation = Self.macros[macro.macroName.text] as? any DeclarationMacro.Type
      _ = try implementation?.expansion(of: macro, in: context)
      return
    }
    if let declaration = node.asProtocol((any DeclSyntaxProtocol).self),
      node.is(VariableDeclSyntax.self) || node.is(FunctionDeclSyntax.self)
        || node.is(InitializerDeclSyntax.self)
    {
      return try expandMember(declaration, in: context)
    }
    guard let declaration = node.asProtocol((any DeclGroupSyntax).self) else { return }
    for case .attribute(let attribute) in declaration.attributes {
      let name = attribute.attributeName.trimmedDescription
      guard let macro = Self.macros[name] else { continue }
      if let macro = macro as? any MemberMacro.Type {
        texts += try macro.expansion(
          of: attribute,
          providingMembersOf: declaration,
          conformingTo: conformances,
          in: context
        ).map { $0.trimmedDescription }
      }
      if let macro = macro as? any MemberAttributeMacro.Type {
        for member in declaration.memberBlock.members {
          attributes += try macro.expansion(
            of: attribute,
            attachedTo: declaration,
            providingAttributesFor: member.decl,
            in: context
          ).map { "\($0.trimmedDescription) \(member.decl.names)" }
        }
      }
      if let macro = macro as? any ExtensionMacro.Type {
        texts += try macro.expansion(
          of: attribute,
          attachedTo: declaration,
          providingExtensionsOf: TypeSyntax("\(raw: declaration.kindAndName.name)"),
          conformingTo: conformances,
          in: context
        ).map { $0.trimmedDescription }
      }
    }
  }

  private mutating func expandMember(
    _ declaration: any DeclSyntaxProtocol,
    in context: BasicMacroExpansionContext
  ) throws {
    let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes ?? []
    for case .attribute(let attribute) in attributes {
      let macro = Self.macros[attribute.attributeName.trimmedDescription]
      if let macro = macro as? any AccessorMacro.Type {
        texts += try macro.expansion(
          of: attribute,
          providingAccessorsOf: declaration,
          in: context
        ).map { $0.trimmedDescription }
      }
      if let macro = macro as? any PeerMacro.Type {
        texts += try macro.expansion(of: attribute, providingPeersOf: declaration, in: context)
          .map { $0.trimmedDescription }
      }
      if let macro = macro as? any BodyMacro.Type,
        let declaration = declaration.as(InitializerDeclSyntax.self)
      {
        texts += try macro.expansion(
          of: attribute,
          providingBodyFor: declaration,
          in: context
        ).map { $0.trimmedDescription }
      }
    }
  }

  private static var macros: [String: any Macro.Type] {
    [
      "Model": PersistentModelMacro.self,
      "_LinkingInitializer": LinkingInitializerMacro.self,
      "_PersistedProperty": PersistedPropertyMacro.self,
      "_TransformablePersistedProperty": TransformablePersistedPropertyMacro.self,
      "ModelActor": PersistentModelActorMacro.self,
      "DTO": DTOMacro.self,
      "Attribute": AttributePropertyMacro.self,
      "Relationship": RelationshipPropertyMacro.self,
      "Transient": TransientPropertyMacro.self,
      "Column": ColumnMacro.self,
      "Blocking": BlockingMacro.self,
      "Index": IndexMacro.self,
      "Memberwise": MemberwiseMacro.self,
      "OperationCases": OperationCasesMacro.self,
      "Unique": UniqueConstraintsMacro.self,
    ]
  }
}

extension DeclSyntax {
  fileprivate var names: String {
    if self.is(InitializerDeclSyntax.self) { return "init" }
    return self.as(VariableDeclSyntax.self)?.bindings.map(\.pattern.trimmedDescription)
      .joined(separator: ", ") ?? ""
  }
}
