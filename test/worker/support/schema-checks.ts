/** A value, and where the OpenAPI document has its schema: a JSON pointer. */
export interface Check {
  place: string
  value: unknown
}

interface Document {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>
}

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')
const placeOf = (method: string, path: string) => `/paths/${escaped(path)}/${method.toLowerCase()}`
const textOf = ({ place, value }: Check): string => `${place} ${JSON.stringify(value)}`

/** Asks a validator of JSON Schema, which runs outside of workerd, whether the schemas of the document allow values. */
export const schemaChecks = (document: Document) => ({
  bodyCheck: (method: string, path: string, value: unknown): Check => ({
    place: `${placeOf(method, path)}/requestBody/content/application~1json/schema`,
    value,
  }),
  queryChecks: (method: string, path: string, values: Record<string, string>): Check[] => {
    const parameters = document.paths[path]?.[method.toLowerCase()]?.parameters ?? []
    return Object.entries(values).map(([name, value]) => {
      const index = parameters.findIndex((parameter) => parameter.in === 'query' && parameter.name === name)
      return { place: `${placeOf(method, path)}/parameters/${index}/schema`, value }
    })
  },
  /** All checks at once, because each request takes the whole document. */
  judge: async (checks: Check[]) => {
    const init = { method: 'POST', body: JSON.stringify({ document, checks }) }
    const verdicts = await (await fetch('https://schemas.example/', init)).json<boolean[]>()
    const allowed = new Map(checks.map((check, index) => [textOf(check), verdicts[index]]))
    return (check: Check): boolean | undefined => allowed.get(textOf(check))
  },
})
