import { html } from 'hono/html'
import { code, type Html, inline, nothing, prose } from '../frame.ts'
import {
  byTag,
  type Document,
  type Endpoint,
  idOf,
  type Operation,
  type Parameter,
  type Schema,
  successOf,
} from './document.ts'
import { type Field, fieldOf, fieldsOf } from './fields.ts'

export const endpointSections = (document: Document, baseUrl: string): Html[] =>
  [...byTag(document)].map(
    ([tag, endpoints]) => html`
      <section class="tag" aria-labelledby="${idOf('tag', tag)}">
        <h2 id="${idOf('tag', tag)}"><a href="#${idOf('tag', tag)}">${tag}</a></h2>
        ${endpoints.map((endpoint) => endpointSection(endpoint, baseUrl))}
      </section>`,
  )

const endpointSection = (endpoint: Endpoint, baseUrl: string): Html => {
  const { id, method, path, operation } = endpoint
  const schema = successOf(operation)?.schema
  const sample = schema && sampleOf('', schema)
  return html`
    <section class="endpoint" aria-labelledby="${id}">
      <div class="description">
        <h3 id="${id}"><a href="#${id}"><span class="method ${method}">${method.toUpperCase()}</span> <span class="path">${path}</span></a></h3>
        <p class="summary">${inline(operation.summary ?? '')}</p>
        ${prose(operation.description ?? '')}
        <p class="authentication">${authenticationOf(operation)}</p>
        ${parametersOf(operation)}
        ${requestBodyOf(operation)}
        ${responsesOf(operation)}
      </div>
      <div class="samples"><div>
        ${code(curlOf(endpoint, baseUrl))}
        ${sample === undefined ? nothing : code(JSON.stringify(sample, null, 2))}
      </div></div>
    </section>`
}

const authenticationOf = ({ security = [] }: Operation): string => {
  const [scheme] = security.flatMap(Object.keys)
  if (scheme === 'apiKey') return 'Requires an API key.'
  return scheme ? 'Requires the operator token.' : 'Requires no key.'
}

const parameterTitles: Record<string, string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
}

const parametersOf = ({ parameters = [] }: Operation): Html[] =>
  Object.entries(parameterTitles).map(([location, title]) => {
    const here = parameters.filter((parameter) => parameter.in === location)
    return fieldList(
      title,
      here.map(({ name, schema, required = false }) => fieldOf(name, withoutNull(schema), required)),
    )
  })

/** Coerced schemas also accept null, which a path or query cannot contain. */
const withoutNull = (schema: Schema): Schema =>
  Array.isArray(schema.type) ? { ...schema, type: schema.type.filter((type) => type !== 'null') } : schema

const jsonSchema = (content: Record<string, { schema?: Schema }> = {}): Schema | undefined =>
  content['application/json']?.schema

const requestBodyOf = ({ requestBody }: Operation): Html => {
  const schema = jsonSchema(requestBody?.content)
  if (schema) return fieldList('Body', fieldsOf(schema))
  const form = requestBody?.content['multipart/form-data']?.schema
  return form ? fieldList('Form (multipart/form-data)', fieldsOf(form)) : nothing
}

const responsesOf = ({ responses }: Operation): Html => html`
  <h4>Responses</h4>
  <ul class="responses">
    ${Object.entries(responses).map(([status, { description, content }]) => {
      const fields = status.startsWith('2') ? dataFields(jsonSchema(content)) : []
      const label = html`<b class="status s${status[0]}">${status}</b> ${description}`
      if (fields.length === 0) return html`<li>${label}${typesOf(content)}</li>`
      return html`<li><details><summary>${label} <span class="hint">${fields.length} fields</span></summary>${fieldList('', fields, 'response')}</details></li>`
    })}
  </ul>`

const typesOf = (content: Record<string, unknown> = {}): string => {
  const types = Object.keys(content).filter((type) => type !== 'application/json' && type !== '*/*')
  return types.length > 0 ? ` (${types.join(', ')})` : ''
}

/** Without the envelope, which the guides describe. */
const dataFields = (schema: Schema | undefined): Field[] => (schema ? fieldsOf(schema.properties?.data ?? schema) : [])

/** Marks required fields of requests, and optional fields of responses. */
const fieldList = (title: string, fields: Field[], direction: 'request' | 'response' = 'request'): Html => {
  if (fields.length === 0) return nothing
  return html`${title ? html`<h4>${title}</h4>` : nothing}
    <dl class="fields">${fields.map((field) => fieldItem(field, direction))}</dl>`
}

