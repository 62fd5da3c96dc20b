import { runInNewContext } from 'node:vm'
import type { HttpRequestNode, Workflow, WorkflowNode } from './workflow.ts'

/** A run of the workflow with one item, with the requests of its HTTP nodes as they are written. */
export interface WorkflowRun {
  /** Names of the nodes, in the order in which they ran. */
  path: string[]
  /** What the last node returned, or the message of Stop and Error. */
  output: unknown
}

export interface RunOptions {
  /** Replaces values of the Settings node. */
  settings: Record<string, string | number>
  apiKey: string
}

export const runWorkflow = async (workflow: Workflow, { settings, apiKey }: RunOptions): Promise<WorkflowRun> => {
  const outputs = new Map<string, unknown>()
  const path: string[] = []
  let json: unknown = {}
  let node = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger')
  while (node) {
    path.push(node.name)
    const render = (text: string): unknown => evaluate(text, json, outputs)
    let branch = 0
    if (node.type === 'n8n-nodes-base.set') {
      const fields = node.parameters.assignments.assignments
      json = Object.fromEntries(
        fields.map(({ name, value }) => [name, settings[name] ?? (typeof value === 'number' ? value : render(value))]),
      )
    }
    if (node.type === 'n8n-nodes-base.httpRequest') json = await send(node, render, apiKey)
    if (node.type === 'n8n-nodes-base.if') {
      const [{ leftValue, rightValue }] = node.parameters.conditions.conditions
      branch = render(leftValue) === rightValue ? 0 : 1
    }
    if (node.type === 'n8n-nodes-base.stopAndError') json = render(node.parameters.errorMessage)
    outputs.set(node.name, json)
    node = nextOf(workflow, node, branch)
  }
  return { path, output: json }
}

const nextOf = (workflow: Workflow, { name }: WorkflowNode, branch: number): WorkflowNode | undefined => {
  const next = workflow.connections[name]?.main[branch]?.[0]?.node
  return workflow.nodes.find((node) => node.name === next)
}

/** A value that starts with `=` is a template of JavaScript expressions. One expression alone keeps its type. */
const evaluate = (text: string, json: unknown, outputs: Map<string, unknown>): unknown => {
  if (!text.startsWith('=')) return text
  const scope = {
    $json: json,
    $: (name: string) => {
      if (!outputs.has(name)) throw new Error(`An expression reads "${name}", which has not run.`)
      return { item: { json: outputs.get(name) } }
    },
    $workflow: { id: 'workflow' },
    $execution: { id: '1' },
    $itemIndex: 0,
    $now: { toMillis: () => Date.now() },
  }
  const template = text.slice(1)
  const expressionAlone = /^\{\{((?:(?!\}\}).)*)\}\}$/s.exec(template)?.[1]
  if (expressionAlone) return runInNewContext(expressionAlone, scope)
  return template.replaceAll(/\{\{(.*?)\}\}/gs, (_, expression) => `${runInNewContext(expression, scope)}`)
}

const send = async (node: HttpRequestNode, render: (text: string) => unknown, apiKey: string): Promise<unknown> => {
  const { method, url, sendQuery, queryParameters, sendHeaders, headerParameters, sendBody, jsonBody, options } =
    node.parameters
  const pairs = (list: typeof queryParameters) =>
    list?.parameters.map(({ name, value }) => [name, `${render(value)}`]) ?? []
  const target = new URL(`${render(url)}`)
  if (sendQuery) target.search = `${new URLSearchParams(pairs(queryParameters))}`
  const response = await fetch(target, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(sendHeaders ? Object.fromEntries(pairs(headerParameters)) : {}),
      ...(sendBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(sendBody ? { body: `${render(jsonBody ?? '')}` } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${node.name}: ${response.status} ${text}`)
  return options.response ? text : JSON.parse(text)
}
