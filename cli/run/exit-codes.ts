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
  1: 'Unexpected: a fault in the command or the machine.',
  2: 'Usage: an unknown command, option or value, or a question without a terminal. Nothing was sent.',
  3: 'Partly: some files failed; each is named. The same command retries only those.',
  4: 'Not signed in, or the credentials do not allow this.',
  5: 'Refused: by the service, or because a file exists. The same command again will not help.',
  6: 'Not verified: the bytes do not match their txids or CID, or less is proven than was asked for.',
  7: 'Temporary: no network, or the service is down or busy. The same command resumes later.',
  8: 'Pending: waits for a payment or for confirmations. The same command resumes.',
  9: 'The price is above the limit, or the balance is too low.',
  74: 'Not written: the disk is full, broken or read-only. When that is solved, the same command resumes.',
  130: 'Cancelled by Ctrl-C. The same command resumes.',
  143: 'Ended by SIGTERM. The same command resumes.',
}
