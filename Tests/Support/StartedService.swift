import DepotLinux
import Glibc

/// The services that programs start where there is none, each in a session of its own.
package enum StartedService {
  /// Kills the service that has a socket, and waits until it is gone; does nothing if there is none.
  package static func end(at socket: String) {
    let end = ContinuousClock.now + .seconds(10)
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
