import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import {
  type BatchSource,
  type BatchState,
  batchStatus,
  type ItemRequest,
  type ItemState,
  itemStatus,
} from '../../../domain/batches/batch.ts'
import { failureCodes } from '../../../domain/codes/failures.ts'
import { accepted, type Refusal, type Result, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { metadataField } from '../../../domain/jobs/job-metadata.ts'
import { DEFAULT_PLAYLIST_ITEMS, MAX_BATCH_BODY_BYTES, MAX_BATCH_ITEMS } from '../../../domain/limits.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { batchOptions } from '../../../domain/options/batch-options.ts'
import type { BatchAdmission, StartedBatch as Started } from '../../account/calls.ts'
import { configOf } from '../../env.ts'
import { cancelStep } from '../fleet-calls.ts'
import { apiKey, idempotencyKey, jsonBodyUpTo, startByBody } from '../guards.ts'
import { schemasOf } from '../jobs/option-schemas.ts'
import { importProblem, transcriptionProblem, webhookUrlProblem, withEngine } from '../jobs/options-problem.ts'
import { begin, type StartFacts, sealedKeyFor } from '../jobs/start-job.ts'
import {
  type EngineOptions,
  ImportOptions,
  importOf,
  TranscribeOptions,
  transcriptionOf,
} from '../jobs/start-requests.ts'
import { MetadataView } from '../jobs/status.ts'
import { Cursor, cursorOf, Limit, pageOf, pageQuery, pageSchema, pageView } from '../pagination.ts'
import { account, type HttpEnv, identity, originToKeep } from '../request-context.ts'
import { handleAnswer, respond, respondWith } from '../respond.ts'
import { routerFor } from '../router.ts'
import { BatchId, Cost, Integer, JobId, json, named, ok, refusals, SourceUrl, Timestamp, Title } from '../schemas.ts'

const pairs = [
  ['urls', 'playlistUrl'],
  ['import', 'transcribe'],
] as const

const BatchBody = z
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
    const isOfPlaylist = body.playlistUrl !== undefined
    if (body.limit !== undefined && !isOfPlaylist) addIssue('limit', 'is only allowed with playlistUrl')
  })
  .openapi('BatchRequest', {
    description: 'Either `urls` or `playlistUrl` is required, and either `import` or `transcribe`.',
    example: { urls: ['https://example.com/one.mp4', 'https://example.com/two.mp4'], import: { videoQuality: '720p' } },
  })

type BatchBody = z.infer<typeof BatchBody>

/** A body that is not valid counts as an import. */
export const startOf = (body: unknown): 'import' | 'transcribe' => {
  const { import: imported, transcribe } = Object(body)
  return transcribe !== undefined && imported === undefined ? 'transcribe' : 'import'
}

const batchSourceOf = ({ urls = [], playlistUrl, limit = DEFAULT_PLAYLIST_ITEMS }: BatchBody): BatchSource =>
  playlistUrl === undefined ? { kind: 'urls', urls: [...new Set(urls)] } : { kind: 'playlist', url: playlistUrl, limit }

interface BatchItemOptions {
  import?: ImportOptions | undefined
  transcribe?: EngineOptions | undefined
}

const itemOf = ({ import: imported, transcribe }: BatchItemOptions): ItemRequest => {
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

const ended = ['completed', 'failed', 'skipped', 'canceled'] as const
const ItemStatus = z.enum(['waiting', 'queued', 'running', ...ended] satisfies ItemState[])

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
})

export const batchRoutes = routerFor('Batches')

batchRoutes.add('POST /batches', {
  operationId: 'startBatch',
  summary: 'Start a batch of imports or transcriptions',
  description: `Up to ${MAX_BATCH_ITEMS} URLs, or the entries of a playlist. Each item becomes a job as the concurrent jobs of the account allow; one is kept free for single requests. Items do not count against a rate limit. This request counts as one \`POST /import\` or \`POST /transcribe\`. An item that cannot be imported or transcribed fails alone. The batch itself is free.`,
  guards: [
    apiKey('import', 'import', 'transcribe'),
    jsonBodyUpTo(MAX_BATCH_BODY_BYTES),
    startByBody(startOf),
    idempotencyKey,
  ],
  request: { body: json(BatchBody) },
  responses: { 202: ok(StartedBatch, 'The batch is queued.'), ...refusals(403) },
  handle: async (c) => {
    const body = c.req.valid('json')
    const source = batchSourceOf(body)
    const total = source.kind === 'urls' ? source.urls.length : null
    const begun = await begin(c, {
      ...{ job: null, reuse: null, joinKey: null },
      assess: () => assessBatch(c, body),
      admit: (checked, facts) => {
        const batchId = newId('batch', Date.now())
        return account(c).admitBatch(identity(c), { batchId, source, ...checked, ...facts })
      },
    })
    return respondWith(
      c,
      begun,
      // A repeated Idempotency-Key is answered with the id of the batch in the place of a job's.
      (started) =>
        startedView({
          batchId: 'batchId' in started ? started.batchId : started.jobId,
          ...{ total, webhookUrl: body.webhookUrl ?? null },
        }),
      202,
    )
  },
})

const startedView = ({ batchId, total, webhookUrl }: Started) => ({
  batchId,
  status: 'queued',
  total,
  message: webhookUrl
    ? 'The batch is queued. A webhook is sent to webhookUrl when it ends.'
    : `The batch is queued. Poll GET /batches/${batchId}, or send webhookUrl to get a webhook when it ends.`,
})

