internal import DepotLinux
package import DepotProtocol

/// The service's program as a tool for files that no service has.
///
/// It knows SQLite, which clients don't contain, and runs with the rights of this process.
package struct ServiceTool {
  private let process: ChildProcess

  /// Starts the program.
  ///
  /// - Throws: ``DepotError`` `unavailable.service` if there is none or it can't be started.
  package init(_ arguments: [String]) throws(DepotError) {
    guard let program = ServiceStarter.findDaemon() else {
      throw DepotError(.noService, "There is no depotd, which reads and writes stores.")
        .hint("Put depotd beside this program or into PATH, or name it in DEPOT_DAEMON.")
    }
    do throws(SystemError) {
      process = try ChildProcess([program] + arguments, output: .captured)
    } catch {
      throw DepotError(.noService, "\(program) can't be started (\(error)).")
    }
  }

  /// Waits for the end.
  ///
  /// - Returns: The exit status, and the standard output.
  package func finish() throws(DepotError) -> (status: Int32, output: [UInt8]) {
    do throws(SystemError) {
      let output = try process.capturedOutput()
      return (process.wait(), output)
    } catch {
      throw DepotError(.noService, "The output of depotd can't be read (\(error)).")
    }
  }

  /// Waits for the end, and for a line of JSON with the member `ok`.
  ///
  /// - Returns: The value of `ok`.
  /// - Throws: The ``DepotError`` that the line has in the member `err`, or `unavailable.service` if there is no
  ///   such line.
  package func result() throws(DepotError) -> JSONValue {
    let (status, line) = try finish()
    if let error = ServiceStarter.failure(in: line) { throw error }
    guard let value = try? JSONValue(parsing: line)["ok"] else {
      throw DepotError(.noService, "depotd ended with status \(status), and said nothing.")
    }
    return value
  }
}
