import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import OpenAI, { APIError, toFile } from 'openai'
import { ensureOpenaiPython } from './ensure-openai.mjs'

/** A call that both packages of OpenAI can make. */
export interface Call {
  method: 'transcribe' | 'translate' | 'listModels'
  apiKey: string
  /** Of the file to transcribe. */
  path?: string
  options?: Record<string, unknown>
}

export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: tests compare the value with what they expect
  value?: any
  /** `name`: of the exception's class. */
  error?: { name: string; status: number; code: string; param: string | null }
}

export type MakeCalls = (baseUrl: string, calls: Call[]) => Promise<Outcome[]>

/** With the npm package. */
export const fromJavaScript: MakeCalls = async (baseUrl, calls) => {
  const outcomes: Outcome[] = []
  for (const call of calls) outcomes.push(await outcomeOf(baseUrl, call))
  return outcomes
}

const outcomeOf = async (baseURL: string, call: Call): Promise<Outcome> => {
  try {
    return { value: await perform(new OpenAI({ apiKey: call.apiKey, baseURL }), call) }
  } catch (error) {
    if (!(error instanceof APIError)) throw error
    const { status, code, param } = error
    return { error: { name: error.constructor.name, status, code: code ?? '', param: param ?? null } }
  }
}

const perform = async (client: OpenAI, { method, path, options = {} }: Call): Promise<unknown> => {
  if (method === 'listModels') {
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    return ids
  }
  const file = path === undefined ? {} : { file: await toFile(await openAsBlob(path), basename(path)) }
  if (method === 'translate') return client.audio.translations.create({ ...file, ...options } as never)
  // The types of the package do not know `url`.
  const made: unknown = await client.audio.transcriptions.create({ ...file, ...options } as never)
  if (!options.stream) return made
  const events: unknown[] = []
  for await (const event of made as AsyncIterable<unknown>) events.push(event)
  return events
}

/** With the package of PyPI, in one process. */
export const fromPython: MakeCalls = async (baseUrl, calls) => {
  const python = await ensureOpenaiPython(console.log)
  const child = spawn(python, ['-W', 'ignore', join(import.meta.dirname, 'calls.py')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stderr.on('data', (printed) => console.error(`${printed}`))
  child.stdin.end(JSON.stringify({ baseUrl, calls }))
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`calls.py ended with ${code}`)
  return JSON.parse(output)
}
