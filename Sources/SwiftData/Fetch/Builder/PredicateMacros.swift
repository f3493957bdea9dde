/// Makes a predicate about a model from a closure.
///
/// The closure may use `let`, `if`, `guard`, and `switch`; comparisons, arithmetic, logic, optional
/// chains, casts, and what strings and collections offer; predicates and expressions by
/// `evaluate`. What doesn't depend on the model may be anything; it is computed once, when the
/// predicate is made.
@freestanding(expression)
public macro Predicate<T: PersistentModel>(
  _ body: (T) -> Bool
) -> Foundation.Predicate<T> = #externalMacro(module: "DepotMacroPlugin", type: "PredicateMacro")

/// Makes a predicate about a model and another value from a closure.
@freestanding(expression)
public macro Predicate<T: PersistentModel, U>(
  _ body: (T, U) -> Bool
) -> Foundation.Predicate<T, U> =
  #externalMacro(module: "DepotMacroPlugin", type: "PredicateMacro")

/// Makes an expression about a model from a closure.
@freestanding(expression)
public macro Expression<T: PersistentModel, Output>(
  _ body: (T) -> Output
) -> Foundation.Expression<T, Output> =
  #externalMacro(module: "DepotMacroPlugin", type: "PredicateExpressionMacro")

/// Makes an expression about a model and another value from a closure.
@freestanding(expression)
public macro Expression<T: PersistentModel, U, Output>(
  _ body: (T, U) -> Output
) -> Foundation.Expression<T, U, Output> =
  #externalMacro(module: "DepotMacroPlugin", type: "PredicateExpressionMacro")
