internal import DepotProtocol

/// Translates functions, conversions, and choices.
extension QueryCompiler {
  /// Translates a function of values.
  mutating func function(
    _ function: QueryExpression.Function,
    _ arguments: [QueryExpression]
  ) throws(DepotError) -> Operand {
    guard arguments.count == function.arity else {
      throw invalid("\(function.rawValue) takes \(function.arity.pluralized("argument")).")
    }
    if function == .rank { return try rank() }
    var operands: [Operand] = []
    for (argument, kind) in zip(arguments, function.kind.arguments) {
      operands.append(try check(operand(argument), as: kind, of: function))
    }
    if operands.contains(where: \.isNull) { return makeConstant(.null) }
    if function == .length, let value = operands.first, let large = value.large {
      let length = value.type == .data ? large.length : large.characters
      return makeOperand(.int64, length, isNullable: value.isNullable)
    }
    let constants = operands.compactMap(\.constant)
    if constants.count == operands.count, function != .random, function != .randomn {
      return makeConstant(function.value(constants))
    }
    let list = operands.map { $0.fragment + ", \(($0.type ?? .string).functionCode)" }
    return makeOperand(
      function.kind.result ?? operands.first?.type,
      "\(function.sqlName)(" + .list(list) + ")",
      isNullable: function != .random
    )
  }

  /// Checks an argument and converts it for the function.
  private func check(
    _ operand: Operand,
    as kind: QueryExpression.Function.ArgumentKind,
    of function: QueryExpression.Function
  ) throws(DepotError) -> Operand {
    if operand.isNull { return operand }
    var operand = operand
    if operand.type == .json, let type = kind.readType { operand = scalar(operand, as: type) }
    let fits =
      switch kind {
      case .text: operand.isText
      case .textOrData: operand.isText || operand.type == .data
      case .scalar: operand.root == nil
      case .number: operand.isNumber
      case .whole: operand.root == nil && operand.type == .int64
      case .json: operand.type == .json
      }
    guard fits else {
      throw invalid(
        "\(operand.source.spelling) is of type \(operand.typeName), which "
          + "\(function.rawValue) doesn't take."
      )
    }
    return operand
  }

  /// Translates the conversion of a value to a type.
  func convert(_ operand: Operand, to type: AttributeType) throws(DepotError) -> Operand {
    guard type.isScalar else {
      throw invalid("Nothing can be converted to \(type.rawValue).")
    }
    guard let from = operand.type else { return operand }
    if let constant = operand.constant {
      return makeConstant(constant.cast(to: type) ?? .null)
    }
    var result = operand
    result.root = nil
    result.presence = nil
    result.selection = nil
    result.large = nil
    result.source = subject
    guard from != type else { return result }
    result.type = type
    result.isNullable = true
    result.fragment =
      "depot_cast(" + operand.fragment + ", \(from.functionCode), \(type.functionCode))"
    return result
  }

  /// Translates the conversion of a value to a number of a width.
  func narrow(_ operand: Operand, to width: NumberWidth) throws(DepotError) -> Operand {
    guard let from = operand.type else { return operand }
    if let constant = operand.constant {
      return makeConstant(constant.cast(to: width) ?? .null)
    }
    return makeOperand(
      width.type,
      "depot_narrow(" + operand.fragment + ", \(from.functionCode), \(width.functionCode))",
      isNullable: true
    )
  }

  /// Returns JSON converted to a type; null if it has another kind.
  func scalar(_ operand: Operand, as type: AttributeType) -> Operand {
    if let constant = operand.constant, case .json = constant {
      return Operand(constant: constant.read(as: type), source: operand.source)
    }
    return Operand(
      type: type,
      "depot_scalar(" + operand.fragment + ", \(type.functionCode))",
      isNullable: true,
      source: operand.source
    )
  }

