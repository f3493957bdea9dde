import Foundation
import TestSupport
import Testing

/// The files that are installed beside the programs.
@Suite struct PackagingTests {
  private static let folder = Programs.root + "/Sources/depotd/Packaging"

  @Test func `what is installed and removed is what is assembled`() throws {
    let folder = try TemporaryFolder()
    let files = folder.path + "/files"
    let outcome = try Program.run([
      Self.folder + "/assemble", "files", Programs.folder, files,
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let assembled = try FileManager.default.subpathsOfDirectory(atPath: files).filter { path in
      (try? FileManager.default.contentsOfDirectory(atPath: "\(files)/\(path)")) == nil
    }
    let makefile = try String(contentsOfFile: Programs.root + "/Makefile", encoding: .utf8)
    let list =
      makefile.components(separatedBy: "INSTALLED := ").dropFirst().first?
      .components(separatedBy: "\nplace").first?.split { " \\\n".contains($0) } ?? []
    #expect(Set(assembled) == Set(list.map(String.init)))
    for name in assembled {
      #expect(FileManager.default.contents(atPath: "\(files)/\(name)")?.isEmpty == false)
    }
    let plan = try Program.run(
      ["make", "-n", "-C", Programs.root, "uninstall", "PREFIX=/p"],
      environment: ["MAKEFLAGS": nil, "MAKELEVEL": nil]
    ).output
    for path in ["man/man8/depotd.8", "man/man7/depot-schema.7", "man/man1/depot.1"] {
      #expect(plan.contains(" /p/share/\(path) "), "\(plan)")
    }
    #expect(plan.contains(" /p/share/bash-completion/completions/depot "))
    #expect(!plan.contains("completions/bash"))
  }

  @Test func `packages are installed when the program that is in the way has ended`() throws {
    let folder = try TemporaryFolder()
    let calls = folder.path + "/calls"
    let tool = try folder.write(
      """
      #!/bin/sh
      echo "$@" >> \(calls)
      [ "$(wc -l < \(calls))" -ge 4 ] && exit 0
      echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7." >&2
      exit 100
      """,
      to: "apt-get"
    )
    _ = try folder.write("#!/bin/sh\nexec \"$@\"\n", to: "sudo")
    for path in [tool, folder.path + "/sudo"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
    let outcome = try Program.run(
      ["sh", "-c", "exec 3>&1; \(Programs.root)/.ci/install-packages one two > /dev/null"],
      environment: [
        "PATH": folder.path + ":/usr/bin:/bin", "DEPOT_APT_PAUSE": "0",
      ]
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "Another program installs packages; waiting until it has ended.\n")
    let lines = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n")
    #expect(
      lines == ["update -qq", "update -qq", "update -qq", "update -qq", "install -y -qq one two"]
    )
  }

  @Test(.enabled(if: Programs.isInstalled("systemd-analyze"), "there is no systemd"))
  func `the service may do hardly more than it needs`() throws {
    // 20 is an exposure of 2.0.
    let outcome = try Program.run([
      "systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager",
      Self.folder + "/debian/depotd.service",
    ])
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.output.contains("Overall exposure level"))
  }

  @Test func `the settings that the packages come with are understood`() throws {
    let folder = try TemporaryFolder()
    let text = try String(contentsOfFile: Self.folder + "/depotd.conf", encoding: .utf8)
    // A line that is a comment because it is the default is a setting as well.
    let lines = text.split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    #expect(lines.contains("allow-group = depot"))
    // This machine needn't have the group.
    let file = try folder.write(
      lines.joined(separator: "\n").replacing("= depot", with: "= root"),
      to: "depotd.conf"
    )
    let outcome = try Program.run([
      Programs.daemon, "--config", file, "--check", "--store", folder.path + "/none.sqlite",
    ])
    // The settings come first, and then the store, which isn't there.
    #expect(outcome.status == 66, "\(outcome.errors)")
    #expect(outcome.errors.contains("There is no store at"), "\(outcome.errors)")
  }
}
