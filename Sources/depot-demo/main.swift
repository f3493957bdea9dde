import DepotLinux
import Foundation

exit(Demo.run(DepotLinux.Process.arguments))
