import { z } from '@hono/zod-openapi'
import type { BatchState, ItemState } from '../../../domain/batches/batch.ts'
import { failureCodes } from '../../../domain/codes/failures.ts'
import { Timestamp } from '../schemas.ts'

/** Batches and their items in responses and webhooks, as `domain/batches/batch-status.ts` makes them. */

const Total = z.number().int().nullable()

export const StartedBatch = z
  .object({
    batchId: z.string(),
    status: z.literal('queued'),
    total: Total.openapi({ description: 'The number of items. null until a playlist is read.' }),
    message: z.string(),
  })
  .openapi('StartedBatch')

const states = ['queued', 'running', 'completed', 'canceled', 'failed'] as const satisfies BatchState[]

export const BatchStatus = z
  .object({
    batchId: z.string(),
    kind: z.enum(['import', 'transcription']),
    status: z.enum(states).openapi({
      description:
        '`completed` when every item has ended, whatever became of it. `failed` if the playlist could not be read.',
    }),
    title: z.string().nullable().openapi({ description: 'The title of the playlist.' }),
    createdAt: Timestamp,
    completedAt: Timestamp.nullable().openapi({ description: 'When the batch ended.' }),
    counts: z.object({
      total: Total.openapi({ description: 'null until a playlist is read.' }),
      waiting: z.number().int(),
      running: z.number().int().openapi({ description: 'Items whose job is queued or running.' }),
      completed: z.number().int(),
      failed: z.number().int(),
      skipped: z.number().int().openapi({ description: 'Items that were skipped or canceled.' }),
    }),
    costInDollars: z.number().openapi({ description: 'What the completed items were charged.' }),
    maxCostDollars: z.number().nullable(),
    code: z.enum(failureCodes).optional().openapi({ description: 'Why the batch failed.' }),
    message: z.string().optional(),
  })
  .openapi('Batch')

const itemStates = [
  'waiting',
  'queued',
  'running',
  'completed',
  'failed',
  'skipped',
  'canceled',
] as const satisfies ItemState[]

export const ItemStatus = z.enum(itemStates)

export const BatchItem = z
  .object({
    index: z.number().int().openapi({ description: 'Its place in the list, from 0.' }),
    url: z.string(),
    title: z.string().nullable(),
    jobId: z.string().nullable().openapi({ description: 'null until its job starts.' }),
    status: ItemStatus.openapi({
      description: '`waiting` until it has a job. `skipped` if it no longer fits maxCostDollars or the balance.',
    }),
    code: z.string().nullable().openapi({
      description: 'Why it failed or was skipped: the code of its job, or of the refused request.',
    }),
    message: z.string().nullable(),
    costInDollars: z.number().nullable(),
  })
  .openapi('BatchItem')
