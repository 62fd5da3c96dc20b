import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Haul } from '../../client/src/index.ts'
import { startHaul } from '../../scripts/start/haul.ts'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { residentBytes } from './memory.ts'

const run = promisify(execFile)

const ROUNDS = 5
const SAMPLE_MS = 20

/**
 * The memory of an engine with four ffmpeg at once, for `memory_mib` of wrangler.toml. The sources are the worst that
 * players play: 8K in HEVC with ten bits, whose frames are decoded for thumbnails, and whose sound is re-encoded.
 */
export const benchFourAtOnce = async (print: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  await makeFilm(join(folder, '8k.mp4'))
  const origin = await startOrigin({ root: folder })
  const haul = await startHaul({
    stateDir: join(folder, 'state'),
    env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host },
  })
  try {
    const operator = new Haul({ baseUrl: haul.baseUrl, apiKey: haul.adminToken })
    const body = { limits: { concurrentJobs: { import: 4 } } }
    await operator.request('PATCH', `/admin/accounts/${haul.accountId}`, { body })
    await operator.request('POST', `/admin/accounts/${haul.accountId}/credits`, {
      body: { amountDollars: 100, reference: 'bench' },
    })
    const caller = new Haul({ baseUrl: haul.baseUrl, apiKey: haul.apiKey })
    const url = `${origin.url}/media/8k.mp4`
    const film = () => caller.import(url)
    const sound = () => caller.import(url, { includeVideo: false, audioFormat: 'mp3' })
    await film()
    const idle = await residentBytes(haul.containerPid)
    for (const [name, four] of Object.entries({
      'four films': [film, film, film, film],
      'four sounds': [sound, sound, sound, sound],
      'two of each': [film, sound, film, sound],
    })) {
      let peak = 0
      const watching = setInterval(
        async () => (peak = Math.max(peak, await residentBytes(haul.containerPid))),
        SAMPLE_MS,
      )
      for (let round = 0; round < ROUNDS; round++) await Promise.all(four.map((start) => start()))
      clearInterval(watching)
      print(`${name} in 8K at once: ${megabytes(peak)} of an engine that has ${megabytes(idle)} when idle`)
    }
  } finally {
    await haul.stop()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

/** Takes about a minute. */
const makeFilm = (path: string) =>
  run('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', 'testsrc2=s=7680x4320:r=24:d=2'],
    ...['-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'aac', '-pix_fmt', 'yuv420p10le'],
    ...['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error', path],
  ])
