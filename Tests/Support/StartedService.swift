import DepotLinux
import Glibc

/// The services that programs start where there is none, each in a session of its own.
package enum StartedService {
  /// The environment of programs whose default socket and default store are in a folder of a test.
  package static func environment(in folder: String) -> [String: String?] {
    [
      "DEPOT_SOCKET": nil, "DEPOT_NO_START": nil, "XDG_RUNTIME_DIR": folder,
      "XDG_DATA_HOME": folder + "/data",
    ]
  }

  /// The default socket of such programs.
  package static func socket(in folder: String) -> String { folder + "/depot/depot.sock" }

  /// Kills the service that has a socket, and waits until it is gone; does nothing if there is none.
  package static func end(at socket: String) {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end {
      do throws(FileLock.Failure) {
        _ = try FileLock(path: socket + ".lock")
        return
      } catch .held(let process?) {
        kill(process, SIGKILL)
      } catch .held {
        // It hasn't written its number yet.
      } catch {
        return
      }
      usleep(2000)
    }
  }
}
