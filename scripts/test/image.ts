import { buildImage } from '../image/build.ts'
import { runImage } from '../image/podman.ts'
import { run, runInForeground } from '../setup/command.mjs'
import { startChild } from '../start/child.ts'
import { root } from '../start/environment.ts'
import { choosePort } from '../start/ports.ts'
import { responds } from '../start/ready.ts'

/**
 * Builds the container's image with buildah, measures its start with podman, and runs the product's tests of imports,
 * transcription and containers with it. Needs Linux, root, and Debian's packages buildah, podman and runc.
 */
const START_MS = 120_000
const TAG = 'localhost/haul-engine:test'
const tests = [
  'walk/import',
  'walk/engine-killed',
  'further/product/transcription',
  'further/product/engine-container',
].map((name) => `test/${name}.test.ts`)

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Measures the time from the command to the first answer of GET /state. */
const start = async (): Promise<void> => {
  const env = { PORT: String(await choosePort(0, 'PORT')), HOST: '127.0.0.1', ENGINE_TOKEN: 'engine-token' }
  const image = runImage(TAG, env)
  const startedAt = performance.now()
  const child = startChild(image.command, image.args, {
    cwd: root,
    env: { ...process.env, ...env },
    onLine: (line, from) => from === 'stderr' && console.error(line),
  })
  const exited = child.exited.then(({ reason }) => Promise.reject(new Error(`the image exited (${reason})`)))
  const headers = { authorization: `Bearer ${env.ENGINE_TOKEN}` }
  await Promise.race([exited, responds(`http://127.0.0.1:${env.PORT}/state`, AbortSignal.timeout(START_MS), headers)])
  console.log(`started in ${seconds(startedAt)}`)
  await run(image.command, image.signalArgs('SIGTERM'))
  await child.exited
}

const builtAt = performance.now()
const { sizeBytes } = await buildImage(TAG)
console.log(`built in ${seconds(builtAt)}, ${Math.round(sizeBytes / 1e6)} MB`)
await start()
process.exitCode = await runInForeground('npx', ['vitest', 'run', '--project', 'product', ...tests], {
  cwd: root,
  env: { ...process.env, ENGINE_IMAGE: TAG },
})
