internal import Glibc

/// The system's users and groups (passwd(5), group(5), and other sources of nsswitch.conf(5)).
package enum UserDatabase {
  /// Returns the number of the user with this name or number; `nil` if there is no such user.
  ///
  /// A number is accepted even if no user has it. The corresponding C function is `getpwnam_r`.
  package static func user(_ name: String) -> UInt32? {
    number(name)
      ?? find { buffer, size in
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        let code = getpwnam_r(name, &entry, buffer, size, &found)
        return (code, found?.pointee.pw_uid)
      }
  }

  /// Returns the number of the group with this name or number; `nil` if there is no such group.
  ///
  /// A number is accepted even if no group has it. The corresponding C function is `getgrnam_r`.
  package static func group(_ name: String) -> UInt32? {
    number(name)
      ?? find { buffer, size in
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<group>?
        let code = getgrnam_r(name, &entry, buffer, size, &found)
        return (code, found?.pointee.gr_gid)
      }
  }

  /// Returns the name of a user; `nil` if no user has the number.
  ///
  /// The corresponding C function is `getpwuid_r`.
  package static func name(ofUser user: UInt32) -> String? {
    find { buffer, size in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = getpwuid_r(user, &entry, buffer, size, &found)
      return (code, found.map { String(cString: $0.pointee.pw_name) })
    }
  }

  /// The home folder of this process's user: `$HOME`, or else the database's; `nil` if it has none.
  package static var home: String? {
    let home =
      Process.environment("HOME")
      ?? find { buffer, size in
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        let code = getpwuid_r(Process.user, &entry, buffer, size, &found)
        return (code, found.map { String(cString: $0.pointee.pw_dir) })
      }
    return home.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func number(_ text: String) -> UInt32? {
    // The largest number means no change in chown(2), so it is no user's.
    UInt32(text).flatMap { $0 < .max ? $0 : nil }
  }

  /// Looks up an entry, with a buffer of up to 1 MiB.
  private static func find<Entry>(
    _ ask: (UnsafeMutablePointer<CChar>, Int) -> (code: Int32, entry: Entry?)
  ) -> Entry? {
    var size = 1024
    while size <= 1 << 20 {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      let (code, entry) = ask(buffer, size)
      guard code == ERANGE else { return entry }
      size *= 4
    }
    return nil
  }
}
