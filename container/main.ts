import { mkdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasSourceProxy } from '../domain/network/source-proxies.ts'
import { readConfig, speakerSettings, speechSettings, usableBytes } from './config.ts'
import { createGuard, systemLookup } from './egress/guard.ts'
import { socketFolderOf } from './egress/proxy.ts'
import { createHealth } from './health.ts'
import { log, stepLog } from './log.ts'
import { followList } from './lookups/follow.ts'
import { inspectStored } from './lookups/inspect.ts'
import { describeSource, listItems } from './lookups/metadata.ts'
import { setLauncherPython } from './sandbox/launch/launcher.ts'
import { warmReader } from './sandbox/reader.ts'
import { acceptWeakSandbox, checkSandbox } from './sandbox/walls.ts'
import { createContainerServer } from './server.ts'
import { createExtractors } from './source/extractor/versions/extractors.ts'
import { createReleases } from './source/extractor/versions/releases.ts'
import { createAccessMemory } from './source/routes/accesses.ts'
import { createTokenProvider } from './source/tokens/token-provider.ts'
import { checkMountedModels } from './speech/models.ts'
import { createRecognizer } from './speech/recognizer.ts'
import { createSpeakerFinder } from './speech/speakers.ts'
import { createSteps } from './steps/all-steps.ts'
import { createDisk } from './steps/disk.ts'
import { createStepPool, runStep } from './steps/run.ts'
import { createTurns } from './steps/turns.ts'
import { warmUp } from './warm-up.ts'

const config = readConfig(process.env)
const speech = speechSettings(process.env)
await checkMountedModels(speech).catch((error) => {
  console.error(error.message)
  process.exit(1)
})
const socketFolder = socketFolderOf(config.WORK_DIR)
const deleteFiles = async () => {
  for (const folder of [config.WORK_DIR, socketFolder]) await rm(folder, { recursive: true, force: true })
}
// An earlier process that was killed leaves its files behind.
await deleteFiles()
await mkdir(config.WORK_DIR, { recursive: true })

const { sourceProxies, HAUL_PYTHON: python } = config
const providerUrl = config.POT_PROVIDER_URL
const providerHosts = providerUrl ? [providerUrl.hostname.replace(/^\[|\]$/g, '')] : []
const ownHosts = [...sourceProxies.all.map(({ host }) => host), ...providerHosts]
const guard = createGuard({ allow: config.ALLOW_PRIVATE_HOSTS ?? '', lookup: systemLookup, ownHosts })
if (config.SANDBOX === 'weak') acceptWeakSandbox()
setLauncherPython(python)
const sandbox = await checkSandbox((sentence) => console.error(sentence))
const channel = config.YTDLP_CANARY === '1' ? 'nightly' : config.YTDLP_CHANNEL
const folder = join(config.WORK_DIR, 'yt-dlp')
const releases = createReleases({ python, folder, indexUrl: config.YTDLP_INDEX_URL })
const extractors = createExtractors({
  python,
  socketFolder,
  onMissingWalls: sandbox.ytDlpMisses,
  channel,
  releases: channel === 'pinned' ? null : releases,
  checkMs: config.YTDLP_CHECK_MS,
  log,
})
const tokenProvider = providerUrl && createTokenProvider({ url: providerUrl, log })
const recognizer = createRecognizer(speech)
const speakers = createSpeakerFinder(speakerSettings(process.env))
const tools = {
  ...{ guard, sourceProxies, tokenProvider, extractors, python, socketFolder },
  accesses: createAccessMemory({ sourceProxies }),
  workRoot: config.WORK_DIR,
  log: stepLog(config.JOB_LOG_SAMPLE),
}

const stepFor = createSteps(recognizer, speakers, createTurns(availableParallelism()))
/** The step that needs the cores is `recognize`, and the recognizer takes one recording at a time. */
const places = { network: config.ENGINE_NETWORK_PLACES, cpu: 1 }
const capacity = places.network + places.cpu
/** More than its places, because a fleet that was restarted may not know yet of a step that is ending. */
const maxRunning = capacity + 2
const disk = createDisk(config.ENGINE_DISK_BYTES ?? (await usableBytes(config.WORK_DIR)))
const pool = createStepPool({ maxRunning, disk }, (order, control) => runStep(order, stepFor(order), tools, control))
const parts = { places, disk, sandbox, extractors, recognizer, speakers, tokenProvider }
const server = createContainerServer(
  {
    pool,
    ...createHealth(pool, parts),
    mayWork: () => sandbox.mayWork,
    mayReach: guard.mayReach,
    sites: extractors.sites,
    hasSourceProxy: (host) => hasSourceProxy(sourceProxies, host),
    probe: (request, gone) => pool.probe(gone, (signal) => describeSource(request, tools, signal)),
    inspect: (request, gone) => pool.probe(gone, (signal) => inspectStored(request, tools, signal)),
    list: (request, gone) => pool.probe(gone, (signal) => listItems(request, tools, signal)),
    follow: (request, gone) => pool.probe(gone, (signal) => followList(request, tools, signal)),
  },
  config.ENGINE_TOKEN,
  log,
)

server.listen(config.PORT, config.HOST, () => {
  const { address, port } = server.address() as AddressInfo
  log('listening', { address, port, ...places, diskBytes: disk.totalBytes })
})
if (config.ENGINE_WARM_UP === 'on') {
  void warmUp({ reader: warmReader, extractor: extractors.ready }, () => pool.running === 0, log)
}
extractors.start()

const SHUTDOWN_TIMEOUT_MS = 5_000

const stop = async () => {
  log('stopping', { running: pool.running })
  setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref()
  // The server stays open until then, so that new orders get a 503.
  await pool.stop()
  server.close()
  server.closeAllConnections()
  recognizer.stop()
  await extractors.close()
  await tokenProvider?.close()
  await deleteFiles()
  log('stopped')
  process.exit(0)
}

/** SIGTERM lets running steps finish. Another signal, or SIGINT, stops at once. */
const stopped = Promise.withResolvers<void>()
const drain = async () => {
  log('draining', { running: pool.running })
  await Promise.race([pool.drain(), sleep(config.DRAIN_MS, undefined, { ref: false })])
  stopped.resolve()
}
process.on('SIGTERM', () => (pool.draining ? stopped.resolve() : void drain()))
process.on('SIGINT', () => stopped.resolve())
void stopped.promise.then(stop)
