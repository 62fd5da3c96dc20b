import { fileURLToPath } from 'node:url'
import { untilAborted } from '../../domain/until-aborted.ts'
import { SourceFailure } from '../failures.ts'
import type { Child } from './launch/launcher.ts'
import { tailOf } from './lines.ts'
import { start } from './process.ts'
import { containerFiles } from './program-files.ts'
import { createFrameReader, frameOf, type ReaderReply, type ReaderRequest } from './reader-messages.ts'

/**
 * Calls functions that parse untrusted text (manifests, indexes, captions) in a child process, so that no input can
 * block the event loop that serves all jobs of this container. The kernel ends a child that uses too much CPU time,
 * V8 one that uses too much memory; the job then fails with SOURCE_UNSUPPORTED.
 *
 * A child serves one request at a time, mostly within milliseconds. Starting one takes 0.35 s of CPU time, so idle children
 * are kept, and a request waits a moment for a busy one.
 */

/** A child is replaced after this much CPU time, so each request has at least the rest up to the kernel's limit. */
const RETIRE_CPU_MS = 3_000
const CPU_SECONDS = 10
const HEAP_MEBIBYTES = 512
/** Virtual memory, of which Node reserves 1.5 GB at its start. */
const ADDRESS_SPACE_BYTES = 4 * 1024 ** 3
const MAX_IDLE = 2
/** About as long as a start takes. A busy child may have a text that takes seconds. */
const WAIT_MS = 200
/** A busy machine may stretch the CPU time. */
const TIMEOUT_MS = 60_000

type Called<Module, Name extends keyof Module> = Module[Name] extends (...args: infer Args) => infer Result
  ? { args: Args; result: Awaited<Result> }
  : never

/** Arguments and results are copied as by structuredClone. */
type ReaderCall<Module> = <Name extends keyof Module & string>(
  name: Name,
  args: Called<Module, Name>['args'],
  signal: AbortSignal,
) => Promise<Called<Module, Name>['result']>

/** The calls of one module's functions in a child process. */
export const inReader = <Module>(url: URL): ReaderCall<Module> => {
  modules.add(url.href)
  return async (name, args, signal) => {
    const reply = await request({ module: url.href, name, args }, signal)
    if ('failure' in reply) throw new SourceFailure(reply.failure.code, reply.failure.message)
    // A parser that throws anything else has met text that it does not understand. Another attempt would do the same.
    if ('error' in reply) throw new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause: new Error(reply.error) })
    return reply.value as Called<Module, typeof name>['result']
  }
}

const modules = new Set<string>()
const idle: Reader[] = []
let busy = 0
/** Requests that wait for a busy child. */
const waiting = new Set<(reader: Reader | null) => void>()

export const warmReader = async (): Promise<void> => {
  if (idle.length === 0) keep(await launch())
}

const request = async (message: ReaderRequest, signal: AbortSignal): Promise<ReaderReply> => {
  const reader = idle.pop() ?? (await freed()) ?? (await launch())
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  busy++
  try {
    const reply = await reader.request(message, limited)
    if (reply.cpuMs < RETIRE_CPU_MS) free(reader)
    else reader.end()
    return reply
  } catch (cause) {
    reader.end()
    signal.throwIfAborted()
    throw new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause })
  } finally {
    busy--
  }
}

/** null: none is busy, or none has become free in time. */
const freed = async (): Promise<Reader | null> => {
  if (busy === 0) return null
  const { promise, resolve } = Promise.withResolvers<Reader | null>()
  waiting.add(resolve)
  const timer = setTimeout(() => {
    waiting.delete(resolve)
    resolve(null)
  }, WAIT_MS)
  return promise.finally(() => clearTimeout(timer))
}

const free = (reader: Reader): void => {
  const [next] = waiting
  if (next) {
    waiting.delete(next)
    next(reader)
  } else if (idle.length < MAX_IDLE) keep(reader)
  else reader.end()
}

const keep = (reader: Reader): void => {
  reader.rest()
  idle.push(reader)
}

interface Reader {
  request(message: ReaderRequest, signal: AbortSignal): Promise<ReaderReply>
  /** An idle child does not keep the container's process alive. */
  rest(): void
  end(): void
}

const script = fileURLToPath(new URL('./reader-process.ts', import.meta.url))

const launch = async (): Promise<Reader> => {
  const child = await start(process.execPath, [`--max-old-space-size=${HEAP_MEBIBYTES}`, script, ...modules], {
    limits: { addressSpaceBytes: ADDRESS_SPACE_BYTES, cpuSeconds: CPU_SECONDS, fileSizeBytes: 0, openFiles: 64 },
    // Modules of the container are visible anyway.
    reads: [...containerFiles, ...[...modules].map((url) => fileURLToPath(url))],
  })
  // The first reply says that the child has loaded its modules. An error until then is not due to any input.
  let waiting: PromiseWithResolvers<ReaderReply> | null = Promise.withResolvers()
  const ready = waiting.promise
  const fail = (error: Error) => waiting?.reject(error)
  const messagesIn = createFrameReader<ReaderReply>()
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      for (const reply of messagesIn(chunk)) waiting?.resolve(reply)
    } catch (error) {
      fail(error as Error)
    }
  })
  const stderr = tailOf(child.stderr)
  child.once('error', fail)
  child.once('close', () => {
    const at = idle.indexOf(reader)
    if (at !== -1) idle.splice(at, 1)
    fail(new Error(`the reader has ended: ${child.signalCode ?? child.exitCode} ${stderr()}`))
  })
  const reader: Reader = {
    request: async (message, signal) => {
      keepAlive(child, true)
      waiting = Promise.withResolvers()
      if (child.exitCode !== null || child.signalCode !== null) fail(new Error('the reader has ended'))
      child.stdin.write(frameOf(message))
      try {
        return await untilAborted(waiting.promise, signal)
      } finally {
        waiting = null
      }
    },
    rest: () => keepAlive(child, false),
    end: () => void child.kill('SIGKILL'),
  }
  await ready
  return reader
}

const keepAlive = (child: Child, isNeeded: boolean): void => {
  // The streams of a child are sockets.
  for (const handle of [child, child.stdin, child.stdout, child.stderr] as { ref(): void; unref(): void }[]) {
    if (isNeeded) handle.ref()
    else handle.unref()
  }
}
