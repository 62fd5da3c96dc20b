import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/**
 * The nodes that the example uses, with the parameters that n8n-nodes-base 2.41 has for these versions of them. Strict,
 * because n8n ignores a parameter that it does not know.
 */
const parameterList = z.strictObject({ parameters: z.array(z.strictObject({ name: z.string(), value: z.string() })) })

const base = { id: z.string(), name: z.string(), position: z.tuple([z.number(), z.number()]) }

const ManualTrigger = z.strictObject({
  ...base,
  type: z.literal('n8n-nodes-base.manualTrigger'),
  typeVersion: z.literal(1),
  parameters: z.strictObject({}),
})

const SetFields = z.strictObject({
  ...base,
  type: z.literal('n8n-nodes-base.set'),
  typeVersion: z.literal(3.4),
  parameters: z.strictObject({
    assignments: z.strictObject({
      assignments: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          value: z.union([z.string(), z.number()]),
          type: z.enum(['string', 'number']),
        }),
      ),
    }),
    options: z.strictObject({}),
  }),
})

const HttpRequest = z.strictObject({
  ...base,
  type: z.literal('n8n-nodes-base.httpRequest'),
  typeVersion: z.literal(4.2),
  retryOnFail: z.literal(true),
  maxTries: z.number().int().min(2).max(5),
  waitBetweenTries: z.number().int().min(0).max(5000),
  credentials: z.strictObject({ httpHeaderAuth: z.strictObject({ id: z.string(), name: z.string() }) }),
  parameters: z.strictObject({
    method: z.enum(['GET', 'POST']).default('GET'),
    url: z.string(),
    authentication: z.literal('genericCredentialType'),
    genericAuthType: z.literal('httpHeaderAuth'),
    sendQuery: z.literal(true).optional(),
    queryParameters: parameterList.optional(),
    sendHeaders: z.literal(true).optional(),
    headerParameters: parameterList.optional(),
    sendBody: z.literal(true).optional(),
    specifyBody: z.literal('json').optional(),
    jsonBody: z.string().optional(),
    options: z.strictObject({
      timeout: z.number().int().min(1).optional(),
      response: z
        .strictObject({
          response: z.strictObject({ responseFormat: z.literal('file'), outputPropertyName: z.string() }),
        })
        .optional(),
    }),
  }),
})

const If = z.strictObject({
  ...base,
  type: z.literal('n8n-nodes-base.if'),
  typeVersion: z.literal(2.2),
  parameters: z.strictObject({
    conditions: z.strictObject({
      options: z.strictObject({
        caseSensitive: z.boolean(),
        leftValue: z.literal(''),
        typeValidation: z.literal('strict'),
        version: z.literal(2),
      }),
      conditions: z.tuple([
        z.strictObject({
          id: z.string(),
          leftValue: z.string(),
          rightValue: z.string(),
          operator: z.strictObject({ type: z.literal('string'), operation: z.literal('equals') }),
        }),
      ]),
      combinator: z.literal('and'),
    }),
    options: z.strictObject({}),
  }),
})

const StopAndError = z.strictObject({
  ...base,
  type: z.literal('n8n-nodes-base.stopAndError'),
  typeVersion: z.literal(1),
  parameters: z.strictObject({ errorMessage: z.string() }),
})

const Workflow = z.strictObject({
  id: z.string(),
  name: z.string(),
  active: z.literal(false),
  nodes: z.array(z.discriminatedUnion('type', [ManualTrigger, SetFields, HttpRequest, If, StopAndError])),
  connections: z.record(
    z.string(),
    z.strictObject({
      main: z.array(z.array(z.strictObject({ node: z.string(), type: z.literal('main'), index: z.literal(0) }))),
    }),
  ),
  settings: z.strictObject({ executionOrder: z.literal('v1') }),
})

export type Workflow = z.infer<typeof Workflow>
export type WorkflowNode = Workflow['nodes'][number]
export type HttpRequestNode = Extract<WorkflowNode, { type: 'n8n-nodes-base.httpRequest' }>

const file = join(import.meta.dirname, '../../../../../examples/n8n/workflow.json')
export const workflowText = readFileSync(file, 'utf8')

/** Throws if the file has a node, a parameter or a value that n8n does not have. */
export const readWorkflow = (): Workflow => Workflow.parse(JSON.parse(workflowText))
