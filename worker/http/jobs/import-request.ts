import { z } from '@hono/zod-openapi'
import { MAX_LIMIT_BYTES } from '../../../domain/account-limits.ts'
import { bucketNameProblem, bucketNameRule, storageClasses } from '../../../domain/bucket/bucket-rules.ts'
import { filenameProblem, filenameRule, pathProblem, pathRule } from '../../../domain/bucket/object-name.ts'
import type { ImportRequest } from '../../../domain/jobs/job.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { AudioFormat, AudioQuality, VideoQuality } from '../../../domain/protocol/protocol.ts'
import { checkedBy, HttpUrl } from '../schemas.ts'
import { ClipField, clipOf, MaxCostField, MetadataField, ReuseField } from './shared-fields.ts'

/** What an import is asked for, whatever its source. */
const options = {
  includeVideo: z.boolean().default(true).describe('Set to false to import only the audio.'),
  includeAudio: z.boolean().default(true).describe('Set to false to import only the video. Not both can be false.'),
  videoQuality: VideoQuality.default('1080p'),
  audioQuality: AudioQuality.default('best'),
  audioFormat: AudioFormat.default('source').describe(
    'The format of the file. Only with `includeVideo: false`, except for `source`. The audio is re-encoded only if it has another one.',
  ),
  clip: ClipField.optional(),
  maxCostDollars: MaxCostField.optional().describe(
    'The most that the import may cost. It fails with MAX_COST_EXCEEDED, for free: before the first byte if the size is known, else when it has downloaded as much.',
  ),
  maxBytes: z
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT_BYTES)
    .optional()
    .describe('The most bytes to download. Beyond it the import fails with MEDIA_TOO_LARGE, as with maxCostDollars.'),
  reuseWithinSeconds: ReuseField,
  webhookUrl: HttpUrl.optional().describe('Receives a webhook when the job ends.'),
  store: z.boolean().default(false).describe("Copy the file to the account's S3 bucket."),
  storagePath: checkedBy((path) => pathProblem(path), pathRule())
    .optional()
    .openapi({ description: 'The folder in the bucket, below the pathPrefix.', example: 'films/2026' }),
  storageBucket: checkedBy(bucketNameProblem, bucketNameRule)
    .optional()
    .describe('A different bucket at the same endpoint, with the same keys.'),
  storageClass: z.enum(storageClasses).optional().describe('Overrides the storageClass of PUT /storage.'),
  storageReturnLocation: z
    .boolean()
    .default(true)
    .describe('Set to false to get a mediaUrl on this service and an s3Storage without a url.'),
}

const Options = z.strictObject(options)
export type ImportOptions = z.infer<typeof Options>

/** What only a single import has. The items of a batch would overwrite each other's files, and have the batch's metadata. */
const ownOptions = {
  url: HttpUrl.describe('A publicly accessible media URL.'),
  storageFilename: checkedBy(filenameProblem, filenameRule)
    .optional()
    .describe('The filename without its extension, which is added. At most 240 bytes. Defaults to the title.'),
  metadata: MetadataField,
}

const checkOptions = (
  { includeVideo, includeAudio, audioFormat }: ImportOptions,
  context: z.core.$RefinementCtx<ImportOptions>,
): void => {
  if (!includeVideo && !includeAudio) {
    const message = 'includeVideo and includeAudio must not both be false'
    context.addIssue({ code: 'custom', path: ['includeAudio'], message })
  }
  if (audioFormat !== 'source' && includeVideo) {
    const message = 'is only allowed with includeVideo: false'
    context.addIssue({ code: 'custom', path: ['audioFormat'], message })
  }
}

/** The options of the imports of a batch. */
export const ImportOptions = Options.superRefine(checkOptions).openapi('ImportOptions')

export const ImportBody = z
  .strictObject({ ...ownOptions, ...options })
  .superRefine(checkOptions)
  .openapi('ImportRequest')
export type ImportBody = z.infer<typeof ImportBody>

export const importRequestOf = ({ url, storageFilename, metadata: _, ...options }: ImportBody): ImportRequest => ({
  ...importOf(options),
  url,
  storageFilename: storageFilename ?? null,
})

/** What each item of a batch is asked for. */
export const importOf = ({
  clip,
  reuseWithinSeconds: _,
  maxCostDollars,
  maxBytes,
  ...body
}: ImportOptions): Omit<ImportRequest, 'url'> => ({
  ...body,
  ...(maxCostDollars !== undefined && { maxCostMicros: fromDollars(maxCostDollars) }),
  ...(maxBytes !== undefined && { maxBytes }),
  clip: clipOf(clip),
  webhookUrl: body.webhookUrl ?? null,
  storagePath: body.storagePath ?? null,
  storageFilename: null,
  storageBucket: body.storageBucket ?? null,
  storageClass: body.storageClass ?? null,
})
