import { type Document, type Endpoint, resolved, type Schema, successOf } from './document.ts'

export const curlOf = ({ method, path, operation }: Endpoint, baseUrl: string, document: Document): string => {
  const address = `${baseUrl}${path.replace(/\{(\w+)\}/g, '<$1>')}${queryOf(operation.parameters ?? [], document)}`
  const body = operation.requestBody?.content['application/json']?.schema
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${address}'`,
    ...credentialOf(operation.security),
    ...(operation.requestBody?.content['multipart/form-data'] ? ["-F 'file=@speech.mp3'"] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(requestSample(body, document))}'`] : []),
  ]
  return lines.join(' \\\n  ')
}

const credentialOf = (security: Record<string, string[]>[] = []): string[] => {
  const [scheme] = security.flatMap(Object.keys)
  if (!scheme) return []
  return [`-H "Authorization: Bearer ${scheme === 'adminToken' ? '$ADMIN_TOKEN' : '$HAUL_API_KEY'}"`]
}

const queryOf = (parameters: NonNullable<Endpoint['operation']['parameters']>, document: Document): string => {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const pairs = required.map(({ name, schema }) => {
    const { example } = resolved(schema, document)
    return `${name}=${example === undefined ? `<${name}>` : encodeURIComponent(String(example))}`
  })
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

export const responseOf = ({ operation }: Endpoint, document: Document): Json | undefined => {
  const schema = successOf(operation)?.schema
  return schema && sampleOf('', schema, document)
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** The required fields of a body, unless its schema has an example. */
const requestSample = (schema: Schema, document: Document): Json => {
  const { properties = {}, required = [], example } = resolved(schema, document)
  if (example !== undefined) return example as Json
  return Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] ?? {}, document)]))
}

/** The example of the schema, or a value of its type. What may be null is null. */
const sampleOf = (name: string, schema: Schema, document: Document): Json => {
  const full = resolved(schema, document)
  const variants = full.oneOf ?? full.anyOf
  if (full.example !== undefined) return full.example as Json
  if (variants?.[0]) return sampleOf(name, variants[0], document)
  if (full.const !== undefined) return full.const as Json
  if (full.enum) return (full.enum.includes('completed') ? 'completed' : full.enum[0]) as Json
  if (full.items) return [sampleOf(name, full.items, document)]
  if (full.properties) return objectSample(full, document)
  return plainSample(name, full)
}

/** Optional fields belong to special cases and are left out, except for `result`, which is the purpose of the response. */
const objectSample = ({ properties = {}, required = [] }: Schema, document: Document): Json =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || name === 'result')
      .map(([name, property]) => [name, sampleOf(name, property, document)]),
  )

const plainSample = (name: string, { type }: Schema): Json => {
  const types = [type ?? 'object'].flat()
  if (types.includes('null')) return null
  if (types.includes('string')) return `<${name || 'string'}>`
  if (types.includes('boolean')) return true
  return types.includes('number') || types.includes('integer') ? 1 : {}
}
