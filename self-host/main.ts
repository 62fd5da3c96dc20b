import { setTimeout as sleep } from 'node:timers/promises'
import { commands } from './commands.ts'
import { log } from './log.ts'
import { readSettings, type Settings } from './settings.ts'

/** `node self-host/main.ts [backup | restore [--replace] | admin-token | api-key]`. Without a command it runs Haul. */
const STOP_TIMEOUT_MS = 8_000

/** Until a signal, or until the Workers runtime ends by itself. */
const serve = async (settings: Settings): Promise<number> => {
  // Loads miniflare, which commands do not need.
  const { startSelfHosted } = await import('./haul.ts')
  const haul = await startSelfHosted(settings, process.env)
  const stopRequested = signaled()
  if (haul.isNew) {
    log('first start', {
      apiKey: 'Run `docker compose exec haul api-key` to make one.',
      adminToken: 'Run `docker compose exec haul admin-token` to read it.',
    })
  }
  // The last line of a start: who reads it may rely on all the others, and on signals.
  log('listening', { port: settings.port, internalPort: settings.enginePort, runtimePid: haul.runtimePid })
  const ended = await Promise.race([haul.ended, stopRequested])
  if (ended) console.error(ended.message)
  log('stopping')
  await Promise.race([haul.stop(), sleep(STOP_TIMEOUT_MS)])
  log('stopped')
  return ended ? 1 : 0
}

/**
 * During the start, miniflare's own listener ends the process at once, which is right. From now on ours takes its place.
 * It is added first, because Node loses a signal that comes while nobody listens.
 */
const signaled = (): Promise<null> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const others = process.listeners(signal)
      process.on(signal, () => resolve(null))
      for (const other of others) process.removeListener(signal, other)
    }
  })

const run = async ([name, ...args]: string[]): Promise<number> => {
  const settings = readSettings(process.env)
  if (name === undefined) return serve(settings)
  const command = commands[name]
  if (!command) throw new Error(`Commands: ${Object.keys(commands).join(', ')}.`)
  await command(settings, args)
  return 0
}

process.exit(
  await run(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message)
    return 1
  }),
)
