import DepotLinux
import DepotProtocol
import Synchronization
import TestSupport
import Testing

/// Writers and watchers at several services, and the check of what they were told.
final class ClusterRun: Sendable {
  let ledger = Ledger()
  private let services: [ClusterService]
  private let writerCount: Int
  private let seed: UInt64
  /// The moment before the first write.
  private let start: String
  private let watchers = Mutex<[ClusterWatcher]>([])
  private let subscribers = Mutex<[ClusterSubscriber]>([])
  private let isOver = Atomic(false)
  /// The last transaction, when all writers have ended.
  private let end = Mutex<String?>(nil)

  /// Defines the schema, through the first of the services.
  init(_ services: [ClusterService], writers: Int, seed: UInt64) async throws {
    self.services = services
    writerCount = writers
    self.seed = seed
    start = try await onThread {
      let connection = try LineConnection(services[0].socket)
      try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
      let head = try ClusterCheck.head(of: services[0])
      for service in services {
        // Its readers see the commit a moment before they are given the schema.
        try expectSoon("\(service.name) has no schema") {
          let count = try LineConnection(service.socket).call("count", #"{"entity":"Item"}"#)
          return try count.result != nil && ClusterCheck.head(of: service) == head
        }
      }
      return head
    }
  }

  /// Has all write and watch while something happens to the services.
  func work<Result: Sendable>(
    while body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await onThread { [self] in
      var first = ClusterWriter(0, services, home: 0, ledger, seed: seed) { false }
      try first.begin()
    }
    async let watched: Void = watch()
    async let written: Void = write()
    let result: Result
    do {
      result = try await onThread(body)
      isOver.store(true, ordering: .sequentiallyConsistent)
    } catch {
      isOver.store(true, ordering: .sequentiallyConsistent)
      end.withLock { $0 = $0 ?? "" }
      throw error
    }
    try await written
    let head = try await onThread { [self] in
      ledger.entries.max { $0.sequence < $1.sequence }?.token ?? start
    }
    end.withLock { $0 = head }
    try await watched
    return result
  }

  private func write() async throws {
    try await withThrowingTaskGroup { [self] group in
      for number in 1...writerCount {
        group.addTask {
          try await onThread { [self] in
            let home = number % services.count
            var writer = ClusterWriter(number, services, home: home, ledger, seed: seed) { [self] in
              isOver.load(ordering: .sequentiallyConsistent)
            }
            try writer.run()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func watch() async throws {
    try await withThrowingTaskGroup { [self] group in
      for service in services {
        group.addTask {
          let watcher = try await onThread { [self] in
            var watcher = ClusterWatcher(service, since: start)
            try watcher.run { [self] in end.withLock { $0 } }
            return watcher
          }
          self.watchers.withLock { $0.append(watcher) }
        }
        group.addTask {
          let subscriber = try await onThread { [self] in
            var subscriber = ClusterSubscriber(service)
            try subscriber.run { [self] in end.withLock { $0 } }
            return subscriber
          }
          self.subscribers.withLock { $0.append(subscriber) }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Records an issue for all that isn't as clients were told, and returns what the store has.
  func check() async throws -> ClusterCheck.Content {
    try await onThread { [self] in
      let check = try ClusterCheck(services, ledger, since: start)
      check.checkLedger()
      for watcher in watchers.withLock({ $0 }) { check.check(watcher) }
      for subscriber in subscribers.withLock({ $0 }) {
        #expect(subscriber.complaints.isEmpty, "\(subscriber.complaints)")
      }
      return try check.checkContents()
    }
  }

  /// Returns what a store in a file has after the same writes.
  func replay() throws -> ClusterCheck.Content {
    try ClusterCheck(services, ledger, since: start).replay()
  }
}
