import DepotLinux
import Foundation

exit(Bench.run(Array(DepotLinux.Process.arguments.dropFirst())))
