import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { captioned, makeTalk } from '../../../clients/workspace.ts'
import { type Origin, startOrigin } from '../../../doubles/origin/origin.ts'
import { startVersity, type Versity } from '../../../doubles/s3/versity.ts'
import { respond } from '../../../doubles/webhook-receiver.ts'
import { freePort } from '../../../support/loopback.ts'
import type { AccountClient } from '../../../support/product/api-client.ts'
import type { RunningHaul } from '../../../support/product/command-line.ts'
import { product } from '../../../support/product/product.ts'
import { verifyWebhook } from '../../../support/product/verify-webhook.ts'
import { expectOutput } from './output.ts'
import { installPrograms, type Programs, startSnippet } from './programs.ts'
import { allSnippets, guideIds, type NamedSnippet, type Substitutes, sourceOf, substituted } from './snippets.ts'

/** Every snippet of /docs, as a reader runs it: in an empty folder with their own recording, against the product. */
const site = product()
let recordings: Origin
let versity: Versity
let programs: Programs

beforeAll(async () => {
  const { folder, receiver } = site
  await makeTalk(join(folder, 'media'))
  await writeFile(join(folder, 'media/feed.xml'), feed)
  ;[recordings, versity, programs] = await Promise.all([
    startOrigin({ root: join(folder, 'media') }),
    startVersity(),
    installPrograms(),
  ])
  await versity.makeBucket('media')
  for (const path of ['/', '/haul-webhooks']) receiver.behave(path, respond(200))
  // The first time, Python's packages are installed.
}, 180_000)

afterAll(async () => {
  await Promise.all([recordings, versity].map((server) => server?.close()))
  await programs?.remove()
})

