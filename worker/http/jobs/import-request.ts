import { z } from '@hono/zod-openapi'
import type { ImportRequest } from '../../../domain/jobs/job.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { importFields, importOptions } from '../../../domain/options/import-options.ts'
import { given, type ValuesOf } from '../../../domain/options/option.ts'
import { schemasOf } from './option-schemas.ts'
import { clipOf } from './own-shapes.ts'

export type ImportOptions = ValuesOf<typeof importOptions>

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
export const ImportOptions = z.strictObject(schemasOf(importOptions)).superRefine(checkOptions).openapi('ImportOptions')

export const ImportBody = z.strictObject(schemasOf(importFields)).superRefine(checkOptions).openapi('ImportRequest')
export type ImportBody = z.infer<typeof ImportBody>

export const importRequestOf = (body: ImportBody): ImportRequest => ({
  ...importOf(body),
  url: body.url,
  storageFilename: body.storageFilename ?? null,
})

/** What each item of a batch is asked for. */
export const importOf = (options: ImportOptions): Omit<ImportRequest, 'url'> => {
  const { clip, reuseWithinSeconds: _, maxCostDollars, ...kept } = given(importOptions, options)
  return {
    ...kept,
    ...(maxCostDollars !== undefined && { maxCostMicros: fromDollars(maxCostDollars) }),
    clip: clipOf(clip),
    webhookUrl: kept.webhookUrl ?? null,
    storagePath: kept.storagePath ?? null,
    storageFilename: null,
    storageBucket: kept.storageBucket ?? null,
    storageClass: kept.storageClass ?? null,
  }
}
