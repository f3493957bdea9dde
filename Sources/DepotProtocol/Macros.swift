/// Gives a type an initializer with a parameter for each stored property, as visible as the type.
///
/// A property that has a value, or may be `nil`, needs no argument; a private one has no parameter.
///
/// - Parameter unlabelled: The names of the properties whose arguments have no labels.
@attached(member, names: named(init))
package macro Memberwise(_ unlabelled: String...) =
  #externalMacro(module: "DepotMacroPlugin", type: "MemberwiseMacro")

/// Gives the enumeration of operations the index of each case, and passes the members of requests.
@attached(member, names: named(ordinal), named(members))
macro OperationCases() =
  #externalMacro(module: "DepotMacroPlugin", type: "OperationCasesMacro")