const feed = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>A podcast</title>
<item><title>The first</title><enclosure url="/media/talk.mp3" type="audio/mpeg"/></item>
<item><title>The second</title><enclosure url="/media/talk.mp3?again" type="audio/mpeg"/></item>
</channel></rss>`

const accounts = new Map<string, Promise<AccountClient>>()
/** The snippets of a guide follow each other, so they have one account. */
const accountOf = (guide: string): Promise<AccountClient> => {
  const account = accounts.get(guide) ?? site.newClient()
  accounts.set(guide, account)
  return account
}

const start = async (snippet: NamedSnippet, env: Record<string, string> = {}, port = 0): Promise<RunningHaul> => {
  const { apiKey } = await accountOf(snippet.guide)
  const cwd = await mkdtemp(join(programs.folder, 'reader-'))
  await copyFile(join(site.folder, 'media/talk.mp3'), join(cwd, 'talk.mp3'))
  const keys = { HAUL_URL: site.haul.baseUrl, HAUL_API_KEY: apiKey }
  const text = substituted(snippet.text, substitutes(apiKey, port))
  const running = await startSnippet({ ...snippet, text }, programs, { cwd, env: { ...keys, ...env } })
  onTestFinished(async () => {
    running.kill('SIGKILL')
    await running.ended
  })
  return running
}

const substitutes = (apiKey: string, port: number): Substitutes => ({
  haul: site.haul.baseUrl,
  apiKey,
  page: `${recordings.url}/media/talk.html`,
  film: `${site.origin.url}/media/faststart.mp4`,
  recording: `${recordings.url}/media/talk.mp3`,
  feed: `${recordings.url}/media/feed.xml`,
  receiver: `${site.receiver.url}/haul-webhooks`,
  port,
  s3: versity,
})

/** Servers do not end by themselves, and a configuration is for another program, so they have tests of their own. */
const isReceiver = ({ text }: NamedSnippet): boolean => text.includes('3000') && text.includes('HAUL_WEBHOOK_SECRET')
const isListener = ({ text }: NamedSnippet): boolean => text.startsWith('haul listen')
const isMcpConfiguration = ({ door }: NamedSnippet): boolean => door === 'mcp'
const special = [isReceiver, isListener, isMcpConfiguration]

interface Watch {
  status: string
  waiting: number
}

interface Job {
  jobId: string
  removedAt: string | null
}

/** Words are found a moment after the end of their job. */
const notFoundYet = async (client: AccountClient): Promise<Job[]> => {
  const { jobs } = await client.get<{ jobs: Job[] }>('/jobs?status=completed&metadata.show=sea')
  const { results } = await client.get<{ results: Job[] }>('/search?q=tides&metadata.show=sea&limit=50')
  const found = new Set(results.map(({ jobId }) => jobId))
  return jobs.filter(({ jobId, removedAt }) => removedAt === null && !found.has(jobId))
}

/** Jobs and watches that an earlier snippet has started and not awaited. An account has two imports at a time. */
const unfinished = async (client: AccountClient): Promise<unknown[]> => {
  const jobs = async (status: string) => (await client.get<{ jobs: unknown[] }>(`/jobs?status=${status}&limit=1`)).jobs
  const { watches } = await client.get<{ watches: Watch[] }>('/watches')
  const isReading = ({ status, waiting }: Watch) => status === 'starting' || waiting > 0
  const running = [...(await jobs('queued')), ...(await jobs('running')), ...watches.filter(isReading)]
  return [...running, ...(await notFoundYet(client))]
}

/** Speech recognition on two busy cores. */
const SNIPPET_TIMEOUT_MS = 90_000

test('every snippet is of exactly one kind, and there are some of each kind', () => {
  const counts = special.map((isOfKind) => allSnippets.filter(isOfKind).length)
  for (const count of counts) expect(count).toBeGreaterThan(0)
  const ofSeveral = allSnippets.filter((snippet) => special.filter((isOfKind) => isOfKind(snippet)).length > 1)
  expect(ofSeveral).toEqual([])
})

describe.each(guideIds)('%s', (guide) => {
  const ordinary = allSnippets.filter(
    (snippet) => snippet.guide === guide && !special.some((isOfKind) => isOfKind(snippet)),
  )
  test.each(ordinary)('$name runs as it is shown', { timeout: SNIPPET_TIMEOUT_MS }, async (snippet) => {
    const client = await accountOf(guide)
    await expect.poll(() => unfinished(client), { timeout: SNIPPET_TIMEOUT_MS, interval: 250 }).toEqual([])
    const running = await start(snippet)
    const { exitCode, stdout, stderr } = await running.ended
    expect(exitCode, stderr).toBe(0)
    if (!snippet.output) return
    // A key that is shown is a new one.
    const shown = substituted(snippet.output.text, substitutes('haul_…', 0))
    expectOutput(stdout, { ...snippet.output, text: shown })
  })
})

const secretOf = async (client: AccountClient): Promise<string> =>
  (await client.get<{ secret: string }>('/webhooks/secret')).secret

test.each(allSnippets.filter(isReceiver))('$name accepts a webhook of Haul and refuses others', async (snippet) => {
  const client = await accountOf(snippet.guide)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const running = await start(snippet, { HAUL_WEBHOOK_SECRET: await secretOf(client), PYTHONUNBUFFERED: '1' }, port)
  const forge = () => fetch(url, { method: 'POST', body: '{"type":"import.completed"}' }).catch(() => null)
  await expect.poll(async () => (await forge())?.status, { interval: 100 }).toBe(400)
  expect(await client.post('/webhooks/test', { url }), running.output().stderr).toMatchObject({ responseStatus: 204 })
  expect(running.output().stdout).toMatch(/^webhook\.test .*message/)
  if (snippet.guide === 'follow-a-podcast') await expectWatchTold(client, running, url)
})

const expectWatchTold = async (client: AccountClient, running: RunningHaul, webhookUrl: string): Promise<void> => {
  const jobs = { transcribe: { mode: 'auto' }, formats: ['srt'], webhookUrl }
  await client.post('/watches', { url: `${recordings.url}/media/feed.xml`, first: 1, import: jobs, webhookUrl })
  await running.printed(/^New: The first$/m)
  await running.printed(/\.transcript\.en\.srt http/)
}

test.each(allSnippets.filter(isListener))('$name forwards the events of the account, signed', async (snippet) => {
  const client = await accountOf(snippet.guide)
  const running = await start(snippet, {}, Number(new URL(site.receiver.url).port))
  await running.printed(/Listening/)
  expect(running.output().stderr).toContain(await secretOf(client))
  const { jobId } = await client.post('/transcribe', { url: `${recordings.url}/media/talk.html` })
  const [received] = await site.receiver.wait('/', 1)
  if (!received) throw new Error('nothing was received')
  expect(verifyWebhook(await secretOf(client), received)).toMatchObject({
    type: 'transcription.completed',
    data: { jobId },
  })
})

test.each(allSnippets.filter(isMcpConfiguration))(
  '$name connects a client of MCP, which transcribes',
  async (snippet) => {
    const { apiKey } = await accountOf(snippet.guide)
    const { haul: server } = JSON.parse(substituted(snippet.text, substitutes(apiKey, 0))).mcpServers
    expect(server.type).toBe('http')
    const client = new Client({ name: 'guides', version: '1.0.0' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } }),
    )
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(8)
    for (const { name } of tools) expect(sourceOf(snippet.guide)).toContain(`\`${name}\``)
    const url = `${recordings.url}/media/talk.html`
    const { content } = await client.callTool({ name: 'transcribe', arguments: { url } })
    expect(JSON.stringify(content)).toContain(captioned)
  },
)
