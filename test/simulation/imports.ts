import type { StepContext } from '../../container/steps/step.ts'
import type { FetchOrder, StepOrder } from '../../domain/protocol/protocol.ts'
import type { EngineProgram } from './platform/engine-process.ts'
import { sleep } from './sleep.ts'
import { digestOfEvents } from './trace.ts'
import { PUBLIC_URL, World, type WorldHooks, type WorldOptions } from './world.ts'

export const SOURCE_BYTES = 6_000_000

/** A step that downloads for some seconds, and uploads a file that exists by its size only. */
const fetchStep = async (order: FetchOrder, { worker, progress, signal }: StepContext) => {
  await sleep(500, signal)
  progress.set({ stage: 'downloading', totalBytes: SOURCE_BYTES, downloadedBytes: 0, neededBytes: SOURCE_BYTES })
  await progress.flush()
  await sleep(3_000, signal)
  progress.set({ downloadedBytes: SOURCE_BYTES, percent: 70 })
  const contentType = 'video/mp4'
  const plan = await worker.planUpload({ kind: 'media', contentType, sizeBytes: SOURCE_BYTES })
  if (plan.kind !== 'single') throw new Error('the file is small')
  await worker.put(plan.url, { path: `/media/${order.jobId}`, start: 0, end: SOURCE_BYTES, contentType }, signal)
  const media = { key: plan.key, uploadId: null, parts: null, sizeBytes: SOURCE_BYTES }
  const facts = {
    ...{ title: 'film', extension: 'mp4', contentType, durationSeconds: 60, sizeBytes: SOURCE_BYTES },
    ...{ downloadedBytes: SOURCE_BYTES, sha256: '0'.repeat(64), width: 640, height: 360, videoCodec: 'h264' },
    ...{ audioCodec: 'aac', note: null },
  }
  return { step: 'fetch' as const, media, thumbnail: null, facts }
}

export const engines: EngineProgram = {
  stepFor: (order: StepOrder) => {
    if (order.step !== 'fetch') throw new Error(`no false step ${order.step}`)
    return fetchStep as never
  },
  places: { network: 8, cpu: 1 },
  diskBytes: 15_000_000_000,
  drainMs: 60_000,
}

const adminHeaders = { authorization: 'Bearer admin-token', 'content-type': 'application/json' }

/** A world with a source and a receiver of webhooks. */
export const openWorld = (options: Partial<WorldOptions> & { seed: string }) => {
  const world = new World({ engines, ...options })
  const webhooks: string[] = []
  world.internet.serve('media.example', () => {
    const headers = { 'content-type': 'video/mp4', 'content-range': `bytes 0-1023/${SOURCE_BYTES}` }
    return { status: 206, headers, body: new Uint8Array(16) }
  })
  world.internet.serve('hooks.example', ({ body }) => {
    webhooks.push(`${body}`)
    return { status: 204 }
  })
  return { world, webhooks }
}

export const newKey = async (world: World): Promise<string> => {
  const body = JSON.stringify({ name: 'simulated', creditDollars: 100 })
  const response = await world.request(`${PUBLIC_URL}/admin/accounts`, { method: 'POST', headers: adminHeaders, body })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text).data.apiKey
}

/** Starts an import and polls it until it has ended. */
export const importFilm = async (world: World, key: string, name: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ url: `https://media.example/${name}.mp4`, webhookUrl: 'https://hooks.example/' })
  const started = await world.request(`${PUBLIC_URL}/import`, { method: 'POST', headers, body })
  const text = await started.text()
  if (started.status !== 202) throw new Error(`${started.status} ${text}`)
  const { jobId } = JSON.parse(text).data
  for (;;) {
    await sleep(5_000)
    const read = await world.request(`${PUBLIC_URL}/import/status?id=${jobId}`, { headers })
    const { data } = (await read.json()) as { data: { status: string } }
    if (data.status === 'completed' || data.status === 'failed') return data.status
  }
}

/** Several imports at the same time, and what can be seen of them. */
export const runImports = async (seed: string, count: number, hooks: WorldHooks = {}) => {
  const { world, webhooks } = openWorld({ seed, hooks })
  const trace = digestOfEvents(world.clock)
  try {
    const statuses = await world.perform(world.caller('caller'), async () => {
      const key = await newKey(world)
      return Promise.all(Array.from({ length: count }, (_, index) => importFilm(world, key, `film-${index}`)))
    })
    await world.clock.run({ until: world.clock.now + 60_000 })
    return { statuses, webhooks, events: world.clock.events, trace: trace.digest() }
  } finally {
    world.close()
  }
}
