/// The form of 64-bit integers in replies.
package enum Int64Form: String, Hashable, Sendable {
  case number
  case string
}
