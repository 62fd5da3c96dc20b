import { articles, articleText } from './articles.ts'
import { type Guide, guides, guidesOf, titleOf } from './guides/all-guides.ts'
import { type Site, withFacts } from './guides/facts.ts'
import { byTag, type Document, type Endpoint, idOf, nameOf, successOf } from './reference/document.ts'
import { type Field, fieldsOf, requestFields } from './reference/fields.ts'

const intro = (baseUrl: string): string => `# Haul

> An HTTP API that imports media from a URL and transcribes it.

The API is at ${baseUrl}. Send \`Authorization: Bearer <API_KEY>\` with every request. Responses are
\`{"success": true, "data": {…}}\`; errors have \`success\` false, a message in \`error\` and a constant in \`code\`.
\`POST /import\` and \`POST /transcribe\` take \`{"url": "https://…"}\`, the latter also an \`importId\` or \`uploadId\`, and answer
202 with \`data.jobId\`. \`GET /import/status?id=<jobId>&wait=30\` and \`GET /transcribe/status?id=<jobId>&wait=30\` answer when
the job ends. A transcription extracts captions; \`"mode": "auto"\` recognizes the speech where there are none, for at most \`maxCostDollars\`.
The sites whose pages it can read are listed in ${baseUrl}/docs/sites.md.
Agents can use the MCP server at ${baseUrl}/mcp (streamable HTTP, the same bearer key) instead.
`

/** By the convention of llmstxt.org: a summary and links. */
export const llmsText = (document: Document, { baseUrl }: Site): string =>
  [
    intro(baseUrl),
    ...(['Guides', 'Recipes'] as const).map((part) => linkList(part, baseUrl)),
    `## Endpoints\n\n${[...byTag(document)].map(([tag, endpoints]) => `- [${tag}](${baseUrl}/docs#${idOf('tag', tag)}): ${endpoints.map(nameOf).join(', ')}`).join('\n')}\n`,
    `## Optional

- [Everything in one file](${baseUrl}/llms-full.txt): the guides and a compact reference
- [OpenAPI document](${baseUrl}/openapi.json)
- [The same in OpenAPI 3.0](${baseUrl}/openapi-3.0.json): without webhooks, for generators of clients that need it
${articles.map(({ id, title, description }) => `- [${title}](${baseUrl}/docs/${id}.md): ${description}`).join('\n')}
- [Sites](${baseUrl}/docs/sites.md): what the yt-dlp of this deployment has extractors for
- [Documentation for people](${baseUrl}/docs)
`,
  ].join('\n')

const linkList = (part: Guide['part'], baseUrl: string): string => {
  const links = guidesOf(part).map((guide) => `- [${titleOf(guide)}](${baseUrl}/docs/${guide.id}.md)`)
  return `## ${part}\n\n${links.join('\n')}\n`
}

export const llmsFullText = (document: Document, site: Site): string =>
  [
    intro(site.baseUrl),
    ...guides.map(({ markdown }) => withFacts(markdown, site)),
    ...articles.map((article) => articleText(article, site)),
    '# Reference\n',
    ...[...byTag(document)].flatMap(([tag, endpoints]) => [`## ${tag}\n`, ...endpoints.map(reference)]),
  ].join('\n')

const reference = (endpoint: Endpoint): string => {
  const { summary = '', description = '', responses } = endpoint.operation
  const lists = requestFields(endpoint.operation).map(({ location, field }) => fieldLine(field, location))
  const success = successOf(endpoint.operation)
  const data = success?.schema && (success.schema.properties?.data ?? success.schema)
  const returned = data ? fieldsOf(data).map(({ name }) => name) : []
  const refused = Object.keys(responses).filter((status) => !status.startsWith('2'))
  return [
    `### ${nameOf(endpoint)}\n`,
    [summary, description].filter(Boolean).join('. ').replace('..', '.'),
    ...(lists.length > 0 ? ['', ...lists] : []),
    '',
    `Returns ${success?.status ?? ''}${returned.length > 0 ? `: ${returned.join(', ')}` : ''}. Refused with ${refused.join(', ') || 'nothing'}.`,
    '',
  ].join('\n')
}

const fieldLine = ({ name, type, isRequired, description, values, defaultValue }: Field, location: string): string => {
  const notes = [
    location,
    type,
    isRequired ? 'required' : '',
    values.length > 0 ? `one of ${values.join(', ')}` : '',
    defaultValue === null ? '' : `default ${defaultValue}`,
  ]
  return `- \`${name}\` (${notes.filter(Boolean).join('; ')})${description ? `: ${description}` : ''}`
}
