/** The command line or a local file is wrong: nothing was sent, or nothing more can be done. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The user pressed Ctrl-C, or the process was told to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('Interrupted.')
    this.exitCode = signal === 'SIGINT' ? 130 : 143
  }
}

/** What went wrong has been printed already. */
export class Reported extends Error {
  override readonly name = 'Reported'
  readonly exitCode: number

  constructor(exitCode: number) {
    super('Reported.')
    this.exitCode = exitCode
  }
}