type CheckedBatch = Omit<BatchAdmission, 'batchId' | 'source' | keyof StartFacts>

/** The options are checked once for all items. Their URLs are checked when their turn has come. */
const assessBatch = async (c: Context<HttpEnv>, body: BatchBody): Promise<Result<CheckedBatch>> => {
  const chosen = body.transcribe && withEngine(configOf(c.env), body.transcribe)
  if (chosen && !chosen.ok) return { ok: false, refusal: within('transcribe', chosen.refusal) }
  const options: BatchItemOptions = { import: body.import, transcribe: chosen?.value }
  const problem = (await itemProblem(c, options)) ?? (await webhookUrlProblem(c, body.webhookUrl))
  if (problem) return { ok: false, refusal: problem }
  const key = await sealedKeyFor(c, options.transcribe ?? {})
  if (!key) return refused('PROVIDER_KEY_REQUIRED')
  return accepted({
    item: itemOf(options),
    reuseWithinSeconds: (body.import ?? body.transcribe)?.reuseWithinSeconds ?? 0,
    maxCostMicros: body.maxCostDollars === undefined ? null : fromDollars(body.maxCostDollars),
    webhookUrl: body.webhookUrl ?? null,
    ...metadataField(body.metadata),
    sealedKey: key.sealed,
  })
}

const itemProblem = async (
  c: Context<HttpEnv>,
  { import: imported, transcribe }: BatchItemOptions,
): Promise<Refusal | null> => {
  if (imported) return within('import', await importProblem(c, imported))
  return transcribe ? within('transcribe', await transcriptionProblem(c, transcribe)) : null
}

/** The fields that a refusal names are those of an object in the body. */
const within = <Problem extends Refusal | null>(name: string, problem: Problem): Problem | Refusal => {
  if (!problem || !Array.isArray(problem.facts.details)) return problem
  const details = problem.facts.details.map(({ path, message }) => ({ path: `${name}.${path}`, message }))
  return { ...problem, facts: { ...problem.facts, details } }
}

batchRoutes.add('GET /batches', {
  operationId: 'listBatches',
  summary: 'List batches, newest first',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  request: { query: z.object({ cursor: Cursor('batch'), limit: Limit(100, 20) }) },
  responses: { 200: ok(pageSchema('batches', BatchStatus)), ...refusals(400) },
  handle: (c) => {
    const query = c.req.valid('query')
    const answer = account(c).batches(identity(c), pageQuery(query))
    return respondWith(c, answer, (records) => pageView('batches', records, query.limit, batchStatus))
  },
})

batchRoutes.add('GET /batches/{id}', {
  operationId: 'getBatch',
  summary: 'Retrieve a batch',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  responses: { 200: ok(BatchStatus), ...refusals(404) },
  handle: (c) => respondWith(c, account(c).readBatch(identity(c), c.req.param('id')), batchStatus),
})

batchRoutes.add('GET /batches/{id}/items', {
  operationId: 'listBatchItems',
  summary: 'List the items of a batch, in their order',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  request: {
    query: z.object({ status: ItemStatus.optional(), cursor: cursorOf('0|[1-9][0-9]{0,2}'), limit: Limit(100, 20) }),
  },
  responses: { 200: ok(pageSchema('items', BatchItem)), ...refusals(400, 404) },
  handle: (c) => {
    const { status, cursor, limit } = c.req.valid('query')
    const page = { after: cursor === undefined ? null : Number(cursor), limit: limit + 1 }
    const answer = account(c).batchItems(identity(c), c.req.param('id'), { state: status ?? null }, page)
    return respondWith(c, answer, (records) => {
      const { page, nextCursor } = pageOf(records, limit, ({ index }) => `${index}`)
      return { items: page.map(itemStatus), nextCursor }
    })
  },
})

batchRoutes.add('DELETE /batches/{id}', {
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description:
    'Cancels the items that have not ended, with their jobs. Completed items keep their media and transcripts.',
  guards: [apiKey('general', 'import', 'transcribe', 'manage')],
  responses: { 200: ok(BatchStatus), ...refusals(404) },
  handle: (c) =>
    handleAnswer(c, account(c).cancelBatch(identity(c), c.req.param('id')), ({ batch, stopped }) => {
      for (const step of stopped) cancelStep(c, step)
      return respond(c, batchStatus(batch))
    }),
})

batchRoutes.add('POST /batches/{id}/retry', {
  operationId: 'retryBatch',
  summary: 'Retry the items of a batch that did not succeed',
  description:
    'Starts a new batch of the items that were skipped or canceled, or that failed for a reason that may pass. The options are those of the first batch. A provider key that was sent with the first batch is deleted when that batch ends. The stored key is used then. While a retry of the batch is open, the response is that retry.',
  guards: [apiKey('import', 'import', 'transcribe'), idempotencyKey],
  responses: {
    202: ok(StartedBatch, 'The retry is queued, or running since an earlier request.'),
    ...refusals(403, 404),
  },
  handle: (c) => {
    const { idempotency, requestId } = c.var
    const facts = { batchId: newId('batch', Date.now()), origin: originToKeep(c), idempotency, requestId }
    return respondWith(c, account(c).retryBatch(identity(c), c.req.param('id'), facts), startedView, 202)
  },
})
