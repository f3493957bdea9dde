internal import DepotLinux
internal import DepotProtocol

/// The help of `depotd` and its page of the manual, made from the same tables.
enum DaemonHelp {
  /// The options that aren't settings.
  private static let options: [(spelling: String, help: String)] = [
    (
      "--config FILE",
      "a file of these settings without the hyphens, one in each line, as in \"slow-ms = 50\"; "
        + "SIGHUP reads who is let in and slow-ms from it again"
    ),
    (
      "--takeover",
      "take the place of the service at the socket: it finishes its calls and hands the "
        + "socket over, and no client is turned away; if this one fails, the other continues"
    ),
    (
      "--read-only",
      "write nothing to the store; so it is served in any case where its files can't be written"
    ),
    (
      "--accept-loss",
      "start although commits of the store are missing, as an earlier start reported; a log of "
        + "another store is set aside"
    ),
    (
      "--allow-uncertified",
      "with a database as the store: use a server that Depot isn't tested with, such as one "
        + "that is like PostgreSQL"
    ),
    (
      "--restore FILE",
      "put the backup FILE into the place of the store, in a file or a database, which no service "
        + "may have, say how far it is behind, and end"
    ),
    (
      "--replace",
      "with --restore: replace a store that is there; it is kept beside the new one as "
        + "\u{2026}.replaced-1, in a database as the schema depot_replaced_1"
    ),
    (
      "--read-tables FILE",
      "make a folder of tables of an SQLite file that isn't a store, --into DIR, which is there and "
        + "empty: tables.json, and the rows as lines of JSON; FILE isn't changed; as depot import "
        + "--apple uses it"
    ),
    (
      "--write-tables DIR",
      "make an SQLite file of such a folder, --into FILE; as depot export --sqlite uses it"
    ),
    ("--into PATH", "where the tables go"),
    (
      "--report-start",
      "write a line of JSON to the standard output when the service answers, with the member "
        + "\"ready\", or when it can't, with \"err\", and close it"
    ),
    (
      "--check",
      "examine the configuration and the whole store, report faults, and end; with status 66 if there "
        + "is no store yet"
    ),
    ("--print-protocol", "print the protocol as JSON, and end"),
    ("--print-manual", "print this program's page of the manual, and end"),
    ("--version", "print the version, and end"),
    ("--help", "print this help, and end"),
  ]

  private static let summary =
    "serves a store, and the stores that clients open beside it, on a "
    + "Unix socket"

  private static let examples = [
    "depotd", "depotd --socket /run/depot/depot.sock --data /var/lib/depot",
    "depotd --check --store ./depot.sqlite",
  ]

  private static let signals = """
    SIGTERM and SIGINT finish what runs and end; a second one ends at once. SIGHUP reads the \
    configuration and opens the log's file again.
    """

  private static let statuses = [
    (0, "ended as asked"), (64, "wrong usage, or a wrong configuration"),
    (66, "a file or folder is missing"), (69, "nothing can be written there"),
    (70, "the disk failed while it served"),
    (74, "the disk failed or has no room, or the store is damaged, as the message says"),
    (75, "another service has the store or the socket"), (77, "not permitted"),
  ]

  private static var all: [(String, String)] {
    Setting.all.map { ("--\($0.name) \($0.value)", $0.help) } + options
  }

  /// Returns the output of `depotd --help` for a width in columns.
  static func text(width: Int) -> String {
    var text = filled("depotd \(summary).", margin: 0, width) + "\nExamples:\n"
    text += examples.map { "  \($0)\n" }.joined()
    text += "\nOptions:\n" + all.map { row($0, $1, width) }.joined()
    text += "\n" + filled("Signals: " + signals, margin: 0, width)
    let list = statuses.map { "\($0) \($1)" }.joined(separator: "; ")
    return text + filled("Exit status: \(list).", margin: 0, width) + "\n"
  }

  /// The manual page depotd(8).
  static var manual: String {
    var page = ManualPage(
      name: "depotd",
      section: 8,
      source: "depot \(ProtocolVersion.software)",
      summary: "the service of an object store"
    )
    page.section("Synopsis")
    page.synopsis("depotd [options]")
    page.section("Description")
    page.prose("depotd \(summary). depot(1) is its command line.")
    page.section("Options")
    for (spelling, help) in all { page.item(spelling, help) }
    page.section("Configuration")
    page.prose(
      """
      The file of --config has a setting in each line: its name without the hyphens, and its value, with \
      spaces or = between them. A # at the start of a line or behind a space begins a comment. A wrong line \
      is told with the file and its number.
      """
    )
    page.commands(["# /etc/depot/depotd.conf", "allow-group = depot", "slow-ms = 50"])
    page.section("Signals")
    page.prose(signals)
    page.section("Exit status")
    for (status, meaning) in statuses { page.item("\(status)", meaning) }
    page.section("Environment")
    page.item("DEPOT_SOCKET", "where to listen unless --socket says it")
    page.item(
      "LISTEN_FDS, NOTIFY_SOCKET, WATCHDOG_USEC, JOURNAL_STREAM",
      "as systemd sets them: it listens on the socket that it was passed, tells when it is ready and that "
        + "it is alive, and marks the lines of its log with their priorities"
    )
    page.section("Examples")
    page.commands(examples)
    page.section("See also")
    page.prose("depot(1)")
    return page.text
  }

  /// The column where the descriptions of options begin.
  private static let column = 23

  private static func row(_ spelling: String, _ help: String, _ width: Int) -> String {
    let lines = filled(help, margin: column, width)
    guard spelling.utf8.count + 3 < column else { return "  \(spelling)\n" + lines }
    let padding = String(repeating: " ", count: column - 2 - spelling.utf8.count)
    return "  \(spelling)\(padding)" + lines.drop { $0 == " " }
  }

  /// Returns a text in lines that fit, each with a margin before it.
  private static func filled(_ text: String, margin: Int, _ width: Int) -> String {
    let indent = String(repeating: " ", count: margin)
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let line = lines.last, line.utf8.count + 1 + word.utf8.count <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(indent + word)
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
