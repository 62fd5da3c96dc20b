import { html } from 'hono/html'
import { byTag, type Document, type Endpoint, idOf, type Operation, type Schema } from './document.ts'
import { answerOf, curlOf } from './example.ts'
import { type Field, fieldOf, fieldsOf } from './fields.ts'
import { code, type Html, inline, nothing, prose } from './text.ts'

/** Every endpoint, by tag. */
export const endpointSections = (document: Document, baseUrl: string): Html[] =>
  [...byTag(document)].map(
    ([tag, endpoints]) => html`
      <section class="tag" aria-labelledby="${idOf('tag', tag)}">
        <h2 id="${idOf('tag', tag)}">${tag}</h2>
        ${endpoints.map((endpoint) => endpointSection(endpoint, document, baseUrl))}
      </section>`,
  )

const endpointSection = (endpoint: Endpoint, document: Document, baseUrl: string): Html => {
  const { id, method, path, operation } = endpoint
  const sample = answerOf(endpoint, document)
  return html`
    <section class="endpoint" aria-labelledby="${id}">
      <div class="said">
        <h3 id="${id}"><a href="#${id}"><span class="method ${method}">${method.toUpperCase()}</span> <span class="path">${path}</span></a></h3>
        <p class="summary">${inline(operation.summary ?? '')}</p>
        ${prose(operation.description ?? '')}
        <p class="needs">${needsOf(operation)}</p>
        ${parametersOf(operation, document)}
        ${bodyOf(operation, document)}
        ${answersOf(operation, document)}
      </div>
      <div class="shown"><div>
        ${code(curlOf(endpoint, baseUrl, document))}
        ${sample === undefined ? nothing : code(JSON.stringify(sample, null, 2))}
      </div></div>
    </section>`
}

const needsOf = ({ security = [] }: Operation): string => {
  const [scheme] = security.flatMap(Object.keys)
  if (scheme === 'apiKey') return 'Needs an API key.'
  return scheme ? 'Needs the operator’s token.' : 'Needs no key.'
}

const places: Record<string, string> = { path: 'In the path', query: 'In the query', header: 'Headers' }

const parametersOf = ({ parameters = [] }: Operation, document: Document): Html[] =>
  Object.entries(places).map(([place, title]) => {
    const here = parameters.filter((parameter) => parameter.in === place)
    return fieldList(
      title,
      here.map(({ name, schema, required = false }) => fieldOf(name, textual(schema), required, document)),
    )
  })

/** A parameter is text: that coercion takes null for 0 is of no use to anybody. */
const textual = (schema: Schema): Schema =>
  Array.isArray(schema.type) ? { ...schema, type: schema.type.filter((type) => type !== 'null') } : schema

const jsonSchema = (content: Record<string, { schema?: Schema }> = {}): Schema | undefined =>
  content['application/json']?.schema

const bodyOf = ({ requestBody }: Operation, document: Document): Html => {
  const schema = jsonSchema(requestBody?.content)
  return schema ? fieldList('Body', fieldsOf(schema, document)) : nothing
}

const answersOf = ({ responses }: Operation, document: Document): Html => html`
  <h4>Answers</h4>
  <ul class="answers">
    ${Object.entries(responses).map(([status, { description, content }]) => {
      const fields = status.startsWith('2') ? dataFields(content, document) : []
      const said = html`<b class="status s${status[0]}">${status}</b> ${description}`
      if (fields.length === 0) return html`<li>${said}${typesOf(content)}</li>`
      return html`<li><details><summary>${said} <span class="hint">${fields.length} fields</span></summary>${fieldList('', fields, 'answered')}</details></li>`
    })}
  </ul>`

/** What is not JSON is named by its type. */
const typesOf = (content: Record<string, unknown> = {}): string => {
  const types = Object.keys(content).filter((type) => type !== 'application/json' && type !== '*/*')
  return types.length > 0 ? ` (${types.join(', ')})` : ''
}

/** The envelope is the same everywhere and told once: here is what it holds. */
const dataFields = (content: Record<string, { schema?: Schema }> | undefined, document: Document): Field[] => {
  const schema = jsonSchema(content)
  if (!schema) return []
  return fieldsOf(schema.properties?.data ?? schema, document)
}

/** In what callers send a field may be required; in what they get, it may be missing. */
export const fieldList = (title: string, fields: Field[], direction: 'sent' | 'answered' = 'sent'): Html => {
  if (fields.length === 0) return nothing
  return html`${title ? html`<h4>${title}</h4>` : nothing}
    <dl class="fields">${fields.map((field) => fieldItem(field, direction))}</dl>`
}

const fieldItem = ({ name, type, isRequired, description, values, usual }: Field, direction: string): Html => html`
  <div>
    <dt><code>${name}</code> <span class="type">${type}</span>
      ${direction === 'sent' && isRequired ? html`<span class="must">required</span>` : nothing}
      ${direction === 'answered' && !isRequired ? html`<span class="type">not always</span>` : nothing}</dt>
    <dd>${description ? html`<span>${inline(description)}</span>` : nothing}
      ${valuesOf(values)}
      ${usual === null ? nothing : html`<span>Default <code>${usual}</code></span>`}</dd>
  </div>`

const MOST_VALUES = 12

/** Only the codes of failed jobs are so many, and they have a table of their own. */
const valuesOf = (values: string[]): Html => {
  if (values.length === 0) return nothing
  if (values.length > MOST_VALUES) return html`<a href="#failures">One of the codes of failed jobs</a>`
  return html`<span class="values">${values.map((value) => html`<code>${value}</code> `)}</span>`
}
