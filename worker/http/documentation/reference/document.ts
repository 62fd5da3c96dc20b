/** The parts of the OpenAPI document that the reference page uses. */
export interface Document {
  info: { version: string; summary?: string }
  paths: Record<string, Partial<Record<Method, Operation>>>
  webhooks: Record<string, { post?: Operation }>
  components: { schemas: Record<string, Schema> }
}

export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof methods)[number]

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
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  allOf?: Schema[]
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

export const byTag = ({ paths }: Document): Map<string, Endpoint[]> =>
  Map.groupBy(
    Object.entries(paths).flatMap(([path, operations]) =>
      methods.flatMap((method) => {
        const operation = operations[method]
        return operation ? [{ id: idOf(method, path), method, path, operation }] : []
      }),
    ),
    ({ operation }) => operation.tags?.[0] ?? 'Other',
  )

export const nameOf = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`

export const successOf = ({ responses }: Operation): { status: string; schema: Schema | undefined } | undefined => {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return found && { status: found[0], schema: found[1].content?.['application/json']?.schema }
}

export const resolved = (schema: Schema, document: Document): Schema => {
  const target = schema.$ref && document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  if (target)
    return { ...resolved(target, document), ...(schema.description ? { description: schema.description } : {}) }
  if (!schema.allOf) return schema
  const { allOf, ...own } = schema
  return [...allOf, own].map((part) => resolved(part, document)).reduce(merged)
}

const merged = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  ...(one.properties || other.properties ? { properties: { ...one.properties, ...other.properties } } : {}),
  ...(one.required || other.required ? { required: [...(one.required ?? []), ...(other.required ?? [])] } : {}),
})
