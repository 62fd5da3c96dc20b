import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { restore } from './backup/restore.ts'
import { dataFolder, hasState } from './data/data-folder.ts'
import { readSecrets } from './data/secrets.ts'
import { log } from './log.ts'
import { readSettings, type Settings, withEnvironment } from './settings.ts'
import { readBuild } from './worker/worker-build.ts'

/** `node self-host/main.ts [backup | restore [--replace] | admin-token | api-key]`. Without a command it runs Haul. */
const STOP_TIMEOUT_MS = 8_000

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
  // The last line of a start: everything is ready, and signals stop the server.
  log('listening', { port: settings.port, internalPort: settings.enginePort, runtimePid: haul.runtimePid })
  const ended = await Promise.race([haul.ended, stopRequested])
  if (ended) console.error(ended.message)
  log('stopping')
  await Promise.race([haul.stop(), sleep(STOP_TIMEOUT_MS)])
  log('stopped')
  return ended ? 1 : 0
}

/**
 * Miniflare's listeners end the process at once, which is right during the start. Ours is added before they are
 * removed, because Node loses a signal that nobody listens to.
 */
const signaled = (): Promise<null> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const others = process.listeners(signal)
      process.on(signal, () => resolve(null))
      for (const other of others) process.removeListener(signal, other)
    }
  })

/** A command that an operator runs beside the server. It prints its result on stdout, or throws a sentence. */
type Command = (settings: Settings, args: string[]) => Promise<void>

const ask = async ({ dataDir }: Settings, path: string): Promise<IncomingMessage> => {
  const asked = request({ socketPath: dataFolder(dataDir).socket, method: 'POST', path })
  asked.end()
  const [response] = (await once(asked, 'response').catch(() => {
    throw new Error(`Haul is not running with ${dataDir}.`)
  })) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error((await response.toArray()).join(''))
  return response
}

const backup: Command = async (settings) => {
  if (process.stdout.isTTY) throw new Error('Redirect the backup into a file: backup > haul.tar')
  await pipeline(await ask(settings, '/backup'), process.stdout).catch((error: Error) => {
    throw new Error(`The backup is not complete: ${error.message}`)
  })
}

const restoreCommand: Command = async ({ dataDir, buildDir }, args) => {
  if (process.stdin.isTTY) throw new Error('Pass the backup on stdin: restore < haul.tar')
  const { migrations } = await readBuild(buildDir)
  const { createdAt, files, replaced } = await restore({
    folder: dataFolder(dataDir),
    archive: process.stdin,
    replace: args.includes('--replace'),
    knownMigrations: migrations.map(({ name }) => name),
  })
  console.log(`Restored the backup of ${createdAt} (${files} files).`)
  if (replaced) console.log(`What was here before is in ${replaced}.`)
}

const adminToken: Command = async ({ dataDir }) => {
  const folder = dataFolder(dataDir)
  if (!(await hasState(folder))) throw new Error(`There is no data in ${dataDir} yet: start Haul first.`)
  console.log(withEnvironment(await readSecrets(folder.secretsFile), process.env).ADMIN_TOKEN)
}

const apiKey: Command = async (settings) => {
  console.log((await (await ask(settings, '/api-key')).toArray()).join(''))
}

const commands: Record<string, Command> = {
  backup,
  restore: restoreCommand,
  'admin-token': adminToken,
  'api-key': apiKey,
}

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
