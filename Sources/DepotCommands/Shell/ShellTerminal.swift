internal import DepotLinux
internal import DepotProtocol

/// The terminal of the shell: it reads lines with a ``LineEditor`` and draws them.
final class ShellTerminal {
  private static let prompt = "depot> "

  /// Standard error, which shows the line, so that the output may be redirected.
  private let messages: Messages
  private let completion: (String) -> ShellCompletion
  private let input: Descriptor
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
  private var editor: LineEditor
  private var decoder = KeyDecoder()
  /// Keys that were typed ahead.
  private var keys: [Key] = []
  private var drawing = LineDrawing()

  init(
    _ input: Descriptor,
    _ messages: Messages,
    history: LineHistory,
    completion: @escaping (String) -> ShellCompletion
  ) {
    self.input = input
    self.messages = messages
    self.completion = completion
    editor = LineEditor(history: history) { CommandWords($0).isIncomplete }
  }

  deinit { buffer.deallocate() }

  /// The lines typed before.
  var history: LineHistory { editor.history }

  /// Reads a line; `nil` at the end of the input.
  func readLine() throws(DepotError) -> String? {
    guard let mode = Terminal.enterRawMode(input.number) else { return nil }
    // Bracketed paste marks pasted text.
    messages.write("\u{1B}[?2004h")
    defer {
      messages.write("\u{1B}[?2004l")
      Terminal.leaveRawMode(input.number, mode)
    }
    drawing.reset()
    draw()
    while true {
      while !keys.isEmpty {
        let event = editor.handle(keys.removeFirst())
        if case .line(let line)? = event {
          finish(line)
          return line
        }
        if event == .end {
          messages.write("\r\n")
          return nil
        }
        if let event { handle(event) }
      }
      draw()
      guard let count = try? input.read(into: buffer), count > 0 else { return nil }
      keys += decoder.receive(buffer[..<count])
    }
  }

  private func handle(_ event: LineEditor.Event) {
    switch event {
    case .complete: complete()
    case .clear:
      messages.write("\u{1B}[H\u{1B}[2J")
      drawing.reset()
    case .interrupt:
      messages.write("^C\r\n")
      drawing.reset()
    case .line, .end: break
    }
  }

  private func complete() {
    let completion = completion(editor.head)
    editor.insert(completion.insertion)
    guard !completion.choices.isEmpty else { return }
    let text = completion.text(width: messages.width).replacing("\n", with: "\r\n")
    draw(atEnd: true)
    messages.write("\r\n" + text)
    drawing.reset()
  }

  /// Draws a line for the last time, and moves the cursor below it.
  private func finish(_ line: String) {
    draw(Self.prompt, Array(line), cursor: line.count)
    messages.write("\r\n")
  }

  private func draw(atEnd: Bool = false) {
    let prompt = editor.search.map { "(\($0.isFound ? "search" : "not found") \"\($0.words)\"): " }
    draw(prompt ?? Self.prompt, editor.text, cursor: atEnd ? editor.text.count : editor.cursor)
  }

  private func draw(_ prompt: String, _ text: [Character], cursor: Int) {
    let width = messages.width
    messages.write(drawing.draw(prompt: prompt, text: text, cursor: cursor, width: width))
  }
}
