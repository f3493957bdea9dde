/// An entity of a store that SwiftData or Core Data made.
struct AppleEntity: Hashable {
  /// The number by which rows and names of columns refer to it.
  var number: Int64
  var name: String
  /// The number of the parent; 0 if it has none.
  var parent: Int64
  /// The table of its rows, shared by the whole hierarchy.
  var table: String
}
