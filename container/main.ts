import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { readConfig } from './config.ts'
import { createGuard } from './egress/guard.ts'
import { systemLookup } from './egress/lookup.ts'
import { socketFolder } from './egress/socket-folder.ts'
import { createHealth } from './health.ts'
import { described, log } from './log.ts'
import { describeSource } from './metadata.ts'
import { createEngineServer } from './server.ts'
import { createExtractor } from './source/extractor/extractor.ts'
import { createRecognizer } from './speech/engine/recognizer.ts'
import { speechSettings } from './speech/engine/settings.ts'
import { createDesk } from './steps/desk.ts'
import { createSteps } from './steps/registry.ts'
import { runStep } from './steps/run.ts'

/** The container's process: what it is made of, how it starts, and how it ends. */
const config = readConfig(process.env)
const guard = createGuard({ allow: config.ALLOW_PRIVATE_HOSTS, lookup: systemLookup })
const extractor = createExtractor({ python: config.HAUL_PYTHON })
const recognizer = createRecognizer(speechSettings(process.env))
const tools = { guard, extractor, workRoot: config.WORK_DIR, log }

const stepFor = createSteps(recognizer)
const desk = createDesk(config.ENGINE_CAPACITY, (order, stopping) => runStep(order, stepFor(order), tools, stopping))
const health = createHealth(desk, { extractor, recognizer })
const server = createEngineServer(
  { desk, health, probe: (order) => describeSource(order, tools), mayReach: guard.mayReach },
  config.ENGINE_TOKEN,
  log,
)

/** All that this instance has in the file system. */
const sweep = async () => {
  for (const folder of [config.WORK_DIR, socketFolder(config.WORK_DIR)]) {
    await rm(folder, { recursive: true, force: true })
  }
}

// What an earlier process left behind when it was killed.
await sweep()
server.listen(config.PORT, config.HOST, () => {
  const { address, port } = server.address() as AddressInfo
  log('listening', { address, port, capacity: config.ENGINE_CAPACITY })
})
extractor.ready().catch((error) => log('the extractor is not ready', described(error)))

/** Hosts stop containers without notice and kill what is still there a few seconds later. */
const LAST_MOMENT_MS = 5_000

const stop = async (signal: NodeJS.Signals) => {
  log('stopping', { signal, running: desk.running })
  setTimeout(() => process.exit(1), LAST_MOMENT_MS).unref()
  // Meanwhile the server answers that it takes nothing more.
  await desk.stop()
  server.close()
  server.closeAllConnections()
  recognizer.stop()
  await extractor.close()
  await sweep()
  log('stopped')
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
