import { join } from 'node:path'
import { createEgress, type EgressOptions } from '../../../../container/egress/egress.ts'
import { createGuard } from '../../../../container/egress/guard.ts'
import { createWarmProcess } from '../../../../container/source/extractor/warm-process.ts'
import { attempts } from '../../sandbox/python.ts'
import { python } from './shared-extractor.ts'
import { never } from './site.ts'

/** The extractor, except that a request's URL is Python code, as if a page had taken over the fork that reads it. */
export interface HostileExtractor {
  /** The value of the code's variable `result`, or {"died": reason}. `hasTokens`: false as if there were no token provider. */
  run(code: string, options?: { signal?: AbortSignal; hasTokens?: boolean }): Promise<unknown>
  close(): Promise<void>
}

const modules = join(import.meta.dirname, '../../../../container/source/extractor/python')
const program = `
import sys; sys.path.insert(0, ${JSON.stringify(modules)})
import confine
# A tenth of the limit, which a test waits for.
confine.CPU_SECONDS = 3
import warm
${attempts}
def run(code, resolver):
    scope = {**globals(), 'resolver': resolver}
    try: exec(code, scope)
    except Exception as error: return {'result': repr(error)}
    return {'result': scope['result']}
def load(packages, load_yt_dlp=warm.load):
    global resolve
    forks = load_yt_dlp(packages)
    import resolve
    resolve.resolve = run
    return forks
warm.load = load
warm.main(sys.argv[1])`

export const createHostileExtractor = async (
  socketFolder: string,
  { requestToken }: Pick<EgressOptions, 'requestToken'> = {},
): Promise<HostileExtractor> => {
  const guard = createGuard({ allow: '', lookup: async () => [] })
  const egress = createEgress({ guard, socketFolder, requestToken })
  const warm = createWarmProcess({ python, socketFolder, program: ['-c', program] })
  const proxySocket = await egress.proxySocket()
  return {
    run: async (url, { signal = never, hasTokens = true } = {}) => {
      const tokenHost = hasTokens ? egress.tokenHost : null
      const request = { url, proxySocket, asBrowser: false, tokenHost, timeoutSeconds: 80 }
      const answer = JSON.parse(new TextDecoder().decode(await warm.send(request, signal)))
      return 'result' in answer ? answer.result : answer
    },
    close: async () => {
      await warm.close()
      await egress.close()
    },
  }
}