/** Without indentation: there are a thousand fields on the page. */
const fieldItem = ({ name, type, isRequired, description, values, defaultValue }: Field, direction: string): Html => {
  const required = direction === 'request' && isRequired ? html` <span class="required">required</span>` : nothing
  const optional = direction === 'response' && !isRequired ? html` <span class="type">optional</span>` : nothing
  const about = description ? html`<span>${inline(description)}</span>` : nothing
  const usual = defaultValue === null ? nothing : html` <span>Default <code>${defaultValue}</code></span>`
  return html`<div><dt><code>${name}</code> <span class="type">${type}</span>${required}${optional}</dt><dd>${about} ${valuesOf(values)}${usual}</dd></div>`
}

const MAX_VALUES = 12

/** Only the codes of failed jobs are more than this, and they have their own table. */
const valuesOf = (values: string[]): Html => {
  if (values.length === 0) return nothing
  if (values.length > MAX_VALUES) return html`<a href="#errors-failed-jobs">One of the error codes of failed jobs</a>`
  return html`<span class="values">${values.map((value) => html`<code>${value}</code> `)}</span>`
}

export const eventsSection = (document: Document): Html => {
  const events = Object.entries(document.webhooks).flatMap(([type, { post }]) => (post ? [{ type, ...post }] : []))
  const [first] = events
  if (!first) return nothing
  const headers = (first.parameters ?? []).map(({ name, schema }) => fieldOf(name, schema, true))
  return html`
    <section class="tag" aria-labelledby="events">
      <h2 id="events"><a href="#events">Webhook events</a></h2>
      <p>The body is <code>{"type", "timestamp", "data"}</code>; <code>data</code> is the job as the status endpoint returns it,
        or the batch as <code>GET /batches/{id}</code> does. <a href="#webhooks">Webhooks</a> shows how to receive them.</p>
      ${prose(first.description ?? '')}
      <div class="scroll" tabindex="0" role="group" aria-label="Webhook event types">
        <table>
          <thead><tr><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
          <tbody>${events.map(({ type, summary }) => html`<tr id="${idOf('event', type)}"><td><code>${type}</code></td><td>${summary}</td></tr>`)}</tbody>
        </table>
      </div>
      <h3 id="event-headers"><a href="#event-headers">Headers</a></h3>
      ${fieldList('', headers, 'response')}
    </section>`
}

const curlOf = ({ method, path, operation }: Endpoint, baseUrl: string): string => {
  const address = `${baseUrl}${path.replace(/\{(\w+)\}/g, '<$1>')}${queryOf(operation.parameters ?? [])}`
  const body = operation.requestBody?.content['application/json']?.schema
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${address}'`,
    ...credentialOf(operation.security),
    ...(operation.requestBody?.content['multipart/form-data'] ? ["-F 'file=@speech.mp3'"] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(requestSample(body))}'`] : []),
  ]
  return lines.join(' \\\n  ')
}

const credentialOf = (security: Record<string, string[]>[] = []): string[] => {
  const [scheme] = security.flatMap(Object.keys)
  if (!scheme) return []
  return [`-H "Authorization: Bearer ${scheme === 'adminToken' ? '$ADMIN_TOKEN' : '$HAUL_API_KEY'}"`]
}

const queryOf = (parameters: Parameter[]): string => {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const pairs = required.map(
    ({ name, schema: { example } }) =>
      `${name}=${example === undefined ? `<${name}>` : encodeURIComponent(String(example))}`,
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

const requestSample = (schema: Schema): Json => {
  const { properties = {}, required = [], example } = schema
  if (example !== undefined) return example as Json
  return Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] ?? {})]))
}

/** The example of the schema, or a value of its type. What may be null is null. */
const sampleOf = (name: string, full: Schema): Json => {
  const variants = full.oneOf ?? full.anyOf
  if (full.example !== undefined) return full.example as Json
  if (variants?.[0]) return sampleOf(name, variants[0])
  if (full.const !== undefined) return full.const as Json
  if (full.enum) return (full.enum.includes('completed') ? 'completed' : full.enum[0]) as Json
  if (full.items) return [sampleOf(name, full.items)]
  if (full.properties) return objectSample(full)
  return plainSample(name, full)
}

/** Optional fields belong to special cases and are left out, except for `result`, which is the purpose of the response. */
const objectSample = ({ properties = {}, required = [] }: Schema): Json =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || name === 'result')
      .map(([name, property]) => [name, sampleOf(name, property)]),
  )

const plainSample = (name: string, { type }: Schema): Json => {
  const types = [type ?? 'object'].flat()
  if (types.includes('null')) return null
  if (types.includes('string')) return `<${name || 'string'}>`
  if (types.includes('boolean')) return true
  return types.includes('number') || types.includes('integer') ? 1 : {}
}
