import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startHaul } from '../../scripts/start/haul.ts'
import { makeFixtures } from '../../test/doubles/origin/fixtures.ts'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { importOf, newAccount } from '../accounts.ts'
import { medianOf, seconds } from '../timing.ts'
import { residentBytes } from './memory.ts'

const run = promisify(execFile)

/** Imports, compared with curl. */
export const benchImports = async (print: (line: string) => void): Promise<void> => {
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const origin = await startOrigin()
  const haul = await startHaul({ stateDir: folder, env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host } })
  try {
    const account = await newAccount(haul)
    const imported = (url: string) => importOf(account, { url })
    const throttled = `${origin.url}/generated/300000000.mp4?ratePerSecond=25000000`
    const curl = await seconds(() => run('curl', ['-s', '-o', '/dev/null', throttled]))
    const ours = await seconds(() => imported(throttled))
    print(
      `300 MB from an origin with 25 MB/s: ${ours.toFixed(1)} s, curl ${curl.toFixed(1)} s, ratio ${(ours / curl).toFixed(2)} (goal 1.15)`,
    )

    const small = `${origin.url}/generated/1000000.mp4`
    await imported(small)
    const smallTime = await medianOf(9, () => imported(small))
    print(`1 MB, from POST to completed: median ${(smallTime * 1000).toFixed(0)} ms of 9 (goal 700 ms)`)

    const idle = await residentBytes(haul.containerPid)
    let peak = 0
    const watching = setInterval(async () => (peak = Math.max(peak, await residentBytes(haul.containerPid))), 100)
    const gigabyte = await seconds(() => imported(`${origin.url}/generated/1000000000.mp4`))
    clearInterval(watching)
    print(
      `1 GB in ${gigabyte.toFixed(1)} s: the container grew by ${((peak - idle) / 1e6).toFixed(0)} MB (goal 200 MB)`,
    )
  } finally {
    await haul.stop()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}
