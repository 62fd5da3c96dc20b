import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FormData, Pool } from 'undici'
import { startHaul } from '../scripts/start/haul.ts'
import { startDrippingSource } from '../test/doubles/origin/dripping-source.ts'
import { makeFixtures } from '../test/doubles/origin/fixtures.ts'
import { newAccountClient } from '../test/support/product/api-client.ts'
import { descendantsOf, residentBytes } from './imports/memory.ts'

/** What requests of the OpenAI API take in the memory of the Workers runtime while they wait for one job of their account. */
const REQUESTS = 200
const MB = 1_000_000

export const benchWaiting = async (print: (line: string) => void): Promise<void> => {
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const source = await startDrippingSource()
  const haul = await startHaul({
    stateDir: join(folder, 'state'),
    env: { ...process.env, ALLOW_PRIVATE_HOSTS: source.host, TRANSCRIPTION_SILENCE_MS: '6000' },
  })
  const pool = new Pool(haul.baseUrl, { connections: REQUESTS + 1, bodyTimeout: 0, headersTimeout: 0 })
  try {
    const { apiKey } = await newAccountClient(haul)
    const open = async () => {
      const body = new FormData()
      for (const [name, value] of [
        ['url', `${source.url}/film.mp4`],
        ['model', 'whisper-1'],
        ['max_cost_dollars', '1'],
      ] as const)
        body.append(name, value)
      const headers = { authorization: `Bearer ${apiKey}` }
      const response = await pool.request({ method: 'POST', path: '/v1/audio/transcriptions', headers, body })
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${await response.body.text()}`)
      return response.body
    }
    const first = await open()
    const before = await runtimeBytes()
    const others = await Promise.all(Array.from({ length: REQUESTS }, open))
    const after = await runtimeBytes()
    const each = (after - before) / REQUESTS
    print(
      `${REQUESTS} waiting requests: ${((after - before) / MB).toFixed(0)} MB more in workerd, ${(each / 1_000).toFixed(0)} kB each`,
    )
    source.release()
    const texts = await Promise.all([first, ...others].map((body) => body.text()))
    if (new Set(texts.map((text) => text.trim())).size !== 1) throw new Error('the transcripts differ')
  } finally {
    await pool.close()
    await haul.stop()
    await source.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Of all processes of workerd that this process has started. */
const runtimeBytes = async (): Promise<number> => {
  const pids = await descendantsOf(process.pid)
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')))
  const runtimes = pids.filter((_, index) => names[index]?.startsWith('workerd'))
  return (await Promise.all(runtimes.map(residentBytes))).reduce((sum, bytes) => sum + bytes, 0)
}