  /// Translates a choice between values of one type, or between objects of one table.
  mutating func choice(
    _ parts: [QueryExpression],
    _ make: ([Fragment]) -> Fragment
  ) throws(DepotError) -> QueryTerm {
    let same = try alike(parts)
    guard let type = same.type else { return .operand(makeConstant(.null)) }
    let isNullable = same.layout != nil || same.isNullable
    return makeTerm(same.layout, type, make(same.fragments), isNullable: isNullable)
  }

  /// The parts of an expression, converted to their common type.
  struct Alike {
    /// The nearest common entity, if they are objects.
    var layout: EntityLayout?
    /// The type of the values; `nil` if all are null.
    var type: AttributeType?
    var fragments: [Fragment]
    var isNullable: Bool
  }

  /// Converts parts to their common type, or to identifiers of one table.
  mutating func alike(_ parts: [QueryExpression]) throws(DepotError) -> Alike {
    var objects: [QueryObject] = []
    var operands: [Operand] = []
    for part in parts {
      switch try term(part) {
      case .object(let object):
        objects.append(object)
        operands.append(object.operand)
      case .operand(let operand): operands.append(operand)
      default: throw invalid("Only values and objects can be chosen from or listed.", in: part)
      }
    }
    let isNullable = operands.contains(where: \.isNullable)
    if let first = objects.first {
      let isSame = objects.allSatisfy { $0.layout.root == first.layout.root }
      let isObjects = operands.allSatisfy { $0.root != nil || $0.isNull }
      guard isSame, isObjects else {
        throw invalid("Only objects of one hierarchy can be chosen from or listed.")
      }
      return Alike(
        layout: try common(objects),
        type: .int64,
        fragments: operands.map(\.fragment),
        isNullable: isNullable
      )
    }
    guard let type = try commonType(operands) else {
      return Alike(type: nil, fragments: operands.map(\.fragment), isNullable: true)
    }
    let promoted = try operands.map { operand throws(DepotError) in
      try promote(operand, to: type)
    }
    return Alike(type: type, fragments: promoted.map(\.fragment), isNullable: isNullable)
  }

  /// Returns the nearest common entity of objects.
  private func common(_ objects: [QueryObject]) throws(DepotError) -> EntityLayout {
    let lineages = objects.map { catalog.schema.lineage(of: $0.layout.entity).map(\.name) }
    let shared = (lineages.first ?? []).last { name in lineages.allSatisfy { $0.contains(name) } }
    return try catalog.layout(of: shared ?? objects[0].layout.root)
  }

  private func commonType(_ operands: [Operand]) throws(DepotError) -> AttributeType? {
    let numbers: Set<AttributeType> = [.int64, .double, .decimal]
    let fixed = Set(operands.filter { !$0.isConstant }.compactMap(\.type))
    let constants = Set(operands.filter(\.isConstant).compactMap(\.type))
    var all = fixed.isEmpty ? constants : fixed
    // An integer constant may have a wider type than the other parts.
    if all == [.int64], constants.isSubset(of: numbers) { all.formUnion(constants) }
    if all.count <= 1 || all.isSubset(of: numbers) || all.isSubset(of: [.string, .url]) {
      return AttributeType.common(all)
    }
    let names = all.map(\.rawValue).sorted().joined(separator: " and ")
    throw invalid("\(names) have no type in common.")
  }

  private func promote(_ operand: Operand, to type: AttributeType) throws(DepotError) -> Operand {
    guard let from = operand.type, from != type else { return operand }
    if let constant = operand.constant {
      guard let value = constant.converted(to: type) ?? number(constant, as: type) else {
        throw invalid("\(operand.source.spelling) can't be read as \(type.rawValue).")
      }
      return Operand(constant: value, source: operand.source)
    }
    // URLs are stored as text.
    if type == .string { return operand }
    return try convert(operand, to: type)
  }

  private func number(_ value: Value, as type: AttributeType) -> Value? {
    switch value {
    case .int64, .double, .decimal: type == .double ? value.cast(to: type) : nil
    default: nil
    }
  }
}
