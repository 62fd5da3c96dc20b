import { z } from '@hono/zod-openapi'
import type { BatchSource, BatchState, ItemRequest, ItemState } from '../../../domain/batches/batch.ts'
import { failureCodes } from '../../../domain/codes/failures.ts'
import { DEFAULT_PLAYLIST_ITEMS } from '../../../domain/limits.ts'
import { batchOptions } from '../../../domain/options/batch-options.ts'
import { BatchId, Cost, Integer, JobId, named, SourceUrl, Timestamp, Title } from '../schemas.ts'
import { schemasOf } from './option-schemas.ts'
import {
  type EngineOptions,
  type ImportChoice,
  ImportOptions,
  importOf,
  TranscribeOptions,
  transcriptionOf,
} from './start-requests.ts'
import { MetadataView } from './status.ts'

/** Exactly one field of each pair is required. */
const pairs = [
  ['urls', 'playlistUrl'],
  ['import', 'transcribe'],
] as const

export const BatchBody = z
  .strictObject({
    ...schemasOf(batchOptions),
    import: ImportOptions.optional().describe(
      'Imports each item, with the fields of `POST /import`. Either this or `transcribe` is required.',
    ),
    transcribe: TranscribeOptions.optional().describe(
      'Transcribes each item, with the fields of `POST /transcribe`, instead of `import`.',
    ),
  })
  .superRefine((body, context) => {
    const addIssue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    for (const [one, other] of pairs) {
      const isOne = (body[one] === undefined) !== (body[other] === undefined)
      if (!isOne) addIssue(one, `exactly one of ${one} and ${other} is required`)
    }
    if (body.limit !== undefined && body.playlistUrl === undefined) {
      addIssue('limit', 'is only allowed with playlistUrl')
    }
  })
  .openapi('BatchRequest', {
    description: 'Either `urls` or `playlistUrl` is required, and either `import` or `transcribe`.',
    example: { urls: ['https://example.com/one.mp4', 'https://example.com/two.mp4'], import: { videoQuality: '720p' } },
  })

export type BatchBody = z.infer<typeof BatchBody>

/** A body that is not valid counts as an import. */
export const startOf = (body: unknown): 'import' | 'transcribe' => {
  const { import: imported, transcribe } = Object(body)
  return transcribe !== undefined && imported === undefined ? 'transcribe' : 'import'
}

export const batchSourceOf = ({ urls = [], playlistUrl, limit = DEFAULT_PLAYLIST_ITEMS }: BatchBody): BatchSource =>
  playlistUrl === undefined ? { kind: 'urls', urls: [...new Set(urls)] } : { kind: 'playlist', url: playlistUrl, limit }

export interface BatchItemOptions {
  import?: ImportChoice | undefined
  transcribe?: EngineOptions | undefined
}

export const itemOf = ({ import: imported, transcribe }: BatchItemOptions): ItemRequest => {
  if (imported) return { kind: 'import', request: importOf(imported) }
  if (transcribe) return { kind: 'transcription', request: transcriptionOf(transcribe) }
  throw new Error('the body of the batch was not validated')
}

const Total = Integer.openapi({ example: 2 }).nullable()

export const StartedBatch = named('StartedBatch', {
  batchId: BatchId,
  status: z.literal('queued'),
  total: Total.describe('The number of items. null until a playlist is read.'),
  message: z.string(),
})

export const BatchStatus = named('Batch', {
  batchId: BatchId,
  watchId: z.string().nullable().describe('The watch that has made it.'),
  kind: z.enum(['import', 'transcription']),
  status: z.enum(['queued', 'running', 'completed', 'canceled', 'failed'] satisfies BatchState[]).openapi({
    description:
      '`completed` when every item has ended, whatever became of it. `failed` if the playlist could not be read.',
  }),
  title: z.string().openapi({ example: 'A playlist' }).nullable().describe('The title of the playlist.'),
  createdAt: Timestamp,
  completedAt: Timestamp.nullable().describe('When the batch ended.'),
  metadata: MetadataView,
  counts: z.object({
    total: Total.describe('null until a playlist is read.'),
    waiting: Integer,
    running: Integer.describe('Items whose job is queued or running.'),
    completed: Integer,
    failed: Integer,
    skipped: Integer.describe('Items that were skipped or canceled.'),
  }),
  costInDollars: Cost.describe('What the completed items were charged.'),
  maxCostDollars: z.number().nullable(),
  code: z.enum(failureCodes).optional().describe('Why the batch failed.'),
  message: z.string().optional(),
})

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

export const BatchItem = named('BatchItem', {
  index: Integer.describe('Its place in the list, from 0.'),
  url: SourceUrl,
  title: Title.nullable(),
  jobId: JobId.nullable().describe('null until its job starts.'),
  status: ItemStatus.describe(
    '`waiting` until it has a job. `skipped` if it no longer fits maxCostDollars or the balance.',
  ),
  code: z.string().nullable().describe('Why it failed or was skipped: the code of its job, or of the refused request.'),
  message: z.string().nullable(),
  costInDollars: Cost.nullable(),
  complete: z.boolean().nullable().describe('Whether no file of its job has failed. null until it has completed.'),
})
