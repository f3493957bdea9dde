internal import DepotCommands
internal import Glibc

exit(DepotCommand.run(Array(CommandLine.arguments.dropFirst())))
