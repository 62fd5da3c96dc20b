import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { type AccountClient, createApiClient, newAccountClient } from './api-client.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** A webhook delivery as the API shows it to its account. */
export interface Delivery {
  id: string
  jobId: string
  status: string
  attempts: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  nextAttemptAt: string | null
  lastAttemptAt: string
}

/** Starts the whole product, an origin and a webhook receiver for the tests of one file. */
export const productWithReceiver = () => {
  let haul: Haul
  let origin: Origin
  let receiver: Receiver
  let stateDir: string
  let paths = 0

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'haul-webhooks-'))
    origin = await startOrigin()
    receiver = await startReceiver()
    const env = { ...process.env, ALLOW_PRIVATE_HOSTS: `${origin.host},${receiver.host}` }
    haul = await startHaul({ stateDir, env })
    // wrangler, D1 migrations and the container's yt-dlp: 7 s on 2 quiet cores.
  }, 90_000)

  afterAll(async () => {
    await haul?.stop()
    await Promise.all([origin?.close(), receiver?.close()])
    await rm(stateDir, { recursive: true, force: true })
  })

  const media = (): string => `${origin.url}/media/faststart.mp4`
  const start = (client: AccountClient, path: string): Promise<string> =>
    client.start({ url: media(), webhookUrl: `${receiver.url}${path}` })

  const newPath = (): string => `/hook/${++paths}`

  return {
    get haul() {
      return haul
    },
    get origin() {
      return origin
    },
    get receiver() {
      return receiver
    },
    /** A client, and a path of the receiver that no other test uses. */
    newPair: async (): Promise<[AccountClient, string]> => [await newAccountClient(haul), newPath()],
    operator: () => createApiClient(haul.baseUrl, haul.adminToken),
    newClient: (): Promise<AccountClient> => newAccountClient(haul),
    newPath,
    media,
    start,
    /** The fastest way to an event: the job ends before a step starts. */
    startAndCancel: async (client: AccountClient, path: string): Promise<string> => {
      const jobId = await start(client, path)
      await client.remove(`/jobs/${jobId}`)
      return jobId
    },
  }
}

export const deliveriesOf = async (client: AccountClient, query = ''): Promise<Delivery[]> =>
  (await client.get<{ deliveries: Delivery[] }>(`/webhooks/deliveries?limit=100${query}`)).deliveries

export const deliveryOf = async (client: AccountClient, jobId: string): Promise<Delivery> => {
  const [delivery] = await deliveriesOf(client, `&jobId=${jobId}`)
  if (!delivery) throw new Error(`no delivery for ${jobId}`)
  return delivery
}

/** Longer than the 15 seconds after which an attempt times out. */
const REPORTED_TIMEOUT_MS = 25_000

/** The delivery once its attempt is reported, which is shortly after the receiver got the request. */
export const reported = (client: AccountClient, jobId: string, attempts = 1): Promise<Delivery> =>
  vi.waitUntil(
    async () => {
      const delivery = await deliveryOf(client, jobId)
      const isReported = delivery.status !== 'pending' || delivery.nextAttemptAt !== null
      return delivery.attempts >= attempts && isReported ? delivery : null
    },
    { timeout: REPORTED_TIMEOUT_MS, interval: 50 },
  )
