/// A struct of functions that SQLite calls, allocated until the process ends.
// because nothing changes it once it is made
struct FunctionTable<Functions>: @unchecked Sendable {
  let pointer: UnsafePointer<Functions>

  init(_ functions: Functions) {
    let memory = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
    memory.initialize(to: functions)
    pointer = UnsafePointer(memory)
  }
}
