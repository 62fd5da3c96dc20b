import { type Document, type Operation, resolved, type Schema } from './document.ts'

/** One row of a table of parameters or fields. Nested fields have a path as their name: `result.mediaUrl`. */
export interface Field {
  name: string
  type: string
  isRequired: boolean
  description: string
  values: string[]
  defaultValue: string | null
}

/** The parameters of an operation and the fields of its JSON body. */
export const requestFields = (
  { parameters = [], requestBody }: Operation,
  document: Document,
): { location: string; field: Field }[] => {
  const body = requestBody?.content['application/json']?.schema
  return [
    ...parameters.map((each) => ({
      location: each.in,
      field: fieldOf(each.name, each.schema, each.required ?? false, document),
    })),
    ...(body ? fieldsOf(body, document).map((field) => ({ location: 'body', field })) : []),
  ]
}

const MAX_DEPTH = 4

export const fieldsOf = (schema: Schema, document: Document, path = '', depth = 0): Field[] => {
  const { properties = {}, required = [], oneOf, anyOf } = resolved(schema, document)
  const variants = (oneOf ?? anyOf ?? []).filter((variant) => resolved(variant, document).properties)
  if (variants.length > 0) return distinct(variants.flatMap((variant) => fieldsOf(variant, document, path, depth)))
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = fieldOf(`${path}${name}`, property, required.includes(name), document)
    return [field, ...fieldsWithin(property, field.name, document, depth)]
  })
}

/** The variants of a union share most of their fields. */
const distinct = (fields: Field[]): Field[] => [...new Map(fields.map((field) => [field.name, field])).values()]

const fieldsWithin = (schema: Schema, name: string, document: Document, depth: number): Field[] => {
  if (depth === MAX_DEPTH) return []
  const { items, ...own } = resolved(schema, document)
  return items ? fieldsOf(items, document, `${name}[].`, depth + 1) : fieldsOf(own, document, `${name}.`, depth + 1)
}

export const fieldOf = (name: string, schema: Schema, isRequired: boolean, document: Document): Field => {
  const full = resolved(schema, document)
  return {
    name,
    type: typeOf(full, document),
    isRequired,
    description: full.description ?? '',
    values: (full.enum ?? (full.const === undefined ? [] : [full.const])).map(String),
    defaultValue: full.default === undefined ? null : JSON.stringify(full.default),
  }
}

const typeOf = ({ type, format, items, anyOf, oneOf }: Schema, document: Document): string => {
  const variants = anyOf ?? oneOf
  if (variants) {
    const names = variants.map((variant) => typeOf(resolved(variant, document), document))
    return [...new Set(names)].join(' or ')
  }
  if (items) return `array of ${typeOf(resolved(items, document), document)}s`
  const names = [type ?? 'anything']
    .flat()
    .map((name) => (name === 'string' ? (plainNames[format ?? ''] ?? name) : name))
  return names.join(' or ')
}

const plainNames: Record<string, string> = { uri: 'URL', 'date-time': 'time', binary: 'bytes' }
