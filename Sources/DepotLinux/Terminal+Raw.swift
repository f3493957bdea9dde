internal import CDepotLinux
internal import Glibc

extension Terminal {
  /// The settings of a terminal, to be put back.
  package struct Mode {
    fileprivate var settings: termios
  }

  /// Makes a terminal give each byte as it is typed, and show none of them.
  ///
  /// Output is treated as before. The corresponding C functions are `tcgetattr` and `tcsetattr`.
  ///
  /// - Returns: The settings until now, or `nil` if the descriptor is no terminal.
  package static func enterRawMode(_ number: Int32) -> Mode? {
    var settings = termios()
    guard tcgetattr(number, &settings) == 0 else { return nil }
    let before = Mode(settings: settings)
    settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    settings.c_cflag |= tcflag_t(CS8)
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    // Reading waits for the first byte and no longer.
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    return tcsetattr(number, TCSADRAIN, &settings) == 0 ? before : nil
  }

  /// Puts settings back.
  package static func leaveRawMode(_ number: Int32, _ mode: Mode) {
    var settings = mode.settings
    tcsetattr(number, TCSADRAIN, &settings)
  }
}

extension FileSystem {
  /// Returns the names in a folder, sorted, with `/` after names of folders.
  ///
  /// There are none if it can't be read. The corresponding C function is `readdir`.
  package static func names(in folder: String) -> [String] {
    entries(of: folder).map { name in
      var status = stat()
      let isFolder = stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      return isFolder ? name + "/" : name
    }.sorted()
  }
}

extension Descriptor {
  /// Opens a file of the owner's only, creating it if need be, so that writing adds to its end.
  ///
  /// The corresponding C function is `open`.
  package static func open(appending path: String) throws(SystemError) -> Descriptor {
    Descriptor(
      try systemCall("open") {
        PathText.withBytes(path) { depot_open($0, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
      }
    )
  }
}
