import { Haul } from '../src/index.ts'
import { findConnection } from './connection.ts'
import { Interrupted } from './exit-codes.ts'
import { painter, printJson } from './terminal/output.ts'
import { progressLine } from './terminal/progress.ts'

export interface OutputOptions {
  json?: true
  quiet?: true
}

/** A cancellation that takes less time is not mentioned. */
const SLOW_CANCEL_MS = 1_000

/** What a command works with: the API, the terminal, and the signal of Ctrl-C. */
export const openSession = async (options: OutputOptions) => {
  const isQuiet = options.quiet === true
  const progress = progressLine(process.stderr, { isQuiet })
  const { baseUrl, apiKey } = await findConnection()
  const signal = watchInterrupts(() => {
    progress.end()
    setTimeout(() => progress.note('Canceling. Press Ctrl-C again to stop at once.'), SLOW_CANCEL_MS).unref()
  })
  return {
    haul: new Haul({ baseUrl, apiKey, fetch: noticingFaults(baseUrl, (line) => !isQuiet && progress.note(line)) }),
    baseUrl,
    isJson: options.json === true,
    signal,
    progress,
    /** A line for the person at the terminal, on stderr. Left out with --quiet. */
    note: (line: string) => (isQuiet ? undefined : progress.note(line)),
    /** Prints the data of the API if --json was given, else what `text` prints. */
    print: (data: unknown, text: () => Promise<void>) => (options.json ? printJson(data) : text()),
    paint: painter(process.stdout),
    /** The columns of the terminal that tables may have. undefined: stdout is not a terminal. */
    tableColumns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
  }
}

export type Session = Awaited<ReturnType<typeof openSession>>

/** Requests are tried again for minutes. The first fault is said, so that nobody wonders about the silence. */
const noticingFaults = (baseUrl: string, note: (line: string) => void): typeof fetch => {
  let isNoted = false
  const noteOnce = (problem: string) => {
    if (!isNoted) note(`${baseUrl} ${problem}. Trying again.`)
    isNoted = true
  }
  return async (input, init) => {
    try {
      const response = await fetch(input, init)
      if (response.status === 429 || response.status === 503) noteOnce('is busy')
      else isNoted = false
      return response
    } catch (error) {
      if (!init?.signal?.aborted) noteOnce('cannot be reached')
      throw error
    }
  }
}

/**
 * A signal that is aborted by Ctrl-C or SIGTERM, so that the command can cancel its job. A second one ends the process
 * at once. `onInterrupt` tells the user what happens meanwhile.
 */
export const watchInterrupts = (onInterrupt: () => void): AbortSignal => {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      const interrupted = new Interrupted(name)
      if (controller.signal.aborted) process.exit(interrupted.exitCode)
      onInterrupt()
      controller.abort(interrupted)
    })
  }
  return controller.signal
}
