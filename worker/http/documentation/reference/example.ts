import { type Document, type Endpoint, resolved } from './document.ts'
import { type Json, requestSample, sampleOf } from './sample.ts'

/** A command that can be pasted, once what stands in angle brackets is filled in. */
export const curlOf = ({ method, path, operation }: Endpoint, baseUrl: string, document: Document): string => {
  const address = `${baseUrl}${path.replace(/\{(\w+)\}/g, '<$1>')}${queryOf(operation.parameters ?? [], document)}`
  const body = operation.requestBody?.content['application/json']?.schema
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${address}'`,
    ...credentialOf(operation.security),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(requestSample(body, document))}'`] : []),
  ]
  return lines.join(' \\\n  ')
}

const credentialOf = (security: Record<string, string[]>[] = []): string[] => {
  const [scheme] = security.flatMap(Object.keys)
  if (!scheme) return []
  return [`-H "Authorization: Bearer ${scheme === 'adminToken' ? '$ADMIN_TOKEN' : '$API_KEY'}"`]
}

const queryOf = (parameters: NonNullable<Endpoint['operation']['parameters']>, document: Document): string => {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const pairs = needed.map(({ name, schema }) => {
    const { example } = resolved(schema, document)
    return `${name}=${example === undefined ? `<${name}>` : encodeURIComponent(String(example))}`
  })
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** The first good answer that is JSON, as it comes. */
export const answerOf = ({ operation }: Endpoint, document: Document): Json | undefined => {
  const good = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  const schema = good?.[1].content?.['application/json']?.schema
  return schema && sampleOf('', schema, document)
}
