import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../start/environment.ts'
import { claimPort } from '../start/ports.ts'
import { buildImage, run } from './build.ts'
import { runImage } from './podman.ts'

/**
 * Builds the container's image with buildah, measures its start with podman, and runs the product's tests of imports,
 * transcription and containers with it. Needs Linux, root, and Debian's packages buildah, podman and runc.
 */
const TAG = 'localhost/haul-engine:test'
const tests = ['import', 'transcription', 'engine-container'].map((name) => `test/product/${name}.test.ts`)

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** From the command to the first answer of GET /state. */
const start = async (): Promise<void> => {
  const env = { PORT: String(await claimPort(0, 'PORT')), HOST: '127.0.0.1', ENGINE_TOKEN: 'engine-token' }
  const image = runImage(TAG, env)
  const startedAt = performance.now()
  const child = spawn(image.command, image.args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  const headers = { authorization: `Bearer ${env.ENGINE_TOKEN}` }
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${env.PORT}/state`, { headers }).catch(() => null)
    if (response?.ok) {
      const { status } = (await response.json()) as { status: string }
      console.log(`started in ${seconds(startedAt)}, state ${status}`)
      break
    }
    if (child.exitCode !== null) throw new Error(`the image exited with code ${child.exitCode}`)
    await sleep(20)
  }
  await run(image.command, ...image.signalArgs('SIGTERM'))
  await exited
}

const builtAt = performance.now()
const { sizeBytes } = await buildImage(TAG)
console.log(`built in ${seconds(builtAt)}, ${Math.round(sizeBytes / 1e6)} MB`)
await start()
const vitest = spawn('npx', ['vitest', 'run', '--project', 'product', ...tests], {
  cwd: root,
  env: { ...process.env, ENGINE_IMAGE: TAG },
  stdio: 'inherit',
})
const [code] = await once(vitest, 'exit')
process.exitCode = code ?? 1
