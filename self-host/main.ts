import { setTimeout as sleep } from 'node:timers/promises'
import { startSelfHosted } from './haul.ts'
import { log } from './log.ts'
import { readSettings } from './settings.ts'

/** `node self-host/main.ts`: runs Haul until a signal, or until the Workers runtime ends by itself. */
const STOP_TIMEOUT_MS = 8_000

const serve = async (): Promise<number> => {
  const stopRequested = new Promise<null>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(null))
  })
  const haul = await startSelfHosted(readSettings(process.env), process.env)
  const ended = await Promise.race([haul.ended, stopRequested])
  if (ended) console.error(ended.message)
  log('stopping')
  await Promise.race([haul.stop(), sleep(STOP_TIMEOUT_MS)])
  log('stopped')
  return ended ? 1 : 0
}

process.exit(
  await serve().catch((error: Error) => {
    console.error(error.message)
    return 1
  }),
)
