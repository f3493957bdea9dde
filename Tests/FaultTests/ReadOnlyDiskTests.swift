import Foundation
import TestSupport
import Testing

extension FaultTests {
  /// A file system that lets nobody write any more after an error, which nobody has mounted anew since.
  @Suite(.enabled(if: ReadOnlyDisk.canMount, "it takes root, ext4, and a loop device"))
  struct ReadOnlyDiskTests {
    /// Prints a line for each step: its name, and how it ended.
    private static let script = """
      mount -o loop,errors=remount-ro image disk
      set +e
      daemon=$1; depot="$2 --no-start --socket $place/s"
      serve() {
        $daemon --socket $place/s --data $place/disk/data "$@" 2>>log & process=$!
        for _ in $(seq 2000); do
          $depot service status 2>/dev/null | grep -q '"running":true' && return
          kill -0 $process 2>/dev/null || return
          sleep 0.01
        done
      }
      say() { local name=$1; shift; "$@" >out 2>err; echo "$name $? $(head -c 200 out | head -1)"; cat err >&2; }
      serve
      echo '{"entities":[{"name":"Item","attributes":[{"name":"name","type":"string"}]}]}' >schema
      say schema $depot schema apply schema
      say insert $depot insert Item name=a
      device=$(losetup -j $place/image -n -O NAME)
      echo 1 >/sys/fs/ext4/${device#/dev/}/trigger_fs_error
      say read $depot count Item
      say refused $depot insert Item name=b
      wait $process; echo "ended $?"
      for option in "" --read-only; do
        serve $option
        say count $depot count Item
        say refused $depot insert Item name=c
        kill $process; wait $process; echo "ended $?"
      done
      say check $daemon --data $place/disk/data --check
      cat log >&2
      """

    @Test func `all rows are served for reading and can be checked, and what to do is said`() throws
    {
      let folder = try TemporaryFolder()
      let body = try folder.write("place=$3\n" + Self.script, to: "body")
      let outcome = try Program.run(
        [
          "bash", "-c", ReadOnlyDisk.mounting + "unshare -m bash \(body) \"$1\" \"$2\" $place",
          "bash",
          Programs.daemon, Programs.depot,
        ]
      )
      let steps = outcome.output.split(separator: "\n").map { $0.split(separator: " ").prefix(2) }
      let statuses = steps.map { $0.joined(separator: " ") }
      #expect(
        statuses == [
          "schema 0", "insert 0", "read 0", "refused 69", "ended 70", "count 0", "refused 69",
          "ended 0", "count 0", "refused 69", "ended 0", "check 0",
        ],
        "\(outcome.output) \(outcome.errors)"
      )
      #expect(outcome.errors.contains("unavailable.readonly"), "\(outcome.errors)")
      #expect(outcome.errors.contains("dmesg"), "\(outcome.errors)")
      #expect(outcome.output.contains("is sound"), "\(outcome.output)")
      #expect(outcome.lines.filter { $0.hasPrefix("count 0 1") }.count == 2, "\(outcome.output)")
    }
  }
}

/// A file system of its own, which the test makes.
private enum ReadOnlyDisk {
  static let canMount =
    Programs.isRoot && (try? Program.run(["bash", "-c", mounting + "true"]).status) == 0

  /// Makes the file system, in a folder that goes with the script.
  static let mounting = """
    set -e
    place=$(mktemp -d); trap 'rm -rf $place' EXIT; cd $place
    truncate -s 64M image; mkfs.ext4 -q image; mkdir disk
    unshare -m true; test -d /sys/fs/ext4

    """
}
