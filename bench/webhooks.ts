import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHaul } from '../scripts/start/haul.ts'
import { startOrigin } from '../test/doubles/origin/origin.ts'
import { startReceiver } from '../test/doubles/webhook-receiver.ts'
import { type AccountClient, newAccountClient } from '../test/support/product/api-client.ts'

const ACCOUNTS = 5
const JOBS_EACH = 100

/** The time from the end of a job, as its event reports it, to the receipt of the event. */
export const benchWebhooks = async (print: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const origin = await startOrigin()
  const receiver = await startReceiver()
  const allowed = `${origin.host},${receiver.host}`
  const haul = await startHaul({ stateDir: folder, env: { ...process.env, ALLOW_PRIVATE_HOSTS: allowed } })
  try {
    const job = {
      url: `${origin.url}/generated/50000000.mp4?ratePerSecond=1000000`,
      webhookUrl: `${receiver.url}/ended`,
    }
    const clients = await Promise.all(Array.from({ length: ACCOUNTS }, () => newAccountClient(haul)))
    await Promise.all(clients.map((client) => endJobs(client, job)))
    const received = await receiver.wait('/ended', ACCOUNTS * JOBS_EACH)
    const waits = received
      .map(({ at, body }) => at - Date.parse(JSON.parse(body).data.completedAt))
      .toSorted((a, b) => a - b)
    const at = (share: number) => waits[Math.ceil(waits.length * share) - 1]
    print(`${waits.length} webhooks: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms after the end`)
  } finally {
    await haul.stop()
    await receiver.close()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Canceling is the fastest way to end a job. */
const endJobs = async (client: AccountClient, job: object): Promise<void> => {
  for (let i = 0; i < JOBS_EACH; i++) await client.remove(`/jobs/${await client.start(job)}`)
}
