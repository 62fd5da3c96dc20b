import { SourceFailure } from '../failures.ts'
import { createFrameReader, frameOf, type ReaderReply, type ReaderRequest } from './reader-messages.ts'

/** The child process of reader.ts. It loads its modules first, so that the first request does not wait for them. */

type Functions = Record<string, (...args: unknown[]) => unknown>

const call = async ({ module, name, args }: ReaderRequest): Promise<unknown> => {
  const functions: Functions = await import(module)
  const read = functions[name]
  if (!read) throw new Error(`${module} does not export ${name}`)
  return await read(...args)
}

const outcomeOf = async (request: ReaderRequest) => {
  try {
    return { value: await call(request) }
  } catch (error) {
    if (error instanceof SourceFailure) return { failure: { code: error.code, message: error.message } }
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

const replyTo = async (request: ReaderRequest): Promise<ReaderReply> => {
  const outcome = await outcomeOf(request)
  const { user, system } = process.cpuUsage()
  return { ...outcome, cpuMs: (user + system) / 1000 }
}

const [, , ...modules] = process.argv
for (const module of modules) await import(module)
const messagesIn = createFrameReader<ReaderRequest>()
process.stdout.write(frameOf({ value: 'ready', cpuMs: 0 } satisfies ReaderReply))
for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
  for (const request of messagesIn(chunk)) process.stdout.write(frameOf(await replyTo(request)))
}
