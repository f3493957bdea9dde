import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

/// A real service whose wall clock jumps, by a library that is loaded before the others.
///
/// It waits most of the time, and so is beside the other tests of the service.
@Suite struct WallClockTests {
  /// Adds the seconds that a file says to the wall clock, and to nothing else.
  private static let library = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <time.h>
    #include <unistd.h>

    int clock_gettime(clockid_t clock, struct timespec *time) {
      static int (*next)(clockid_t, struct timespec *);
      if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
      int result = next(clock, time);
      const char *path = getenv("WALL_CLOCK_OFFSET");
      if (result != 0 || clock != CLOCK_REALTIME || !path) return result;
      char text[32] = "";
      int file = open(path, O_RDONLY | O_CLOEXEC);
      if (file < 0) return result;
      if (read(file, text, sizeof text - 1) > 0) time->tv_sec += atoll(text);
      close(file);
      return result;
    }
    """

  private static let day = 86_400

  private let folder: TemporaryFolder
  private let environment: [String: String]
  private let daemon: TestDaemon

  init() throws {
    folder = try TemporaryFolder()
    let source = try folder.write(Self.library, to: "clock.c")
    let library = folder.path + "/clock.so"
    let compiler = Programs.isInstalled("cc") ? "cc" : "clang"
    let built = try Program.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"])
    try #require(built.status == 0, "\(built.errors)")
    environment = [
      "LD_PRELOAD": library, "WALL_CLOCK_OFFSET": try folder.write("0", to: "offset"),
    ]
    daemon = try TestDaemon(environment: environment)
  }

  /// Sets the wall clock of the service off by some seconds.
  private func set(_ seconds: Int) throws { _ = try folder.write("\(seconds)", to: "offset") }

  private func transactions() throws -> [HistoryTransaction] {
    var result: [HistoryTransaction] = []
    try daemon.connect().history { result.append($0) }
    return result
  }

  private func insert(_ connection: RawConnection, _ id: Int, key: String) throws -> JSONValue {
    let rows = #"{"entity":"Item","columns":["name"],"rows":[["\#(key)"]]}"#
    try connection.call(id, "insert", rows, #","key":"\#(key)""#)
    return try connection.receive()
  }

  @Test func `a clock that jumps drops no history and applies nothing twice`() throws {
    var results: [String: JSONValue] = [:]
    for (number, seconds) in [0, 40, 0, -40, 4000, 0, 40, 0].map({ $0 * Self.day }).enumerated() {
      // It jumps while the service runs, and while it is stopped.
      let isRunning = number % 2 == 0
      if isRunning { try set(seconds) }
      let key = "key \(number)"
      results[key] = try insert(RawConnection(daemon.socket), 1, key: key)
      // The first write after a start looks for keys that are too old.
      #expect(try daemon.terminate() == 0)
      if !isRunning { try set(seconds) }
      try daemon.start(environment: environment)
      let again = try RawConnection(daemon.socket)
      for (index, (key, result)) in results.enumerated() {
        let repeated = try insert(again, index + 1, key: key)
        #expect(repeated["ok"]?["ids"] == result["ok"]?["ids"], "\(key) after \(number)")
      }
      let dates = try transactions().compactMap(\.date)
      #expect(dates.count == results.count + 1)
      #expect(dates == dates.sorted())
    }
    #expect(try daemon.connect().count(Item.self) == results.count)
  }

  @Test func `times return to the wall clock`() async throws {
    let connection = try daemon.connect()
    for (number, seconds) in [40 * Self.day, 0].enumerated() {
      try set(seconds)
      try connection.insert([Item(name: "first \(number)")])
      // The clocks are also looked at while nothing is written.
      let clock = ContinuousClock()
      let end = clock.now + patience
      var difference = Double.infinity
      while abs(difference) > 2, clock.now < end {
        try await Task.sleep(for: .seconds(5))
        try connection.insert([Item(name: "\(UUID())")])
        let date = try #require(transactions().last?.date)
        difference = date.timeIntervalSinceNow - Double(seconds)
      }
      #expect(abs(difference) <= 2)
      let dates = try transactions().compactMap(\.date)
      #expect(dates == dates.sorted())
    }
  }
}
