internal import DepotCommands
internal import Glibc

exit(DepotCommand.run())
