internal import DepotProtocol
internal import DepotSQLite

/// A read that is ready to run.
protocol StatementPlan {
  var statement: ReadStatement { get set }

  init(_ operation: Operation, in catalog: Catalog) throws(DepotError)
}

extension StreamPlan: StatementPlan {
  init(_ operation: Operation, in catalog: Catalog) throws(DepotError) {
    switch operation {
    case .fetch(let request): try self.init(request, in: catalog)
    case .aggregate(let request): try self.init(request, in: catalog)
    default: throw DepotError(.bug, "\(operation.name) has no rows.")
    }
  }
}

extension ReadStatement: StatementPlan {
  var statement: ReadStatement {
    get { self }
    set { self = newValue }
  }

  init(_ operation: Operation, in catalog: Catalog) throws(DepotError) {
    switch operation {
    case .count(let request): try self.init(count: request, in: catalog)
    case .exists(let request): try self.init(exists: request, in: catalog)
    default: throw DepotError(.bug, "\(operation.name) has no single answer.")
    }
  }
}

/// A cache of plans for calls that differ only in constants, which are bound to the statements.
struct ShapedPlans<Plan: StatementPlan> {
  /// The most plans in the cache.
  private static var limit: Int { 256 }

  private var plans: [ObjectIdentifier: ShapedPlan<Plan>] = [:]

  /// Removes all plans, as after a change of the schema.
  mutating func removeAll() { plans = [:] }

  /// Returns the plan of a call, compiled unless a call of the same shape was earlier, with the
  /// statement that all calls of the shape share.
  ///
  /// The operation may belong to another call of the shape.
  mutating func read(
    _ operation: Operation,
    _ form: CallForm,
    in catalog: Catalog
  ) throws(DepotError) -> PlannedRead<Plan> {
    guard let shape = form.shape else { return PlannedRead(try Plan(operation, in: catalog)) }
    let key = ObjectIdentifier(shape)
    if let known = plans[key], known.suits(form) { return PlannedRead(known, form) }
    let operation = form.operation ?? operation
    let plan = try Plan(operation, in: catalog)
    if plans[key] == nil {
      if plans.count >= Self.limit { plans = [:] }
      plans[key] = ShapedPlan(plan, shape, form.constants, operation, in: catalog)
    }
    return PlannedRead(plan)
  }
}

/// The plan of a call.
struct PlannedRead<Plan: StatementPlan> {
  /// The plan, perhaps of another call of the shape; then the parameters have other values.
  let plan: Plan
  private let shaped: ShapedPlan<Plan>?
  private let form: CallForm

  fileprivate init(_ plan: Plan) { (self.plan, shaped, form) = (plan, nil, CallForm()) }

  fileprivate init(_ shaped: ShapedPlan<Plan>, _ form: CallForm) {
    (plan, self.shaped, self.form) = (shaped.plan, shaped, form)
  }

  /// Returns the call's value of a parameter.
  func value(_ parameter: Int) -> SQLiteValue {
    shaped?.value(parameter, form) ?? plan.statement.parameters[parameter]
  }

  /// Returns the statement with the call's values bound; the cache's connection is the same for
  /// all its plans.
  func prepared(on connection: Connection) throws(SQLiteError) -> Statement {
    guard let shaped else { return try connection.prepared(plan.statement) }
    let statement = try shaped.compiled(on: connection)
    for parameter in plan.statement.parameters.indices {
      try statement.bind(value(parameter), at: parameter + 1)
    }
    return statement
  }
}

/// The plan for calls of one shape.
private final class ShapedPlan<Plan: StatementPlan> {
  /// The parameter of a constant in the statement.
  private struct ParameterSource {
    var constant: Int
    /// Whether the constant is bound as a double.
    var isReal: Bool
  }

  /// Kept alive so that no other shape gets its identity.
  private let shape: CallShape
  let plan: Plan
  /// The constant of each parameter that differs between calls; `nil` if each call needs its own plan.
  private let places: [ParameterSource?]?
  /// The compiled statement, after the first run.
  private var statement: Statement?

