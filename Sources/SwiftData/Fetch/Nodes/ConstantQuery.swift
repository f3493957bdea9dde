internal import DepotProtocol

/// The evaluation of expressions without a row, as the service evaluates them.
enum ConstantQuery {
  static func isTrue(_ expression: QueryExpression) -> Bool { evaluator.isTrue(expression) }

  static func value(_ expression: QueryExpression) -> Value { evaluator.value(expression) }

  private static var evaluator: QueryEvaluator {
    QueryEvaluator(Nothing(), of: "", in: DepotProtocol.Schema(entities: []), now: Date())
  }

  /// A row that has nothing.
  private struct Nothing: EvaluationRow {
    var entityName: String { "" }
    var identifier: Int64 { 0 }
    var version: Int64 { 0 }
    func value(at path: String) -> Value { .null }
    func object(_ relationship: String) -> (any EvaluationRow)? { nil }
    func objects(_ relationship: String) -> [any EvaluationRow] { [] }
  }
}
