import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { choosePort, isFree } from '../../../scripts/start/ports.ts'
import { closeState, openState } from '../../../scripts/start/state.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { createApiClient } from '../../support/product/api-client.ts'
import { type Command, processesWith, runStart } from '../../support/product/start-command.ts'
import { filesBelow, filesWith } from '../../support/product/written-files.ts'

/** The `npm start` command: what it starts, what it prints, and that it leaves no processes behind. */

/** For two starts of the product, each of which takes up to 10 s on two quiet cores. */
const START_TIMEOUT_MS = 120_000

let folder: string
const started: Command[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-start-'))
})

afterAll(async () => {
  for (const command of started) command.kill('SIGTERM')
  await Promise.all(started.map(({ exited }) => exited))
  await rm(folder, { recursive: true, force: true })
})

const instance = async (name: string, env: Record<string, string> = {}) => {
  const port = await choosePort(0, 'PORT')
  const enginePort = await choosePort(0, 'ENGINE_PORT')
  const stateDir = join(folder, name)
  const start = async (changed: Record<string, string> = {}): Promise<Command> => {
    // No test imports a page, and the start of yt-dlp takes more than a second of CPU time.
    const own = { PORT: `${port}`, ENGINE_PORT: `${enginePort}`, HAUL_STATE: stateDir, ENGINE_WARM_UP: 'off' }
    const command = runStart({ ...own, ...env, ...changed })
    started.push(command)
    await command.printed('Press Ctrl-C to stop')
    return command
  }
  const dev = async () => JSON.parse(await readFile(join(stateDir, 'dev.json'), 'utf8'))
  const isGone = async () => {
    const processes = await processesWith(stateDir)
    return processes.length === 0 && (await isFree(port)) && (await isFree(enginePort))
  }
  return { port, enginePort, stateDir, start, dev, isGone }
}

const isHealthy = async (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  )

/** The instance that the first two tests use, one after the other. */
let origin: Origin
let here: Awaited<ReturnType<typeof instance>>
/** What runs it now. */
let running: Command

beforeAll(async () => {
  origin = await startOrigin()
  here = await instance('here', { ALLOW_PRIVATE_HOSTS: origin.host })
  running = await here.start()
}, START_TIMEOUT_MS)

afterAll(() => origin?.close())

test('it starts the Worker and the container with a demo account, stops completely, and keeps the account', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const { port, enginePort, stateDir, start, dev, isGone } = here
  const written = await dev()
  expect(written).toEqual({
    baseUrl: `http://127.0.0.1:${port}`,
    engineUrl: `http://127.0.0.1:${enginePort}`,
    engineUrls: [`http://127.0.0.1:${enginePort}`],
    apiKey: expect.stringMatching(/^haul_/),
    adminToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    accountId: expect.stringMatching(/^acct_/),
  })
  const { baseUrl, engineUrl, apiKey, accountId } = written
  expect([await isHealthy(baseUrl), await isHealthy(engineUrl)]).toEqual([true, true])
  const client = createApiClient(baseUrl, apiKey)
  expect(await client.account()).toMatchObject({ accountId, name: 'demo', balanceDollars: 10 })
  expectFirstSteps(running.output(), written)
  await expectNoTools(baseUrl)
  await expectClosedToPages(baseUrl)
  const { result } = await client.ended(await client.start({ url: `${origin.url}/media/faststart.mp4` }))
  expect((await fetch(result.mediaUrl)).status).toBe(200)
  const { balanceDollars } = await client.account()

  running.kill('SIGTERM')
  expect(await running.exited).toBe(0)
  await expect.poll(isGone).toBe(true)
  await expectPrivateFiles(stateDir, result.mediaUrl)

  running = await start({ ENGINES: '2', ENGINE_PORT: '0' })
  const { adminToken } = written
  expect(await dev()).toMatchObject({ baseUrl, apiKey, adminToken, accountId })
  expect((await client.account()).balanceDollars).toBe(balanceDollars)
})

/** As in README.md, and nothing that frightens whoever starts it for the first time. */
const expectFirstSteps = (output: string, { baseUrl, apiKey }: { baseUrl: string; apiKey: string }) => {
  expect(output).not.toMatch(/warn/i)
  const parts = ['npx haul transcribe http', `\n  ${baseUrl}\n`, `curl -s ${baseUrl}/transcribe`, `Bearer ${apiKey}`]
  const positions = parts.map((part) => output.indexOf(part, output.indexOf('npx haul')))
  expect(positions).toEqual(positions.filter((position) => position >= 0).toSorted((a, b) => a - b))
}

/** Wrangler serves pages that read every database. */
const expectNoTools = async (baseUrl: string) => {
  for (const tool of ['explorer', 'explorer/', 'explorer/api', 'explorer/api/d1/database', 'observability']) {
    for (const folder of ['cdn-cgi', 'cdn-cgi/local']) {
      const response = await fetch(`${baseUrl}/${folder}/${tool}`)
      expect([tool, response.status, await response.json()]).toMatchObject([tool, 404, { code: 'NOT_FOUND' }])
    }
  }
}

