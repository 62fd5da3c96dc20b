import { Interrupted } from './problems.ts'

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
