import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { descendantsOf, mainThreadMs } from '../../container/processes.ts'
import { type Attack, attacks } from '../../doubles/origin/attacks.ts'
import { contentTypeOf } from '../../doubles/origin/content-types.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'

/**
 * A hostile account sends files that are expensive to read, while another account imports a small file again and
 * again, and both programs are asked for their health every 100 ms. Only the hostile account's own jobs may be slow.
 */
let server: Awaited<ReturnType<typeof startAttackServer>>
let attacker: AccountClient
let victim: AccountClient

const site = ownProduct(async () => {
  server = await startAttackServer()
  return {}
})

beforeAll(async () => {
  attacker = await site.newClient()
  victim = await site.newClient()
})

afterAll(() => server?.close())

const startAttackServer = async () => {
  const video = await readFile(fixture('faststart.mp4'))
  const page = (index: number, extension: string) =>
    `<!doctype html><title>x</title><video src="/small.mp4"><track kind="captions" srclang="en" src="/attack-${index}.${extension}"></video>`
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const index = Number(/^\/attack-(\d+)/.exec(path)?.[1] ?? Number.NaN)
    const attack = attacks[index]
    if (path === '/small.mp4')
      return void response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': video.length }).end(video)
    if (!attack) return void response.writeHead(404).end()
    if (path.endsWith('/page'))
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(page(index, attack.extension))
    response.writeHead(200, { 'content-type': contentTypeOf(path), ...attack.headers }).end(attack.file())
  })
  return listenOnLoopback(server)
}

/** Sends the attack and resolves when it has ended, whatever its outcome. */
const run = async ({ by, extension }: Attack, index: number): Promise<string> => {
  const url = `${server.url}/attack-${index}`
  if (by === 'metadata') {
    const { status, body } = await attacker.request('GET', `/metadata?url=${encodeURIComponent(`${url}.${extension}`)}`)
    return `${status} ${body.code ?? ''} ${body.reason ?? ''}`
  }
  if (by === 'import') return outcomeOf('/import', { url: `${url}.${extension}` })
  return outcomeOf('/transcribe', { url: by === 'captions' ? `${url}/page` : `${url}.${extension}` })
}

const outcomeOf = async (path: string, body: object): Promise<string> => {
  const started = await attacker.request('POST', path, body)
  if (started.status !== 202) return `${started.status} ${started.body.code}`
  const { jobId, status, code } = await attacker.ended(started.body.data.jobId)
  if (status === 'completed' && path === '/transcribe') await readTranscript(jobId)
  return `${status} ${code ?? ''}`
}

/** In all formats at once. */
const readTranscript = async (jobId: string): Promise<void> => {
  const read = async (format: string) => {
    const response = await fetch(`${site.haul.baseUrl}/transcribe/transcript?id=${jobId}&format=${format}`, {
      headers: { authorization: `Bearer ${attacker.apiKey}` },
    })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  }
  await Promise.all(['json', 'txt', 'srt', 'vtt'].map(read))
}

const importSeconds = async (): Promise<number> => {
  const start = performance.now()
  const job = await victim.ended(await victim.start({ url: `${server.url}/small.mp4` }))
  expect(job.status).toBe('completed')
  return (performance.now() - start) / 1_000
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** A program whose health is asked for, and the processes whose event loops the answer waits for. */
interface Watched {
  url: string
  pids: number[]
}

/** The server in front of the Worker and the Workers runtime, then the engine. */
const watchedPrograms = (): Watched[] => {
  const runtimes = descendantsOf(process.pid).filter(({ command }) => command === 'workerd')
  expect(runtimes).toHaveLength(1)
  const pids = runtimes.flatMap(({ pid, parent }) => [pid, parent])
  return [
    { url: site.haul.baseUrl, pids },
    { url: site.haul.engineUrl, pids: [site.haul.containerPid] },
  ]
}

/**
 * Asks for the health until stopped. Returns how much the event loop computed before an answer, at most. Other programs
 * of the machine make an answer late, but this is the time of the event loop's own thread.
 */
const watchHealth = ({ url, pids }: Watched) => {
  const computedMs = () => pids.reduce((sum, pid) => sum + mainThreadMs(pid), 0)
  const watching = new AbortController()
  let longestMs = 0
  const watch = async () => {
    while (!watching.signal.aborted) {
      const before = computedMs()
      const response = await fetch(`${url}/health`)
      await response.body?.cancel()
      longestMs = Math.max(longestMs, computedMs() - before)
      await sleep(100)
    }
    return longestMs
  }
  const watched = watch()
  return {
    stop: () => {
      watching.abort()
      return watched
    },
  }
}

/** What another account and the health checks see while `work` runs. Its imports go on until the work has ended. */
const watched = async (work: () => Promise<void>) => {
  const health = watchedPrograms().map(watchHealth)
  const seconds: number[] = []
  let ended = false
  const importing = (async () => {
    while (!ended) {
      seconds.push(await importSeconds())
      await sleep(PAUSE_MS)
    }
  })()
  await work()
  ended = true
  await importing
  return { seconds, computedMs: await Promise.all(health.map((each) => each.stop())) }
}

const merged = (parts: { seconds: number[]; computedMs: number[] }[]) => ({
  seconds: median(parts.flatMap((part) => part.seconds)),
  longestMs: [0, 1].map((program) => Math.max(...parts.map(({ computedMs }) => computedMs[program] ?? 0))),
})

/** Attacks that run before the usual times are measured again: other tests may run at the same time, or end. */
const BATCH = 4
const QUIET_MS = 1_000
/** Between two imports of the other account. */
const PAUSE_MS = 1_000
const BUSY_FACTOR = 4
/** Of an event loop before an answer. */
const SHORT_MS = 500

// Two dozen attacks, each of which may use up to 10 s of CPU time before it is ended.
test('hostile files slow down only the jobs of the account that sent them', { timeout: 420_000 }, async () => {
  const quiet: Awaited<ReturnType<typeof watched>>[] = []
  const attacked: Awaited<ReturnType<typeof watched>>[] = []
  const outcomes: { title: string; outcome: string; ms: number }[] = []
  const lane = async (remaining: Iterable<number>) => {
    for (const index of remaining) {
      const attack = attacks[index] as Attack
      const start = performance.now()
      const outcome = await run(attack, index)
      outcomes.push({ title: attack.title, outcome, ms: Math.round(performance.now() - start) })
    }
  }
  for (let first = 0; first < attacks.length; first += BATCH) {
    quiet.push(await watched(() => sleep(QUIET_MS)))
    const remaining = [...attacks.keys()].slice(first, first + BATCH).values()
    attacked.push(
      await watched(async () => {
        await Promise.all([lane(remaining), lane(remaining)])
      }),
    )
  }
  const report = { usual: merged(quiet), meanwhile: merged(attacked), outcomes }
  if (process.env.HAUL_REPORT) console.log(report)

  expect(
    outcomes.filter(({ outcome }) => /^5\d\d |INTERNAL/.test(outcome)),
    JSON.stringify(report, null, 1),
  ).toEqual([])
  for (const [program, longestMs] of report.meanwhile.longestMs.entries()) {
    const usualMs = report.usual.longestMs[program] ?? 0
    expect(longestMs, JSON.stringify(report, null, 1)).toBeLessThan(Math.max(SHORT_MS, BUSY_FACTOR * usualMs))
  }
  expect(report.meanwhile.seconds, JSON.stringify(report, null, 1)).toBeLessThan(BUSY_FACTOR * report.usual.seconds)
})
