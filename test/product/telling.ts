import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { type Client, newClient } from './client.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** As its own account sees it. */
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

/** For the tests of one file: the whole product, an origin, and a receiver that behaves as each test wants. */
export const telling = () => {
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
  })

  afterAll(async () => {
    await haul?.stop()
    await Promise.all([origin?.close(), receiver?.close()])
    await rm(stateDir, { recursive: true, force: true })
  })

  const media = (): string => `${origin.url}/media/faststart.mp4`
  const start = (client: Client, path: string): Promise<string> =>
    client.start({ url: media(), webhookUrl: `${receiver.url}${path}` })

  const newPath = (): string => `/hook/${++paths}`

  return {
    get haul() {
      return haul
    },
    get receiver() {
      return receiver
    },
    /** A caller, and a path of the receiver that no other test uses. */
    newPair: async (): Promise<[Client, string]> => [await newClient(haul), newPath()],
    newClient: (): Promise<Client> => newClient(haul),
    newPath,
    media,
    start,
    /** The quickest way to an event: a job that ends before it begins. */
    startAndCancel: async (client: Client, path: string): Promise<string> => {
      const jobId = await start(client, path)
      await client.remove(`/jobs/${jobId}`)
      return jobId
    },
  }
}

export const deliveriesOf = async (client: Client, query = ''): Promise<Delivery[]> =>
  (await client.get<{ deliveries: Delivery[] }>(`/webhooks/deliveries?limit=100${query}`)).deliveries

export const deliveryOf = async (client: Client, jobId: string): Promise<Delivery> => {
  const [delivery] = await deliveriesOf(client, `&jobId=${jobId}`)
  if (!delivery) throw new Error(`no delivery for ${jobId}`)
  return delivery
}

/** The delivery once its attempt is reported: the receiver knows of an attempt a moment earlier. */
export const reported = (client: Client, jobId: string, attempts = 1): Promise<Delivery> =>
  vi.waitUntil(
    async () => {
      const delivery = await deliveryOf(client, jobId)
      const isReported = delivery.status !== 'pending' || delivery.nextAttemptAt !== null
      return delivery.attempts >= attempts && isReported ? delivery : null
    },
    { timeout: 120_000, interval: 50 },
  )
