import DepotProtocol
import TestSupport

/// A program in a terminal of its own (pty(7)), with somebody who waits for texts and types keys.
struct TerminalProgram {
  /// What is waited for, and then typed; an empty text is there after a moment.
  struct Step {
    var text: String
    var keys: String

    init(_ text: String, keys: String) {
      self.text = text
      self.keys = keys
    }
  }

  /// What the terminal got, and how the program ended; `nil` if it had to be killed.
  struct Result {
    var output: String
    var status: Int?
  }

  /// Runs a program until it ends.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - environment: What differs from this process's environment; an empty value isn't the same as none.
  ///   - columns: How wide the terminal is.
  ///   - steps: What the user does.
  /// - Returns: What could be seen.
  /// - Throws: ``TestFailure`` if there is no terminal.
  static func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    columns: Int = 80,
    steps: [Step] = []
  ) throws -> Result {
    let plan = JSONValue.object([
      "arguments": .array(arguments.map(JSONValue.string)),
      "environment": .object(environment.mapValues(JSONValue.string)),
      "columns": .int64(Int64(columns)),
      "steps": .array(steps.map { .array([.string($0.text), .string($0.keys)]) }),
    ])
    let outcome = try Program.python(source, [plan.text])
    let result = try JSONValue(parsing: Array(outcome.output.utf8))
    return Result(
      output: result["output"]?.string ?? "",
      status: result["status"]?.int64.map { Int($0) }
    )
  }

  private static let source = """
    import fcntl, json, os, pty, select, struct, sys, termios, time
    plan = json.loads(sys.argv[1])
    process, terminal = pty.fork()
    if process == 0:
        size = struct.pack("HHHH", 24, plan["columns"], 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        for name in ("PAGER", "DEPOT_PAGER", "LESS", "COLUMNS", "NO_COLOR"):
            os.environ.pop(name, None)
        os.environ["TERM"] = "xterm"
        os.environ.update(plan["environment"])
        os.execvp(plan["arguments"][0], plan["arguments"])
    output, seen, steps, last, quiet = b"", 0, plan["steps"], b"", 0
    end = time.monotonic() + 30
    status = None
    while time.monotonic() < end:
        while steps and (place := output.find(steps[0][0].encode(), seen)) >= 0:
            seen = place + len(steps[0][0].encode())
            if not steps[0][0]:
                time.sleep(0.5)
            last = steps.pop(0)[1].encode()
            os.write(terminal, last)
        if not select.select([terminal], [], [], 0.1)[0]:
            # A key that comes while less takes in an interrupt is lost, so it is typed again.
            quiet += 1
            if not steps and quiet % 20 == 0:
                os.write(terminal, last)
            continue
        quiet = 0
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            piece = b""
        if not piece:
            code = os.waitpid(process, 0)[1]
            status = os.waitstatus_to_exitcode(code)
            status = 128 - status if status < 0 else status
            break
        output += piece
    else:
        os.kill(process, 9)
    print(json.dumps({"output": output.decode(errors="replace"), "status": status}))
    """
}
