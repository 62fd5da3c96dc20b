import { z } from '@hono/zod-openapi'
import { failureCodes } from '../../../domain/codes/failures.ts'
import { watchFields, watchOptions } from '../../../domain/options/watch-options.ts'
import { notEmpty } from '../../../domain/schemas.ts'
import { pauseCodes, watchItemStates, watchStates } from '../../../domain/watches/watch.ts'
import { Cost, Integer, JobId, named, SourceUrl, Timestamp, Title } from '../schemas.ts'
import { schemasOf } from './option-schemas.ts'
import { ImportOptions, TranscribeOptions } from './start-requests.ts'
import { MetadataView } from './status.ts'

interface Items {
  import?: ImportOptions | null | undefined
  transcribe?: TranscribeOptions | null | undefined
}

/** The key of a request would have to be kept as long as the watch. */
const checkItems = ({ import: imported, transcribe }: Items, context: z.core.$RefinementCtx): void => {
  const addIssue = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message })
  if (imported && transcribe) addIssue('only one of import and transcribe is allowed', 'transcribe')
  const stored = 'is not allowed in a watch: store a key with POST /transcription-provider'
  if (imported?.transcribe?.apiKey !== undefined) addIssue(stored, 'import', 'transcribe', 'apiKey')
  if (transcribe?.apiKey !== undefined) addIssue(stored, 'transcribe', 'apiKey')
}

export const WatchBody = z
  .strictObject({
    ...schemasOf(watchFields),
    import: ImportOptions.optional(),
    transcribe: TranscribeOptions.optional(),
  })
  .superRefine(checkItems)
  .openapi('WatchRequest', {
    description:
      'Each new item is imported with the fields of `POST /import`, or transcribed with those of `POST /transcribe`. With neither `import` nor `transcribe`, the watch only tells.',
    example: { url: 'https://example.com/feed.xml', import: { captions: ['en'] }, maxCostDollarsPerMonth: 20 },
  })
export type WatchBody = z.infer<typeof WatchBody>

const { everyMinutes, since, first, filter, maxCostDollarsPerMonth, maxNew, webhookUrl, metadata } = schemasOf(
  withoutDefaults(watchOptions),
)

export const WatchChangesBody = notEmpty(
  z.strictObject({
    ...{ everyMinutes, since, first, maxNew, metadata },
    filter: filter.nullable(),
    maxCostDollarsPerMonth: maxCostDollarsPerMonth.nullable(),
    webhookUrl: webhookUrl.nullable(),
    import: z.union([ImportOptions, z.null()]).optional(),
    transcribe: z.union([TranscribeOptions, z.null()]).optional(),
    paused: z.boolean().optional().describe('true pauses the watch. false ends any pause, and takes what waits.'),
    waiting: z.literal('drop').optional().describe('Marks what waits, so that it is never taken.'),
  }),
)
  .superRefine(checkItems)
  .openapi('WatchChanges', { example: { paused: true } })
export type WatchChangesBody = z.infer<typeof WatchChangesBody>

/** A change leaves alone what it does not name. */
function withoutDefaults(options: typeof watchOptions) {
  const rows = Object.entries(options).map(([name, { ...row }]) => [name, { ...row, default: undefined }])
  return Object.fromEntries(rows) as {
    [Name in keyof typeof watchOptions]: Omit<(typeof watchOptions)[Name], 'default'>
  }
}

export const WatchId = z.string().openapi({ example: 'wat_…' })
const ItemId = z.string().openapi({ example: 'wit_…' })

export const StartedWatch = named('StartedWatch', {
  watchId: WatchId,
  status: z.literal('starting'),
  message: z.string(),
})

const codes = [...new Set([...(Object.keys(pauseCodes) as (keyof typeof pauseCodes)[]), ...failureCodes])] as const

export const WatchStatus = named('Watch', {
  watchId: WatchId,
  url: SourceUrl,
  title: Title.nullable(),
  source: z.enum(['feed', 'page']).nullable().describe('What is read. null before the first read.'),
  status: z.enum(watchStates).describe('`failing` after three polls in a row have failed, or if the URL is no list.'),
  code: z
    .enum(codes as [string, ...string[]])
    .nullable()
    .describe('Why it is paused, or why its last poll failed.'),
  message: z.string().nullable(),
  createdAt: Timestamp,
  nextPollAt: Timestamp.nullable().describe('It may be polled a little earlier. null while it is not polled.'),
  lastPollAt: Timestamp.nullable(),
  failures: Integer.describe('Polls in a row that have failed.'),
  waiting: Integer.describe('Items that wait for a job.'),
  spentThisMonthDollars: Cost,
  resetsAt: Timestamp.describe('When the next month begins.'),
  everyMinutes: Integer,
  since: Timestamp,
  first: Integer,
  filter: z.object({
    title: z.array(z.string()).optional(),
    notTitle: z.array(z.string()).optional(),
    minSeconds: Integer.optional(),
    maxSeconds: Integer.optional(),
  }),
  import: z.record(z.string(), z.unknown()).nullable().describe('As it was given.'),
  transcribe: z.record(z.string(), z.unknown()).nullable().describe('As it was given.'),
  maxCostDollarsPerMonth: z.number().nullable(),
  maxNew: Integer,
  webhookUrl: z.string().nullable(),
  metadata: MetadataView,
})

export const WatchItemStatus = z.enum(watchItemStates)

const item = {
  itemId: ItemId,
  url: SourceUrl,
  title: Title.nullable(),
  publishedAt: Timestamp.nullable(),
  seconds: z.number().nullable(),
}

export const WatchItem = named('WatchItem', {
  ...item,
  status: WatchItemStatus.describe(
    '`marked`: it was there before, or is old. `filtered`: the filter leaves it out. `told`: the watch only tells.',
  ),
  jobId: JobId.nullable(),
  attempts: Integer.describe('How often a job of it has ended.'),
  nextAttemptAt: Timestamp.nullable().describe('When it is tried again, after a failure that may pass.'),
  code: z.string().nullable().describe('Why it has failed, or waits.'),
  costInDollars: Cost.nullable(),
})

/** The `data` of `watch.item`. */
export const NewWatchItem = named('NewWatchItem', {
  watchId: WatchId,
  ...item,
  status: z.enum(['waiting', 'told']),
  metadata: MetadataView,
})
