import type { Operation, Schema } from './document.ts'

/** One row of a table of parameters or fields. Nested fields have a path as their name: `result.mediaUrl`. */
export interface Field {
  name: string
  type: string
  isRequired: boolean
  description: string
  values: string[]
  defaultValue: string | null
}

export const requestFields = ({ parameters = [], requestBody }: Operation): { location: string; field: Field }[] => {
  const body = requestBody?.content['application/json']?.schema
  return [
    ...parameters.map(({ name, in: location, schema, required = false }) => ({
      location,
      field: fieldOf(name, schema, required),
    })),
    ...(body ? fieldsOf(body).map((field) => ({ location: 'body', field })) : []),
  ]
}

const MAX_DEPTH = 4

export const fieldsOf = (schema: Schema, path = '', depth = 0): Field[] => {
  const { properties = {}, required = [], oneOf, anyOf } = schema
  const variants = (oneOf ?? anyOf ?? []).filter((variant) => variant.properties && !listedElsewhere.has(variant.name))
  if (variants.length > 0) return distinct(variants.flatMap((variant) => fieldsOf(variant, path, depth)))
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = fieldOf(`${path}${name}`, property, required.includes(name))
    return [field, ...fieldsWithin(property, field.name, depth)]
  })
}

/** The variants of a union share most of their fields. */
const distinct = (fields: Field[]): Field[] => [...new Map(fields.map((field) => [field.name, field])).values()]

/** Their descriptions name the endpoint that lists them. */
const listedElsewhere = new Set<string | undefined>(['ImportOptions', 'TranscribeOptions', 'WordsOptions'])

const fieldsWithin = ({ items, ...own }: Schema, name: string, depth: number): Field[] => {
  if (depth === MAX_DEPTH || listedElsewhere.has(own.name)) return []
  return items ? fieldsOf(items, `${name}[].`, depth + 1) : fieldsOf(own, `${name}.`, depth + 1)
}

export const fieldOf = (name: string, schema: Schema, isRequired: boolean): Field => ({
  name,
  type: typeOf(schema),
  isRequired,
  description: schema.description ?? schema.anyOf?.find(({ name }) => listedElsewhere.has(name))?.description ?? '',
  values: (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).map(String),
  defaultValue: schema.default === undefined ? null : JSON.stringify(schema.default),
})

const typeOf = ({ type, format, items, anyOf, oneOf }: Schema): string => {
  const variants = anyOf ?? oneOf
  if (variants) return [...new Set(variants.map(typeOf))].join(' or ')
  if (items) return `array of ${typeOf(items)}s`
  const names = [type ?? 'anything']
    .flat()
    .map((name) => (name === 'string' ? (plainNames[format ?? ''] ?? name) : name))
  return names.join(' or ')
}

const plainNames: Record<string, string> = { uri: 'URL', 'date-time': 'time', binary: 'bytes' }
