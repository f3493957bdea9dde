import TestSupport
import Testing

extension CommandTests {
  /// The completions in real shells, as far as they are installed.
  @Suite(.serialized) struct ShellCompletionTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
    }

    /// A line as it is typed, and how it goes on after the Tab key.
    static let lines = [
      ("depot fet", "ch "), ("depot fetch It", "em "), ("depot fetch Item --sort na", "me"),
      ("depot fetch Item --where 'na", "me"), ("depot fetch Item --where \"n > 3 AND na", "me"),
      ("depot count Item 'name == \"é\" AND na", "me"), ("depot fetch Item --sort n:de", "sc"),
      ("depot help pre", "dicates "),
    ]

    private static let scripts = [
      "bash": (
        ["bash", "--norc", "--noprofile", "-i"], "PS1='$ '; . <(depot completions bash)"
      ),
      "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='$ '; autoload -U compinit; compinit -u -D; . <(depot completions zsh)"
      ),
      "fish": (
        ["fish", "--no-config", "-i"],
        "function fish_prompt; echo '$ '; end; depot completions fish | source"
      ),
    ]

    @Test(arguments: ["bash", "zsh", "fish"].filter(Programs.isInstalled), lines)
    func `Tab completes verbs, entities, paths, and predicates`(
      shell: String,
      line: (String, String)
    ) throws {
      let (command, setup) = try #require(Self.scripts[shell])
      let result = try TerminalProgram.run(
        command,
        environment: [
          "PATH": Programs.folder + ":/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
          "DEPOT_SOCKET": daemon.socket, "HOME": daemon.folder.path,
        ],
        columns: 120,
        steps: [
          // Keys may be typed before there is a prompt.
          .init("", keys: setup + "; echo re''ady\r"),
          .init("ready", keys: ""), .init("$ ", keys: line.0 + "\t"),
          // What the Tab key typed is the end of what was shown.
          .init(line.0, keys: ""), .init(line.1.trimmed, keys: "\u{15}exit\r"),
        ]
      )
      #expect(result.status != nil, "\(line) \(result.output)")
    }
  }
}

extension String {
  /// The text without a space at its end.
  fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}
