import { z } from '@hono/zod-openapi'
import {
  type JobMetadata,
  MAX_METADATA_CHARACTERS,
  MAX_METADATA_KEYS,
  METADATA_KEY,
  metadataProblems,
} from '../../../domain/jobs/job-metadata.ts'
import { MAX_SECONDS } from '../../../domain/limits.ts'
import { clipTimeRule, secondsOf } from '../../../domain/media/clip-times.ts'
import { MAX_CAPTION_LANGUAGES } from '../../../domain/options/file-options.ts'
import type { Option, Options, Shape, ValueOf } from '../../../domain/options/option.ts'
import { languageTag } from '../../../domain/options/shared-options.ts'
import { MAX_PROVIDER_OPTIONS_LEVELS, MAX_SPEAKERS } from '../../../domain/options/transcribe-options.ts'
import type { Clip, SpeakerCount } from '../../../domain/protocol/protocol.ts'
import { checkedBy, HttpUrl, Id, ProviderKey } from '../schemas.ts'

/** A millisecond, the unit of media times. Slightly less, because differences of decimal fractions are inexact. */
const SHORTEST_SECONDS = 0.000_999

const ClipTime = z.union([
  z.number().min(0).max(MAX_SECONDS),
  checkedBy(
    (text) => (secondsOf(text) === null ? 'must be seconds, or a time such as 2:30 or 1:02:03.5' : null),
    clipTimeRule,
  ),
])

/** NaN for a string that is not a time, which ClipTime has reported: NaN compares as neither earlier nor later. */
const seconds = (time: z.infer<typeof ClipTime>): number =>
  typeof time === 'number' ? time : (secondsOf(time) ?? Number.NaN)

const ClipField = z
  .strictObject({ start: ClipTime.optional(), end: ClipTime.optional() })
  .superRefine(({ start, end }, context) => {
    const addIssue = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message })
    if (end === undefined) {
      if (start === undefined) addIssue('must have a start, an end, or both')
      return
    }
    const length = seconds(end) - seconds(start ?? 0)
    if (length <= 0) addIssue('must be after the start', 'end')
    else if (length < SHORTEST_SECONDS) addIssue('must be at least a millisecond after the start', 'end')
  })
  .openapi({ minProperties: 1 })

export const clipOf = (field: z.infer<typeof ClipField> | undefined): Clip | null => {
  const timeOf = (time: z.infer<typeof ClipTime> | undefined) => (time === undefined ? null : seconds(time))
  return field ? { startSeconds: timeOf(field.start), endSeconds: timeOf(field.end) } : null
}

const Speakers = z.number().int().min(1).max(MAX_SPEAKERS).optional()
const SpeakerLimits = z
  .strictObject({ min: Speakers, max: Speakers })
  .refine(({ min = 1, max = MAX_SPEAKERS }) => min <= max, { path: ['max'], message: 'must not be less than min' })
const SpeakersField = z.union(
  [z.boolean(), SpeakerLimits],
  `must be true, false, or an object with min and max from 1 to ${MAX_SPEAKERS}`,
)

export const speakersOf = (field: z.infer<typeof SpeakersField>): SpeakerCount | null => {
  if (field === false) return null
  return field === true ? { min: null, max: null } : { min: field.min ?? null, max: field.max ?? null }
}

const MAX_OPTIONS_CHARACTERS = 16_384
const MAX_OPTION_NAME_CHARACTERS = 200

/** Whether objects and arrays are nested deeper than this. Deeper nesting could exhaust the stack of code that reads them. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

const ProviderOptionsField = z
  .record(z.string().max(MAX_OPTION_NAME_CHARACTERS), z.unknown())
  .refine((given) => !isDeeper(given, MAX_PROVIDER_OPTIONS_LEVELS), {
    message: `must have at most ${MAX_PROVIDER_OPTIONS_LEVELS} levels of objects and arrays`,
    abort: true,
  })
  .refine((given) => JSON.stringify(given).length <= MAX_OPTIONS_CHARACTERS, 'must be at most 16 KiB of JSON')
  // The spread hides the field from the library's types, which are those of OpenAPI 3.0.
  .openapi({ ...{ propertyNames: { maxLength: MAX_OPTION_NAME_CHARACTERS } } })

const checkMetadata = (value: JobMetadata, context: z.core.$RefinementCtx<JobMetadata>): void => {
  for (const problem of metadataProblems(value)) context.addIssue({ code: 'custom', ...problem })
}

const metadataSchema = (prefix: string) => ({
  type: 'object' as const,
  maxProperties: MAX_METADATA_KEYS,
  propertyNames: { pattern: `^${prefix}${METADATA_KEY}$` },
  additionalProperties: { type: 'string' as const, maxLength: MAX_METADATA_CHARACTERS },
})

const MetadataField = z
  .custom<JobMetadata>()
  .superRefine(checkMetadata)
  .openapi({ ...metadataSchema(''), example: { episode: '42' } })

/** OpenAPI cannot describe names with a dot. In an exploded object each property is a parameter, and its own name is not sent. */
export const MetadataFilter = z
  .custom<JobMetadata>((value) => typeof value === 'object', 'is given as metadata.KEY=VALUE')
  .superRefine(checkMetadata)
  .optional()
  .openapi({
    ...metadataSchema(String.raw`metadata\.`),
    param: { style: 'form', explode: true },
    description:
      'Each parameter `metadata.KEY=VALUE` lists only jobs whose metadata has this key with exactly this value: `metadata.episode=42`.',
  })

