/// Makes a predicate about a model from a closure.
///
/// The closure may use `let`, `if`, `guard`, and `switch`; comparisons, arithmetic, logic,
/// optional chains, casts, and operations of strings and collections; predicates and expressions
/// by `evaluate`. Parts that don't depend on the model may be any code; they are computed once,
/// when the predicate is made.
///
/// A predicate with more parameters is Foundation's. With a declaration for two here, the compiler
/// would complain about the number of parameters instead of a wrong property name.
@freestanding(expression)
public macro Predicate<T: PersistentModel>(
  _ body: (T) -> Bool
) -> Foundation.Predicate<T> = #externalMacro(module: "DepotMacroPlugin", type: "PredicateMacro")

/// Makes an expression about a model from a closure.
@freestanding(expression)
public macro Expression<T: PersistentModel, Output>(
  _ body: (T) -> Output
) -> Foundation.Expression<T, Output> =
  #externalMacro(module: "DepotMacroPlugin", type: "PredicateExpressionMacro")
