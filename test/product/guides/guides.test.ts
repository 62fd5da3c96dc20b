import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Haul, startHaul } from '../../../scripts/start/haul.ts'
import { listenOnLoopback } from '../../loopback.ts'
import { type Origin, startOrigin } from '../../origin/origin.ts'
import { startVersity, type Versity } from '../../s3/versity.ts'
import { type AccountClient, newAccountClient } from '../api-client.ts'
import { type Receiver, respond, startReceiver } from '../receiver.ts'
import { expectOutput } from './output.ts'
import { installPrograms } from './programs.ts'
import { type Running, startSnippet } from './run.ts'
import { allSnippets, guideIds, type NamedSnippet, type Substitutes, substituted } from './snippets.ts'

/** Every snippet of /docs, as a reader runs it: in an empty folder with their own recording, against the product. */
let haul: Haul
let origin: Origin
let recordings: Origin
let receiver: Receiver
let versity: Versity
let folder: string
let programs: Awaited<ReturnType<typeof installPrograms>>
/** Of the snippets that are servers. The product may only send to ports that it knew when it started. */
const ports: number[] = []

const run = promisify(execFile)
const voice = join(import.meta.dirname, '../../container/speech/clips/0870.flac')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-guides-'))
  await mkdir(join(folder, 'media'))
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-i', voice, '-b:a', '64k', join(folder, 'media/talk.mp3')])
  await writeFile(join(folder, 'media/feed.xml'), feed)
  await writeFile(join(folder, 'media/talk.vtt'), captions)
  await writeFile(join(folder, 'media/talk.html'), page)
  ;[origin, recordings, receiver, versity, programs] = await Promise.all([
    startOrigin(),
    startOrigin({ root: join(folder, 'media') }),
    startReceiver(),
    startVersity(),
    installPrograms(),
  ])
  await versity.makeBucket('media')
  receiver.behave('/haul-webhooks', respond(200))
  for (let count = 0; count < 4; count++) ports.push(await freePort())
  const hosts = [origin.host, recordings.host, receiver.host, new URL(versity.endpoint).host]
  const ALLOW_PRIVATE_HOSTS = [...hosts, ...ports.map((port) => `127.0.0.1:${port}`)].join()
  haul = await startHaul({ stateDir: join(folder, 'state'), env: { ...process.env, ALLOW_PRIVATE_HOSTS } })
  // wrangler, D1 migrations, the container's yt-dlp and the speech model; the first time, Python's packages.
}, 180_000)

afterAll(async () => {
  await haul?.stop()
  await Promise.all([origin, recordings, receiver, versity].map((server) => server?.close()))
  await programs?.remove()
  await rm(folder, { recursive: true, force: true })
})

const feed = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>A podcast</title>
<item><title>The first</title><enclosure url="/media/talk.mp3" type="audio/mpeg"/></item>
<item><title>The second</title><enclosure url="/media/talk.mp3?again" type="audio/mpeg"/></item>
</channel></rss>`

const captions = `WEBVTT

00:00.500 --> 00:02.000
Good morning, and welcome.

00:02.500 --> 00:05.000
Today we look at the tides.
`

const page = `<!doctype html><title>A talk</title>
<video src="/media/talk.mp3"><track kind="captions" src="/media/talk.vtt" srclang="en"></video>`

const freePort = async (): Promise<number> => {
  const { port, close } = await listenOnLoopback(createServer())
  await close()
  return port
}

const accounts = new Map<string, Promise<AccountClient>>()
/** The snippets of a guide follow each other, so they have one account. */
const accountOf = (guide: string): Promise<AccountClient> => {
  const account = accounts.get(guide) ?? newAccountClient(haul)
  accounts.set(guide, account)
  return account
}

const start = async (snippet: NamedSnippet, env: Record<string, string> = {}, port = 0): Promise<Running> => {
  const { apiKey } = await accountOf(snippet.guide)
  const cwd = await mkdtemp(join(programs.folder, 'reader-'))
  await copyFile(join(folder, 'media/talk.mp3'), join(cwd, 'talk.mp3'))
  const keys = { HAUL_URL: haul.baseUrl, HAUL_API_KEY: apiKey }
  const text = substituted(snippet.text, substitutes(apiKey, port))
  const running = await startSnippet({ ...snippet, text }, programs, { cwd, env: { ...keys, ...env } })
  onTestFinished(() => running.kill())
  return running
}

const substitutes = (apiKey: string, port: number): Substitutes => ({
  haul: haul.baseUrl,
  apiKey,
  page: `${recordings.url}/media/talk.html`,
  film: `${origin.url}/media/faststart.mp4`,
  recording: `${recordings.url}/media/talk.mp3`,
  feed: `${recordings.url}/media/feed.xml`,
  receiver: `${receiver.url}/haul-webhooks`,
  port,
  s3: versity,
})

/** Servers, which do not end by themselves, and configurations of other programs. Tests of their own run them. */
const isReceiver = ({ text }: NamedSnippet) => text.includes('3000') && text.includes('HAUL_WEBHOOK_SECRET')
const isListener = ({ text }: NamedSnippet) => text.startsWith('haul listen')
const isMcpConfiguration = ({ door }: NamedSnippet) => door === 'mcp'
const isOther = (snippet: NamedSnippet) => [isReceiver, isListener, isMcpConfiguration].some((is) => is(snippet))

/** Speech recognition on two busy cores. */
const SNIPPET_TIMEOUT_MS = 90_000

describe.each(guideIds)('%s', (guide) => {
  const snippets = allSnippets.filter((snippet) => snippet.guide === guide && !isOther(snippet))
  test.each(snippets)('$name runs as it is shown', { timeout: SNIPPET_TIMEOUT_MS }, async (snippet) => {
    const running = await start(snippet)
    const ended = await running.exited
    expect(ended, running.errors()).toBe(0)
    if (!snippet.output) return
    const { apiKey } = await accountOf(guide)
    const shown = substituted(snippet.output.text, substitutes(apiKey, 0))
    expectOutput(running.output(), { ...snippet.output, text: shown })
  })
})
