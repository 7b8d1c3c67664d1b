/** The exit codes; any other number is a failure too. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  partly: 3,
  signIn: 4,
  refused: 5,
  notVerified: 6,
  temporary: 7,
  pending: 8,
  tooDear: 9,
  notWritten: 74,
  cancelled: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** One sentence for each, in numerical order; help and docs/command.md are generated from it. */
export const EXIT_MEANINGS: Record<ExitCode, string> = {
  0: 'Done.',
  1: 'Unexpected: a fault of the command or of the machine.',
  2: 'Usage: an unknown command, option or value, or a question that nobody could be asked. Nothing was sent.',
  3: 'Partly: some files failed, each is named. The same command sends only those.',
  4: 'Sign-in needed, or the key in use may not do this.',
  5: 'Refused: by the service or by a file that is in the way. The same command again will not help.',
  6: 'Not verified: the bytes are not what their name says.',
  7: 'Temporary: no network, or the service is down or busy. The same command later goes on.',
  8: 'Pending: it waits for money or for confirmations. The same command goes on.',
  9: 'Too dear, or too little balance.',
  74: 'Not written: the disk is full, broken or read-only. With room, the same command goes on.',
  130: 'Cancelled by Ctrl-C. What was done is kept, the same command goes on.',
  143: 'Ended by SIGTERM. What was done is kept, the same command goes on.',
}
