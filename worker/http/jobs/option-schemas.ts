import { z } from '@hono/zod-openapi'
import type { Option, Options, Shape, ValueOf } from '../../../domain/options/option.ts'
import { checkedBy, HttpUrl, Id, ProviderKey } from '../schemas.ts'
import { ClipField, MetadataField, ProviderOptionsField, SpeakersField } from './own-shapes.ts'

/** The schemas that validate the options of domain/options, and document them. */

type SchemaOf<Row> = Row extends { default: unknown } | { required: true }
  ? z.ZodType<ValueOf<Row>>
  : z.ZodOptional<z.ZodType<ValueOf<Row>>>
export type SchemasOf<Table> = { -readonly [Name in keyof Table]: SchemaOf<Table[Name]> }

/** The schema of each row. */
export const schemasOf = <Table extends Options>(table: Table): SchemasOf<Table> => eachOf(table, schemaOf)

/**
 * The same for a form or a query, whose values are strings. A text that is too long keeps its end, because other
 * services take it so.
 */
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

const ownShapes = {
  url: HttpUrl,
  id: Id.min(1),
  clip: ClipField,
  speakers: SpeakersField,
  metadata: MetadataField,
  providerKey: ProviderKey,
  providerOptions: ProviderOptionsField,
}
