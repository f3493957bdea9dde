internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// A structure or final class that `@DTO` binds to an entity.
struct DTOType {
  let declaration: any DeclGroupSyntax
  private let members: Members<Column>

  init(_ declaration: some DeclGroupSyntax) {
    self.declaration = declaration
    members = Members(declaration.memberBlock.members, Column.init)
  }

  /// The columns, including all clauses of `#if`.
  var columns: [Column] { members.items }

  /// Whether there are columns within `#if`.
  var isConditional: Bool { members.isConditional }

  var isClass: Bool { declaration.is(ClassDeclSyntax.self) }

  /// A stored property, and its meaning as a column.
  struct Column {
    let identifier: TokenSyntax
    let kind: Kind
    /// The name of the attribute as an expression.
    let name: String
    /// The initial value, if it is the same in each run of each program.
    let constant: ExprSyntax?
    /// The further arguments of `@Column`.
    let options: [LabeledExprSyntax]

    enum Kind {
      case identifier
      case version
      case attribute
      case toOne
      case toMany
    }

    init?(_ member: DeclSyntax) {
      guard let variable = member.as(VariableDeclSyntax.self), variable.isInstanceVariable,
        let binding = variable.bindings.first, variable.bindings.count == 1, binding.isStored,
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
      else { return nil }
      identifier = pattern.identifier.trimmed
      var arguments: [LabeledExprSyntax] = []
      if case .argumentList(let list) = variable.attributes.first(named: "Column")?.arguments {
        arguments = Array(list)
      }
      let given = arguments.first { $0.label == nil }?.expression
      name = given.map(\.trimmedDescription) ?? "\"\(identifier.plainName)\""
      constant = binding.initializer.flatMap { $0.value.isConstant ? $0.value.trimmed : nil }
      options = arguments.filter { $0.label != nil }
      let type = binding.typeAnnotation?.type
      kind =
        switch (identifier.plainName, given) {
        case ("id", nil) where type?.wrapped?.referenceName == "Identifier": .identifier
        case ("rowVersion", nil) where type?.trimmedDescription == "Int64": .version
        default: Kind(type)
        }
    }

    /// The element of the list of attributes.
    var attribute: String {
      let path = "\\.\(identifier.text)"
      let options = options.map { ", \($0.with(\.trailingComma, nil).trimmedDescription)" }.joined()
      switch kind {
      case .identifier: return ".identifier(\(path))"
      case .version: return ".version(\(path))"
      case .attribute:
        let value = constant.map { ", default: \($0)" } ?? ""
        return ".init(\(path), \(name)\(value)\(options))"
      case .toOne: return ".toOne(\(path), \(name)\(options))"
      case .toMany: return ".toMany(\(path), \(name)\(options))"
      }
    }

    /// The statement that reads the property.
    var reading: String {
      switch kind {
      case .identifier: "self.\(identifier.text) = DepotClient.Identifier(row.identifier)"
      case .version: "self.\(identifier.text) = row.version"
      case .attribute, .toOne, .toMany: "self.\(identifier.text) = try row.next()"
      }
    }

    /// The statement that writes the property.
    var writing: String? {
      switch kind {
      case .identifier, .version: nil
      case .attribute, .toOne, .toMany: "row.append(self.\(identifier.text))"
      }
    }
  }

  /// Returns the conformance of a type that goes by this name.
  func conformance(
    of type: some TypeSyntaxProtocol,
    entity: String,
    isNew: Bool
  ) throws -> ExtensionDeclSyntax {
    let access = declaration.modifiers.memberAccess
    let writing = members.lines(\.writing).map { "    \($0)\n" }.joined()
    let reading = isClass ? "" : "\(initializer(indentation: "  "))\n"
    return try ExtensionDeclSyntax(
      """
      extension \(type.trimmed)\(raw: isNew ? ": DepotClient.Record" : "") {
        \(raw: access)static let entity = \(raw: entity)
        \(raw: access)static let attributes: DepotClient.RecordAttributes<\(type.trimmed)> = \
      \(raw: attributes(of: type.trimmedDescription))
      \(raw: reading)  \(raw: access)func write(to row: inout DepotProtocol.RowWriter) {
      \(raw: writing)  }
      }
      """
    )
  }

  /// The list of attributes as an expression.
  private func attributes(of type: String) -> String {
    guard isConditional else {
      return "[\n" + columns.map { "    \($0.attribute),\n" }.joined() + "  ]"
    }
    // A list can't have conditions within it.
    let lines = members.lines { "attributes.append(\($0.attribute))" }
    return "{\n    var attributes: [DepotClient.RecordAttribute<\(type)>] = []\n"
      + lines.map { "    \($0)\n" }.joined()
      + "    return DepotClient.RecordAttributes(attributes)\n  }()"
  }

  /// The initializer that reads a row.
  func initializer(indentation: String = "") -> String {
    let lines =
      [
        "\(declaration.modifiers.memberAccess)init(from row: inout DepotProtocol.RowReader) "
          + "throws(DepotProtocol.DepotError) {"
      ] + members.lines(\.reading).map { "  \($0)" } + ["}"]
    return lines.map { indentation + $0 }.joined(separator: "\n")
  }
}

extension ExprSyntax {
  /// Whether it is a literal, or the name of a constant, like a case of an enumeration.
  fileprivate var isConstant: Bool {
    if let array = self.as(ArrayExprSyntax.self) {
      return array.elements.allSatisfy(\.expression.isConstant)
    }
    if let dictionary = self.as(DictionaryExprSyntax.self) {
      guard case .elements(let elements) = dictionary.content else { return true }
      return elements.allSatisfy { $0.key.isConstant && $0.value.isConstant }
    }
    if let text = self.as(StringLiteralExprSyntax.self) {
      return text.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
    }
    if let sign = self.as(PrefixOperatorExprSyntax.self) {
      return sign.operator.text == "-" && sign.expression.isConstant
    }
    if let member = self.as(MemberAccessExprSyntax.self) {
      let isType = member.base.map { $0.is(DeclReferenceExprSyntax.self) } ?? true
      return isType && member.declName.baseName.text != "now"
    }
    return [.integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr].contains(
      kind
    )
  }
}

extension DTOType.Column.Kind {
  /// Finds the kind of a property by its type: relationships are written `Related` and
  /// `Identifier`.
  init(_ type: TypeSyntax?) {
    let plain = type?.wrapped ?? type
    if plain?.referenceName != nil {
      self = .toOne
    } else if type?.elementOfArray?.referenceName != nil {
      self = .toMany
    } else {
      self = .attribute
    }
  }
}

extension TypeSyntax {
  /// The name of a type that represents a row of another entity.
  fileprivate var referenceName: String? {
    let name: TokenSyntax
    if let type = self.as(IdentifierTypeSyntax.self) {
      name = type.name
    } else if let type = self.as(MemberTypeSyntax.self) {
      name = type.name
    } else {
      return nil
    }
    return ["Related", "Identifier"].contains(name.text) ? name.text : nil
  }

  /// The type of the elements, of an array.
  fileprivate var elementOfArray: TypeSyntax? {
    if let array = self.as(ArrayTypeSyntax.self) { return array.element }
    guard let type = self.as(IdentifierTypeSyntax.self), type.name.text == "Array" else {
      return nil
    }
    return type.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self)
  }
}
