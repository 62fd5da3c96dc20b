import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createEgress, type EgressOptions } from '../../../../container/egress/egress.ts'
import { createGuard } from '../../../../container/egress/guard.ts'
import { takeUser } from '../../../../container/sandbox/users.ts'
import { startPython } from '../../../../container/source/extractor/warm-process.ts'
import { attempts } from '../../sandbox/python.ts'
import { python } from './shared-extractor.ts'

/** The extractor, except that a request's URL is Python code, as if a page had taken over the fork that reads it. */
export interface HostileExtractor {
  /** The value of the code's variable `result`, or {"died": reason}. After an abort the reason is "canceled". `hasTokens`:
   * false as if there were no token provider. */
  run(code: string, options?: { signal?: AbortSignal; hasTokens?: boolean }): Promise<unknown>
  close(): Promise<void>
}

const modules = join(import.meta.dirname, '../../../../container/source/extractor')
const program = `
import sys; sys.path.insert(0, ${JSON.stringify(modules)})
import confine
# A tenth of the limit, which a test waits for.
confine.CPU_SECONDS = 3
import template, warm
${attempts}
def run(code, resolver):
    scope = {**globals(), 'resolver': resolver}
    try: exec(code, scope)
    except Exception as error: return {'result': repr(error)}
    return {'result': scope['result']}
def load(packages, load_yt_dlp=template.load):
    global resolve
    forks = load_yt_dlp(packages)
    import resolve
    resolve.resolve = run
    return forks
template.load = load
warm.main(sys.argv[1])`

export const createHostileExtractor = async (
  socketFolder: string,
  { requestToken }: Pick<EgressOptions, 'requestToken'> = {},
): Promise<HostileExtractor> => {
  const guard = createGuard({ allow: '', lookup: async () => [] })
  const egress = createEgress({ guard, socketFolder, requestToken })
  const child = await startPython({ python, socketFolder }, ['-c', program])
  child.stderr?.pipe(process.stderr)
  const waiting = new Map<number, (answer: unknown) => void>()
  if (!child.stdout) throw new Error('no stdout')
  createInterface({ input: child.stdout }).on('line', (line) => {
    const space = line.indexOf(' ')
    const answer = JSON.parse(line.slice(space + 1))
    waiting.get(Number(line.slice(0, space)))?.('result' in answer ? answer.result : answer)
  })
  let last = 0
  return {
    run: async (url, { signal, hasTokens = true } = {}) => {
      const id = ++last
      const user = takeUser()
      const answered = new Promise((resolve) => waiting.set(id, resolve))
      const tokenHost = hasTokens ? egress.tokenHost : null
      const reached = { proxySocket: await egress.proxySocket(), tokenHost }
      const request = { id, url, ...reached, userId: user?.id ?? null, timeoutSeconds: 80 }
      child.stdin?.write(`${JSON.stringify(request)}\n`)
      signal?.addEventListener('abort', () => child.stdin?.write(`${JSON.stringify({ cancel: id })}\n`))
      return await answered.finally(() => user?.release())
    },
    close: async () => {
      const closed = once(child, 'close')
      child.stdin?.end()
      await closed
      await egress.close()
    },
  }
}