  /// Finds the parameters by compiling plans with other constants.
  init(
    _ plan: Plan,
    _ shape: CallShape,
    _ constants: [Int64],
    _ operation: Operation,
    in catalog: Catalog
  ) {
    self.shape = shape
    self.plan = plan
    guard operation.hasConstantSQL(in: shape.variables) else {
      places = nil
      return
    }
    // Numbers that occur nowhere else, and that doubles can represent.
    let probes = (0..<2).map { turn in
      constants.indices.map { index in
        shape.variables.contains(index)
          ? Int64(2_718_281_828_459 + turn * 1_000_003 + index) : constants[index]
      }
    }
    let statements = probes.compactMap {
      try? Plan(shape.operation(constants: $0), in: catalog).statement
    }
    places = Self.places(plan.statement, statements, probes)
  }

  private static func places(
    _ statement: ReadStatement,
    _ others: [ReadStatement],
    _ probes: [[Int64]]
  ) -> [ParameterSource?]? {
    let count = statement.parameters.count
    guard others.count == probes.count,
      others.allSatisfy({
        $0.sql == statement.sql && $0.parameters.count == count && $0.isSlow == statement.isSlow
      })
    else { return nil }
    var places: [ParameterSource?] = []
    for parameter in 0..<count {
      let values = others.map { $0.parameters[parameter] }
      let own = statement.parameters[parameter]
      if values.allSatisfy({ $0 == own }) {
        places.append(nil)
        continue
      }
      func place(_ isReal: Bool, _ form: (Int64) -> SQLiteValue) -> ParameterSource? {
        let constant = probes[0].indices.first { constant in
          zip(values, probes).allSatisfy { $0 == form($1[constant]) }
        }
        return constant.map { ParameterSource(constant: $0, isReal: isReal) }
      }
      guard
        let place = place(false, SQLiteValue.integer) ?? place(true, { .real(Double($0)) })
      else { return nil }
      places.append(place)
    }
    return places
  }

  /// Returns the compiled statement.
  func compiled(on connection: Connection) throws(SQLiteError) -> Statement {
    if let statement { return statement }
    let compiled = try connection.statement(plan.statement.sql)
    statement = compiled
    return compiled
  }

  /// Whether a call of the shape has the same plan, except for its values.
  func suits(_ form: CallForm) -> Bool {
    guard let places else { return false }
    // An integer that no double equals stays an integer.
    return places.allSatisfy { place in
      guard let place, place.isReal else { return true }
      return Double(exactly: form.constant(place.constant)) != nil
    }
  }

  /// Returns a call's value of a parameter; `nil` if all calls have the plan's value.
  func value(_ parameter: Int, _ form: CallForm) -> SQLiteValue? {
    guard let place = places?[parameter] else { return nil }
    let constant = form.constant(place.constant)
    return place.isReal ? .real(Double(constant)) : .integer(constant)
  }
}

extension Operation {
  /// Whether a read's SQL is the same for all values of some integers in its predicate.
  ///
  /// That is so if they are compared with paths.
  fileprivate func hasConstantSQL(in constants: [Int]) -> Bool {
    if case .fetch(let request) = self,
      request.sort.contains(where: { $0.expression.isAboutNow })
    {
      return false
    }
    guard let predicate else { return true }
    var (position, compared) = (0, Set<Int>())
    predicate.note(isCompared: false, &position, in: &compared)
    return !predicate.isAboutNow && compared.isSuperset(of: constants)
  }
}

extension QueryExpression {
  fileprivate var isAboutNow: Bool { self == .now || children.contains(where: \.isAboutNow) }

  private var isPath: Bool {
    switch self {
    case .attribute, .member: true
    default: false
    }
  }

  /// Adds the positions of the integers that are compared with paths.
  fileprivate func note(
    isCompared: Bool,
    _ position: inout Int,
    in compared: inout Set<Int>
  ) {
    switch self {
    case .value(.int64):
      if isCompared { compared.insert(position) }
      position += 1
    case .comparison(_, let left, let right, _):
      left.note(isCompared: right.isPath, &position, in: &compared)
      right.note(isCompared: left.isPath, &position, in: &compared)
    case .between(let value, let low, let high):
      value.note(isCompared: false, &position, in: &compared)
      for bound in [low, high] {
        bound.note(isCompared: value.isPath, &position, in: &compared)
      }
    default:
      for child in children { child.note(isCompared: false, &position, in: &compared) }
    }
  }
}
