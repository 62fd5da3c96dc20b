import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { HttpEnv } from '../request-context.ts'
import type { Answer } from './answer.ts'
import type { CallApi } from './api-calls.ts'

/** A call of a tool, and what it may use. */
export interface ToolCall {
  c: Context<HttpEnv>
  /** Calls Haul's own API as the caller. */
  api: CallApi
  startedAt: number
  /** When it stops waiting for a job. */
  deadline: number
  /** The client has given up. */
  signal: AbortSignal
  /** Shown to the user while the call waits, if the client asked for it. */
  report: (message: string) => Promise<void>
}

export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  input: Input
  output: z.ZodObject
  run: (args: z.output<Input>, call: ToolCall) => Promise<Answer>
}

/** The arguments of `run` follow from the schema of the input. */
export const tool = <Input extends z.ZodType>(definition: Tool<Input>): Tool => definition as unknown as Tool
