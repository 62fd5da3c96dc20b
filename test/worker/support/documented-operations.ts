import type { JsonSchema } from '../../support/json-schema-values.ts'
import { callApi } from './caller.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: JsonSchema & { enum?: string[] }
}

export interface Operation {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  responses: Record<string, unknown>
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
}

/** The OpenAPI document. */
export const { headers, body: document } = await callApi('GET', '/openapi.json')

/** Its operations, as rows of a table of tests. */
export const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
)

export const isOperators = ({ security }: Operation) => security.some((scheme) => 'adminToken' in scheme)
