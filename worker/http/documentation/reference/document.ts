/** The parts of the OpenAPI document that the reference page uses. References are replaced by their schemas. */
export interface Document {
  info: { version: string; summary?: string }
  paths: Record<string, Partial<Record<Method, Operation>>>
  webhooks: Record<string, { post?: Operation }>
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof methods)[number]

export interface Operation {
  tags?: string[]
  summary?: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}

export interface Schema {
  /** That of a schema which was a reference. */
  name?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  description?: string
  default?: unknown
  example?: unknown
  format?: string
}

export interface Endpoint {
  id: string
  method: Method
  path: string
  operation: Operation
}

export const idOf = (...parts: string[]): string =>
  parts
    .join('-')
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '')

export const byTag = ({ paths }: Document): Map<string, Endpoint[]> => {
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method]
      return operation ? [{ id: idOf(method, path), method, path, operation }] : []
    }),
  )
  return Map.groupBy(endpoints, ({ operation }) => operation.tags?.[0] ?? 'Other')
}

export const nameOf = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`

export const successOf = ({ responses }: Operation): { status: string; schema: Schema | undefined } | undefined => {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return found && { status: found[0], schema: found[1].content?.['application/json']?.schema }
}

/** Replaces each reference by its schema. A description beside the reference replaces that of the schema. */
export const documentWithSchemas = (openapi: object): Document => {
  const { components, ...document } = openapi as Document & { components: { schemas: Record<string, Schema> } }
  const whole = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(whole)
    const { $ref, allOf, ...own } = value as Schema & { $ref?: string; allOf?: Schema[] }
    if ($ref) {
      const name = $ref.split('/').at(-1) ?? ''
      const target = whole(components.schemas[name]) as Schema
      return { ...target, name, ...(own.description && { description: own.description }) }
    }
    const inner: Schema = Object.fromEntries(Object.entries(own).map(([name, each]) => [name, whole(each)]))
    return allOf ? [...(whole(allOf) as Schema[]), inner].reduce(merged) : inner
  }
  return whole(document) as Document
}

const merged = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  ...(one.properties || other.properties ? { properties: { ...one.properties, ...other.properties } } : {}),
  ...(one.required || other.required ? { required: [...(one.required ?? []), ...(other.required ?? [])] } : {}),
})
