import type { Environment } from '../domain/settings/settings.ts'
import { type Running, startControl } from './control.ts'
import { type DataFolder, dataFolder, hasState, openDataFolder } from './data/data-folder.ts'
import { ensureOwner, newApiKey } from './data/owner.ts'
import { readSecrets, writePrivately } from './data/secrets.ts'
import { engineServer, listen, publicServer } from './servers/listeners.ts'
import { ENGINE_ADDRESS, openPositions } from './servers/positions.ts'
import { reachableNetworks, type Settings, withEnvironment, workerVariables } from './settings.ts'
import { startRuntime } from './worker/runtime.ts'
import { readBuild } from './worker/worker-build.ts'

/** Haul without its engines: the Worker, its data, and the servers in front of it. */
export const startSelfHosted = async (settings: Settings, env: Environment) => {
  const folder = dataFolder(settings.dataDir)
  const isNew = !(await hasState(folder))
  await openDataFolder(folder)
  const opened: Opened[] = []
  const open = async <One extends Opened>(opening: Promise<One>): Promise<One> => {
    const one = await opening
    opened.push(one)
    return one
  }
  const stop = async () => {
    for (const one of opened.toReversed()) await one.stop()
  }
  try {
    let running: Running | null = null
    // First, because the process that listens there owns the folder.
    await open(startControl(folder, () => running))
    const positions = await open(openPositions(settings.engines))
    const options = await runtimeOptions(settings, env, folder, positions.urls)
    const runtime = await open(startRuntime(options))
    const operated = { workerUrl: runtime.workerUrl, adminToken: options.variables.ADMIN_TOKEN ?? '' }
    const ownerId = await ensureOwner(folder, operated)
    const migrations = options.build.migrations.map(({ name }) => name)
    running = { runtime, migrations, newApiKey: () => newApiKey(operated, ownerId) }
    await open(listen(engineServer(runtime), settings.engineHost, settings.enginePort, 'INTERNAL_PORT'))
    await open(listen(publicServer(runtime, settings.internalUrl.host), settings.host, settings.port, 'PORT'))
    return { isNew, runtimePid: runtime.pid, ended: runtime.crashed, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Opened {
  stop(): Promise<unknown>
}

const runtimeOptions = async (settings: Settings, env: Environment, folder: DataFolder, engineUrls: string[]) => {
  const build = await readBuild(settings.buildDir)
  const secrets = withEnvironment(await readSecrets(folder.secretsFile), env)
  if (settings.engineTokenFile) await writePrivately(settings.engineTokenFile, secrets.ENGINE_TOKEN)
  const variables = workerVariables({ ...settings, defaults: build.worker.bindings, env, secrets, engineUrls })
  return {
    build,
    storage: folder.storage,
    variables,
    s3: { accessKeyId: secrets.MEDIA_S3_ACCESS_KEY_ID, secretAccessKey: secrets.MEDIA_S3_SECRET_ACCESS_KEY },
    toolsHost: settings.internalUrl.hostname,
    reachable: reachableNetworks(ENGINE_ADDRESS, variables.ALLOW_PRIVATE_HOSTS ?? ''),
  }
}
