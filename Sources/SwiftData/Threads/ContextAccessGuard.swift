private import DepotLinux
private import Foundation
internal import Synchronization

/// A guard that lets only one thread at a time use a context and its objects.
///
/// Two threads that change the same values at the same time would damage memory, so the second one
/// ends the program instead, with a message. A context may be passed from thread to thread; a
/// thread holds it only during a call, and not while the call runs code of the program.
final class ContextAccessGuard: Sendable {
  /// The number of the thread that is inside, with ``merging`` if that merges; 0 if there is none.
  private let user = Atomic<UInt>(0)
  /// Whether the context's actor has run a job.
  let hasActor = Atomic<Bool>(false)
  private let pendingEvents = Atomic<Bool>(false)

  /// Whether others have saved changes that no queue merges before the context is used.
  @inline(__always)
  var hasPendingEvents: Bool {
    get { pendingEvents.load(ordering: .relaxed) }
    set { pendingEvents.store(newValue, ordering: .relaxed) }
  }

  /// A bit that numbers of threads don't use.
  private static let merging: UInt = 1

  /// Lets the calling thread in; waits while another one merges the saves of others.
  ///
  /// - Parameter subject: The object in use, for the message where another thread is inside.
  /// - Returns: Whether it wasn't inside already; then ``end()`` has to follow.
  @inline(__always)
  func begin(_ subject: () -> String) -> Bool {
    let thread = DepotLinux.Thread.current
    let other = enter(thread)
    if other == 0 { return true }
    if other & ~Self.merging == thread { return false }
    wait(for: other, thread, subject)
    return true
  }

  /// Lets the calling thread in to merge.
  ///
  /// - Returns: Whether it wasn't inside already; `nil` if another one is, so that it can't merge now.
  func beginMerging() -> Bool? {
    let thread = DepotLinux.Thread.current
    let other = enter(thread | Self.merging)
    return other == 0 ? true : other & ~Self.merging == thread ? false : nil
  }

  @inline(__always)
  func end() { user.store(0, ordering: .releasing) }

  /// Lets a thread in if there is none; returns the thread that is inside.
  @inline(__always)
  private func enter(_ thread: UInt) -> UInt {
    user.compareExchange(expected: 0, desired: thread, ordering: .acquiring).original
  }

  @inline(never)
  private func wait(for first: UInt, _ thread: UInt, _ subject: () -> String) {
    var other = first
    while other != 0 {
      if other & Self.merging == 0 { Self.refuse(subject()) }
      sched_yield()
      other = enter(thread)
    }
  }

  /// Runs code of the program, and lets other threads in meanwhile.
  func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    let thread = user.load(ordering: .relaxed)
    guard thread & ~Self.merging == DepotLinux.Thread.current else { return try body() }
    end()
    defer { wait(for: enter(thread), thread) { "A context" } }
    return try body()
  }

  @inline(never)
  private static func refuse(_ subject: String) -> Never {
    endProgram(
      """
      \(subject) is used while another thread uses the same context. A context and its objects are \
      for one actor or thread at a time. Pass an object's persistentModelID to the other one, and \
      find the object there with model(for:).
      """
    )
  }
}

/// The lock of an object that is in no context, which the thread that has it may take again.
struct AttributeLock: ~Copyable {
  /// The number of the thread that has it; 0 if there is none.
  private let owner = Atomic<UInt>(0)

  /// Does something while no other thread does.
  @inline(__always)
  func callAsFunction<Result>(_ body: () -> Result) -> Result {
    let thread = DepotLinux.Thread.current
    let other = take(thread)
    if other == thread { return body() }
    if other != 0 { wait(thread) }
    defer { owner.store(0, ordering: .releasing) }
    return body()
  }

  @inline(__always)
  private func take(_ thread: UInt) -> UInt {
    owner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).original
  }

  @inline(never)
  private func wait(_ thread: UInt) { while take(thread) != 0 { sched_yield() } }
}

/// Ends the program with a message, which optimized programs would end without.
func endProgram(_ message: String) -> Never {
  #if !DEBUG
  FileHandle.standardError.write(Data("Fatal error: \(message)\n".utf8))
  #endif
  preconditionFailure(message)
}
