import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { TurnMessage } from '../../../worker/account/queue-messages.ts'
import worker from '../../../worker/index.ts'
import { type Caller, FILM } from './caller.ts'
import { finishWork, withLongWork } from './long-work.ts'

/** As many URLs of the same film. */
export const films = (count: number): string[] => Array.from({ length: count }, (_, index) => `${FILM}?${index}`)

export const startedBatch = async (caller: Caller, changes: object = {}): Promise<string> => {
  const { status, body } = await caller.post('/batches', { urls: films(3), import: {}, ...changes })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body.data.batchId
}

/** Consumes the message of an item's turn, or of the playlist. `done` waits for everything that it started. */
export const deliverTurn = async (
  { accountId }: Caller,
  batchId: string,
  index: number | null,
  { within = env } = {},
) => {
  const body: TurnMessage = { v: 1, accountId, batchId, index }
  const messages = [{ id: 'message', timestamp: new Date(0), attempts: 1, body }]
  const batch = createMessageBatch<TurnMessage>('haul-steps', messages)
  const ctx = createExecutionContext()
  await worker.queue(batch as never, withLongWork(within), ctx)
  const done = async () => {
    await waitOnExecutionContext(ctx)
    if (index === null) await finishWork(body)
  }
  return { done, result: () => getQueueResult(batch, ctx) }
}

export const takeTurn = async (caller: Caller, batchId: string, index: number | null, how: { within?: Env } = {}) => {
  const delivered = await deliverTurn(caller, batchId, index, how)
  await delivered.done()
  return delivered.result()
}

export const readBatch = async (caller: Caller, batchId: string) => (await caller.get(`/batches/${batchId}`)).body.data

export const readItems = async (caller: Caller, batchId: string, query = 'limit=100') =>
  (await caller.get(`/batches/${batchId}/items?${query}`)).body.data.items
