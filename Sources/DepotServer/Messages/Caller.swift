/// A call that waits for its answer while others are served.
struct Caller: Sendable {
  let connection: Int64
  let call: Int64
}
