internal import SwiftDiagnostics
internal import SwiftSyntax

/// The translation of the statements of a closure.
extension PredicateTranslator {
  /// Returns the code that builds the result of statements; each path must return something.
  mutating func body(_ items: [CodeBlockItemSyntax], of parent: some SyntaxProtocol) -> String {
    guard let first = items.first else {
      return refuse(parent, "a path without a result", hint: "Return something on each path.")
    }
    let rest = Array(items.dropFirst())
    switch first.item {
    case .decl(let declaration):
      guard let variable = declaration.as(VariableDeclSyntax.self) else {
        return refuse(declaration, "this declaration")
      }
      declare(variable)
      return body(rest, of: parent)
    case .stmt(let statement):
      return self.statement(statement, rest, of: parent)
    default:
      guard case .expr(let expression) = first.item else {
        return refuse(first, "this statement")
      }
      if let choice = choice(expression, then: rest) { return choice }
      guard rest.isEmpty else {
        return refuse(expression, "an expression whose value isn't returned")
      }
      return node(expression)
    }
  }

  /// Returns the code that builds an `if` or a `switch`; `nil` for anything else.
  ///
  /// The given statements follow on the paths that don't return.
  private mutating func choice(
    _ expression: ExprSyntax,
    then rest: [CodeBlockItemSyntax]
  ) -> String? {
    if let choice = expression.as(IfExprSyntax.self) {
      return self.choice(choice, else: rest, of: Syntax(choice))
    }
    return expression.as(SwitchExprSyntax.self).map { choice($0, then: rest) }
  }

  private mutating func statement(
    _ statement: StmtSyntax,
    _ rest: [CodeBlockItemSyntax],
    of parent: some SyntaxProtocol
  ) -> String {
    switch statement.as(StmtSyntaxEnum.self) {
    case .returnStmt(let result):
      guard let expression = result.expression else {
        return refuse(result, "a return without a value")
      }
      return node(expression)
    case .guardStmt(let check):
      let otherwise = Array(check.body.statements)
      return conditions(
        Array(check.conditions),
        then: { $0.body(rest, of: parent) },
        else: { $0.body(otherwise, of: check) }
      )
    case .expressionStmt(let statement):
      return choice(statement.expression, then: rest) ?? refuse(statement, "this statement")
    default:
      return refuse(
        statement,
        "this statement",
        hint: "It can use let, if, guard, switch, and return."
      )
    }
  }

  /// Returns the code for an `if`, followed by statements for the paths that don't return.
  mutating func choice(
    _ choice: IfExprSyntax,
    else rest: [CodeBlockItemSyntax],
    of parent: Syntax
  ) -> String {
    let body = Array(choice.body.statements) + rest
    return conditions(
      Array(choice.conditions),
      then: { $0.body(body, of: choice) },
      else: { inner in
        switch choice.elseBody {
        case .ifExpr(let next)?: inner.choice(next, else: rest, of: parent)
        case .codeBlock(let block)?: inner.body(Array(block.statements) + rest, of: block)
        default: inner.body(rest, of: parent)
        }
      }
    )
  }

  /// Declares the constants of a `let`.
  private mutating func declare(_ variable: VariableDeclSyntax) {
    guard variable.bindingSpecifier.tokenKind == .keyword(.let) else {
      let specifier = variable.bindingSpecifier
      let constant = specifier.with(\.tokenKind, .keyword(.let))
      let fixIt = FixIt.replace("Replace 'var' with 'let'", specifier, by: constant)
      refuse(specifier, "a variable", fixIt: fixIt)
      return
    }
    for binding in variable.bindings {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
        let value = binding.initializer?.value
      else {
        refuse(binding, "this declaration")
        continue
      }
      let name = pattern.identifier.text
      if !isDependent(value), !MayTrap.check(value) {
        names[name] = nil
        lines.append("let \(binding.with(\.trailingComma, nil).trimmedDescription)")
        declaresNames = true
        continue
      }
      var text = node(value)
      if let type = binding.typeAnnotation?.type {
        text = Self.call("typed", text, "as: \(Self.metatype(type))")
      }
      names[name] = declare(text)
    }
  }

  /// Returns the code that builds one of two results.
  mutating func conditions(
    _ conditions: [ConditionElementSyntax],
    then: (inout PredicateTranslator) -> String,
    else otherwise: (inout PredicateTranslator) -> String
  ) -> String {
    guard let first = conditions.first else { return branch(then) }
    let rest = Array(conditions.dropFirst())
    switch first.condition {
    case .expression(let expression):
      let test = clause(expression)
      let positive = branch { $0.conditions(rest, then: then, else: otherwise) }
      return Self.call("conditional", test, positive, branch(otherwise))
    case .optionalBinding(let binding):
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
        return refuse(binding.pattern, "this pattern")
      }
      let value =
        binding.initializer?.value
        ?? ExprSyntax(DeclReferenceExprSyntax(baseName: pattern.identifier))
      return unwrapping(node(value), as: pattern.identifier.text, else: otherwise) {
        $0.conditions(rest, then: then, else: otherwise)
      }
    case .matchingPattern(let match):
      let subject = declare(node(match.initializer.value))
      return pattern(match.pattern, subject, else: otherwise) {
        $0.conditions(rest, then: then, else: otherwise)
      }
    default: return refuse(first.condition, "this condition")
    }
  }

  /// Returns the code for one result with a present value, named `name`, and another for `nil`.
  mutating func unwrapping(
    _ optional: String,
    as name: String,
    else otherwise: (inout PredicateTranslator) -> String,
    then: (inout PredicateTranslator) -> String
  ) -> String {
    let present = closure { inner, variable in
      inner.names[name] = variable
      return then(&inner)
    }
    return Self.call(
      "coalesce",
      Self.call("flatMap", optional, present),
      branch(otherwise)
    )
  }

  /// Translates a branch; the user's names in it are known only within it.
  mutating func branch(_ translate: (inout PredicateTranslator) -> String) -> String {
    let (lines, declaresNames, result) = scoped(translate)
    guard declaresNames else {
      self.lines += lines
      return result
    }
    return "{ () in\n\(lines.joined(separator: "\n"))\nreturn \(result)\n}()"
  }
}