type SchemaOf<Row> = Row extends { default: unknown } | { required: true }
  ? z.ZodType<ValueOf<Row>>
  : z.ZodOptional<z.ZodType<ValueOf<Row>>>
type SchemasOf<Table> = { -readonly [Name in keyof Table]: SchemaOf<Table[Name]> }

export const schemasOf = <Table extends Options>(table: Table): SchemasOf<Table> => eachOf(table, schemaOf)

/** For a form or a query, whose values are strings. A string that is too long keeps its end, as other services do it. */
export const textSchemasOf = <Table extends Options>(table: Table): SchemasOf<Table> =>
  eachOf(table, (row) => {
    const { shape } = row
    if (shape.type === 'integer' || shape.type === 'dollars') {
      const number = z.coerce.number().pipe(shapeOf(shape) as z.ZodType<number, number>)
      return documented(present(number, row), row).openapi({ type: shape.type === 'integer' ? 'integer' : 'number' })
    }
    if (shape.type === 'boolean') return truth(row.default === true, row.about)
    if (shape.type !== 'text' || shape.pattern) return schemaOf(row)
    const text = z.string().transform((given) => given.slice(-shape.max))
    return documented(present(text, row), row).openapi({ type: 'string' })
  })

/** As FastAPI reads a truth value. */
export const truth = (fallback: boolean, description = '') =>
  z
    .string()
    .optional()
    .transform((value) => (value === undefined || value === '' ? fallback : /^(?:true|1|on|t|y|yes)$/i.test(value)))
    .openapi({ type: 'boolean', default: fallback, description })

const eachOf = <Table extends Options>(table: Table, schema: (row: Option) => z.ZodType) =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, schema(row)])) as SchemasOf<Table>

const schemaOf = (row: Option): z.ZodType => documented(present(shapeOf(row.shape), row), row)

const present = (shape: z.ZodType, row: Option): z.ZodType => {
  if (row.default !== undefined) return shape.default(row.default)
  return row.required ? shape : shape.optional()
}

const documented = (schema: z.ZodType, { about, example }: Option): z.ZodType => {
  const shown = example === undefined ? schema : schema.openapi({ example })
  return about === undefined ? shown : shown.describe(about)
}

const shapeOf = (shape: Shape): z.ZodType => {
  switch (shape.type) {
    case 'boolean':
      return z.boolean()
    case 'integer':
      return z.number().int().min(shape.min).max(shape.max)
    case 'dollars':
      return z.number().positive().max(shape.max)
    case 'choice':
      return shape.values.length === 1 ? z.literal(shape.values[0] ?? '') : z.enum(shape.values)
    case 'text': {
      const text = z.string().max(shape.max)
      return shape.pattern ? text.regex(shape.pattern, shape.message) : text
    }
    case 'checked':
      return checkedBy(shape.problem, shape.rule)
    case 'list': {
      const list = z.array(shapeOf(shape.of)).max(shape.max)
      return shape.min === undefined ? list : list.min(shape.min)
    }
    default:
      return ownShapes[shape.type]
  }
}

const MAX_TITLES = 50
const MAX_TITLE_CHARACTERS = 200

const CaptionLanguages = z.union(
  [z.literal('all'), z.array(shapeOf(languageTag)).min(1).max(MAX_CAPTION_LANGUAGES)],
  `must be "all", or a list of up to ${MAX_CAPTION_LANGUAGES} language codes such as en or pt-BR`,
)

const Titles = z.array(z.string().min(1).max(MAX_TITLE_CHARACTERS)).min(1).max(MAX_TITLES).optional()
const Length = z.number().int().min(0).max(MAX_SECONDS).optional()

const WatchFilterField = z
  .strictObject({ title: Titles, notTitle: Titles, minSeconds: Length, maxSeconds: Length })
  .refine(({ minSeconds = 0, maxSeconds = MAX_SECONDS }) => minSeconds <= maxSeconds, {
    path: ['maxSeconds'],
    message: 'must not be less than minSeconds',
  })

const Time = z.iso.datetime({ offset: true }).openapi({ format: 'date-time' })

const ownShapes = {
  url: HttpUrl,
  id: Id.min(1),
  clip: ClipField,
  speakers: SpeakersField,
  metadata: MetadataField,
  providerKey: ProviderKey,
  providerOptions: ProviderOptionsField,
  captionLanguages: CaptionLanguages,
  time: Time,
  watchFilter: WatchFilterField,
}
