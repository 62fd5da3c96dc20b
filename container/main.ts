import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { readConfig } from './config.ts'
import { createGuard, systemLookup } from './egress/guard.ts'
import { socketFolderOf } from './egress/proxy.ts'
import { createHealth } from './health.ts'
import { errorFields, log } from './log.ts'
import { describeSource, probeTimeout } from './metadata.ts'
import { warmReader } from './sandbox/reader.ts'
import { checkSandbox } from './sandbox/state.ts'
import { acceptWeakSandbox } from './sandbox/walls.ts'
import { createContainerServer } from './server.ts'
import { createExtractor } from './source/extractor/extractor.ts'
import { createRecognizer } from './speech/recognizer.ts'
import { speechSettings } from './speech/recognizer-process.ts'
import { createSteps } from './steps/all-steps.ts'
import { runStep } from './steps/run.ts'
import { createStepPool } from './steps/step-pool.ts'

/** The container's process: its parts, its start and its shutdown. */
const config = readConfig(process.env)
/** Deletes all files of this instance. */
const deleteFiles = async () => {
  for (const folder of [config.WORK_DIR, socketFolderOf(config.WORK_DIR)]) {
    await rm(folder, { recursive: true, force: true })
  }
}
// An earlier process that was killed leaves its files behind.
await deleteFiles()

const guard = createGuard({ allow: config.ALLOW_PRIVATE_HOSTS, lookup: systemLookup })
if (config.SANDBOX === 'weak') acceptWeakSandbox()
const extractor = createExtractor({ python: config.HAUL_PYTHON, socketFolder: socketFolderOf(config.WORK_DIR) })
const recognizer = createRecognizer(speechSettings(process.env))
const tools = { guard, extractor, workRoot: config.WORK_DIR, log }

const stepFor = createSteps(recognizer)
const pool = createStepPool(config.ENGINE_CAPACITY, (order, stopping) =>
  runStep(order, stepFor(order), tools, stopping),
)
/** `npm start` shows what is written to stderr. */
const sandbox = await checkSandbox(extractor, (sentence) => console.error(sentence))
const health = createHealth(pool, { extractor, recognizer, sandbox })
const server = createContainerServer(
  {
    pool,
    health,
    mayWork: () => sandbox.mayWork,
    mayReach: guard.mayReach,
    probe: (request, disconnected) =>
      pool.probe(request.accountId, AbortSignal.any([disconnected, probeTimeout(request)]), (signal) =>
        describeSource(request, tools, signal),
      ),
  },
  config.ENGINE_TOKEN,
  log,
)

server.listen(config.PORT, config.HOST, () => {
  const { address, port } = server.address() as AddressInfo
  log('listening', { address, port, capacity: config.ENGINE_CAPACITY })
})
extractor.ready().catch((error) => log('extractor not ready', errorFields(error)))
// The first child would start while a caller waits.
warmReader().catch((error) => log('reader not ready', errorFields(error)))

/** Hosts kill a container a few seconds after SIGTERM. */
const SHUTDOWN_TIMEOUT_MS = 5_000

const stop = async (signal: NodeJS.Signals) => {
  log('stopping', { signal, running: pool.running })
  setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref()
  // The server stays open until then, so that new orders get a 503.
  await pool.stop()
  server.close()
  server.closeAllConnections()
  recognizer.stop()
  await extractor.close()
  await deleteFiles()
  log('stopped')
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