/** Only the parts of uploads are for pages of other sites: see uploads.test.ts. */
const expectClosedToPages = async (baseUrl: string) => {
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'PUT' }
  const bucket = '/cdn-cgi/local/r2/s3/haul-media'
  const inBucket = [bucket, '/upload-parts'].flatMap((at) => [`${at}/media/x`, `${at}/uploads/../media/x`])
  for (const path of ['/import', '/account', ...inBucket, '/cdn-cgi/local/x']) {
    for (const method of ['OPTIONS', 'GET', 'PUT']) {
      const response = await fetch(baseUrl + path, { method, headers })
      await response.body?.cancel()
      expect([path, method, response.headers.get('access-control-allow-origin')]).toEqual([path, method, null])
    }
  }
}

/** The instance has its own S3 keys, only its user can read its secrets, and no signed link is on its disk. */
const expectPrivateFiles = async (stateDir: string, mediaUrl: string) => {
  for (const secret of ['secrets.env', 'dev.json', 'wrangler.json'])
    expect((await stat(join(stateDir, secret))).mode & 0o777).toBe(0o600)
  const secrets = await readFile(join(stateDir, 'secrets.env'), 'utf8')
  expect(secrets).toMatch(/^MEDIA_S3_ACCESS_KEY_ID=[0-9a-f]{64}$/m)
  expect(secrets).toMatch(/^MEDIA_S3_SECRET_ACCESS_KEY=[0-9a-f]{64}$/m)
  const signature = new URL(mediaUrl).searchParams.get('signature') ?? 'none'
  expect((await filesBelow(stateDir)).length).toBeGreaterThan(10)
  expect(await filesWith(stateDir, [signature, /X-Amz-Signature=[0-9a-f]/])).toEqual([])
}

test('another instance runs beside it with its containers, and what dies is restarted', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const { baseUrl, engineUrls, engineUrl, apiKey } = await here.dev()
  expect([engineUrls.length, new Set(engineUrls).size, engineUrls[0]]).toEqual([2, 2, engineUrl])
  expect(await Promise.all(engineUrls.map(isHealthy))).toEqual([true, true])
  const secrets = await readFile(join(here.stateDir, 'secrets.env'), 'utf8')
  const [, token = ''] = secrets.match(/^ENGINE_TOKEN=(.*)$/m) ?? []

  const there = await instance('there', {
    ENGINE_URLS: engineUrls.join(','),
    ENGINE_TOKEN: token,
    ALLOW_PRIVATE_HOSTS: origin.host,
  })
  const second = await there.start()
  const other = await there.dev()
  expect(other).toMatchObject({ engineUrl, engineUrls })
  expect((await processesWith(there.stateDir)).filter(({ command }) => command.includes('container/main.ts'))).toEqual(
    [],
  )
  const client = createApiClient(other.baseUrl, other.apiKey)
  const job = await client.ended(await client.start({ url: `${origin.url}/media/faststart.mp4` }))
  expect(job.status).toBe('completed')
  second.kill('SIGINT')
  expect(await second.exited).toBe(0)
  await expect.poll(there.isGone).toBe(true)
  expect(await Promise.all(engineUrls.map(isHealthy))).toEqual([true, true])

  const demo = createApiClient(baseUrl, apiKey)
  const { balanceDollars } = await demo.account()
  const killAndWait = async (command: string, message: RegExp, urls: string[]) => {
    const deaths = () => running.output().match(message)?.length ?? 0
    const before = deaths()
    const killed = (await processesWith(here.stateDir)).find((found) => found.command.includes(command))
    process.kill(killed?.pid ?? 0, 'SIGKILL')
    await expect.poll(deaths).toBeGreaterThan(before)
    for (const url of urls) await expect.poll(() => isHealthy(url)).toBe(true)
  }
  await killAndWait('container/main.ts', /The container [01] died \(SIGKILL\); restarting it/g, engineUrls)
  const workerDied = /The Worker died \(SIGKILL\); restarting it/g
  await killAndWait('cli.js dev', workerDied, [baseUrl])
  // The Workers runtime, a child of wrangler.
  await killAndWait('workerd serve', workerDied, [baseUrl])
  expect((await demo.account()).balanceDollars).toBe(balanceDollars)

  // This command cannot stop its children itself.
  running.kill('SIGKILL')
  await expect.poll(here.isGone).toBe(true)
})

test('a port in use is reported in one sentence', async () => {
  const { port, close } = await listenOnLoopback(createServer())
  const env = { PORT: `${port}`, ENGINE_PORT: '0', HAUL_STATE: join(folder, 'taken') }
  const command = runStart(env)
  expect(await command.exited).toBe(1)
  expect(command.output().trim()).toBe(`Port ${port} is in use: choose another port with PORT=…`)
  await close()
})

test('a folder without a model is reported in one sentence, before anything is started', async () => {
  const stateDir = join(folder, 'no-model')
  const command = runStart({ PORT: '0', ENGINE_PORT: '0', HAUL_STATE: stateDir, STT_MODELS: `parakeet=${folder}` })
  expect(await command.exited).toBe(1)
  const [line, ...others] = command.output().trim().split('\n')
  expect(line).toMatch(/^STT_MODELS: \S+ is none of the kinds that are read: it has no model\.bin \(Whisper\), .*\.$/)
  expect([others, existsSync(stateDir)]).toEqual([[], false])
})

test('a state folder in use is refused', async () => {
  const stateDir = join(folder, 'used')
  const holder = await openState(stateDir)
  const command = runStart({ PORT: '0', ENGINE_PORT: '0', HAUL_STATE: stateDir })
  expect(await command.exited).toBe(1)
  expect(command.output()).toContain(`Haul is already running with ${stateDir}`)
  await closeState(holder)
})
