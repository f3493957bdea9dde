/// A value on its way from one user to the next, through a lock.
// because it has one user at a time
struct Unshared<Value>: @unchecked Sendable {
  let value: Value
}
