import DepotServer
import Glibc

exit(DaemonCommand.run())
