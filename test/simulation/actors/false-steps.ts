import type { StepContext, StepFunction } from '../../../container/steps/step.ts'
import { defaultPrices, downloadCost, type Prices } from '../../../domain/money/prices.ts'
import type {
  FollowRequest,
  InspectResponse,
  ListResponse,
  ProbeResponse,
  StepOrder,
} from '../../../domain/protocol/protocol.ts'
import type { Faults } from '../faults/faults.ts'
import type { EngineProgram } from '../platform/engine-process.ts'
import { sleep } from '../sleep.ts'
import type { Story } from '../story.ts'
import type { World } from '../world.ts'
import { type Held, loadProduct, type StepRun, works } from './false-work.ts'
import { factsOf, sourceUrl } from './sources.ts'
import type { WatchedLists } from './watched-lists.ts'

export interface Steps extends EngineProgram {
  runs: StepRun[]
}

interface Parts {
  faults: Faults
  story: Story
  world(): World
  lists: WatchedLists
}

/** Engines whose steps do false work. */
export const createSteps = (parts: Parts): Steps => {
  const product = loadProduct()
  const runs: StepRun[] = []
  const sourceOf = new Map<string, string>()
  const stepFor = (order: StepOrder, engine: string): StepFunction =>
    (async (_order: StepOrder, context: StepContext) => {
      const { jobId, step, attempt } = order
      const run = {
        ...{ engine, jobId, step, attempt, isLeased: hasLease(parts.world(), order) },
        ...{ downloadedBytes: 0, pieces: 0, unpaid: null, hasFailed: false },
      }
      runs.push(run)
      parts.story.tell(jobId, () => `${step} ${attempt} begins on ${engine}`)
      const { faults } = parts
      if (faults.happens('step slow', jobId)) await sleep(faults.between('step slow', 1_000, 180_000), context.signal)
      const fail = () => {
        faults.blame(jobId, attempt)
        run.hasFailed = hasLease(parts.world(), order)
        throw new Error('a simulated step failed')
      }
      if (faults.happens('step fails', jobId)) fail()
      try {
        const { bucket } = parts.world()
        const held = () => heldFor(parts.world(), order)
        const result = await works[order.step](order as never, { ...context, ...product, run, bucket, held, sourceOf })
        if (faults.happens('step fails', jobId)) fail()
        return result
      } finally {
        faults.endedOn(engine, jobId, attempt)
      }
    }) as never
  return {
    runs,
    stepFor,
    probe: async (request) => probe(request as { url: string; listLimit?: number }),
    list: async (request) => list(request as { url: string; limit: number }),
    follow: async (request) => parts.lists.follow(request as FollowRequest),
    inspect: async () => {
      await sleep(300)
      return {
        status: 'done',
        contentType: 'audio/mpeg',
        extension: 'mp3',
        durationSeconds: 60,
      } satisfies InspectResponse
    },
    log: (engine, event, fields) => {
      const { jobId } = fields as { jobId?: string }
      if (jobId) parts.story.tell(jobId, () => `${engine}: ${event} ${JSON.stringify(fields)}`)
    },
    places: { network: 4, cpu: 1 },
    diskBytes: 15_000_000_000,
    drainMs: 60_000,
  }
}

/** When a lease ends, the account discards the files that it knows of. Uploads may still arrive afterwards. */
const hasLease = ({ namespaces }: World, { accountId = '', jobId, attempt }: StepOrder): boolean => {
  const query = 'SELECT 1 FROM jobs WHERE id = ? AND lease_number = ? AND lease IS NOT NULL'
  const rows = namespaces.ACCOUNTS.storage(accountId)?.sqlDatabase.exec(query, jobId, attempt).toArray()
  return rows?.length === 1
}

/** What the account holds for the step, beside the cost of what the job has made. null: its lease has ended. */
const heldFor = ({ namespaces }: World, { accountId = '', jobId, attempt }: StepOrder): Held | null => {
  const query = `SELECT held_micros AS held, prices, carry ->> 'billedBytes' AS bytes,
      (SELECT coalesce(sum(value ->> 'costMicros'), 0) FROM json_each(parts)) AS paid
    FROM jobs WHERE id = ? AND lease_number = ? AND lease IS NOT NULL`
  const sql = namespaces.ACCOUNTS.storage(accountId)?.sqlDatabase
  const [row] = (sql?.exec(query, jobId, attempt).toArray() ?? []) as unknown as HeldRow[]
  if (!row) return null
  const prices: Prices = row.prices === null ? defaultPrices : JSON.parse(row.prices)
  return { micros: (row.held ?? 0) - downloadCost(prices, row.bytes ?? 0) - row.paid, prices }
}

interface HeldRow {
  held: number | null
  prices: string | null
  /** Of an import's media, if it is stored. */
  bytes: number | null
  /** For the parts that are made. */
  paid: number
}

const probe = async ({ url, listLimit = 0 }: { url: string; listLimit?: number }): Promise<ProbeResponse> => {
  await sleep(400)
  const { fails, seconds, bytes, items } = factsOf(url)
  if (fails) return { status: 'failed', code: fails, message: 'a simulated failure' }
  if (items > 0) {
    const listed = await list({ url, limit: listLimit })
    return listed.status === 'done' ? { ...listed, status: 'list' } : listed
  }
  const source = {
    ...{ title: 'film', durationSeconds: seconds, thumbnailUrl: null, platform: 'direct', isLive: false, direct: true },
    ...{ contentType: 'video/mp4', fileSizeBytes: bytes, formats: [], captions: [], chapters: [], downloads: [] },
    durationIsEstimate: false,
    speech: null,
  }
  return { status: 'done', source }
}

const list = async ({ url, limit }: { url: string; limit: number }): Promise<ListResponse> => {
  await sleep(800)
  const { fails, items } = factsOf(url)
  if (fails) return { status: 'failed', code: fails, message: 'a simulated failure' }
  const listed = Array.from({ length: Math.min(items, limit) }, (_, index) => ({
    url: sourceUrl(`${new URL(url).pathname.slice(1, -4)}-${index}`, { bytes: 1_000_000, workMs: 2_000 }),
    title: `entry ${index}`,
    durationSeconds: 60,
  }))
  return { status: 'done', title: 'list', count: items, items: listed }
}
