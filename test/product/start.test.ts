import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChild } from '../../scripts/start/child.ts'
import { claimPort, isFree } from '../../scripts/start/ports.ts'
import { supervise } from '../../scripts/start/supervise.ts'
import { listenOnLoopback } from '../loopback.ts'
import { startOrigin } from '../origin/origin.ts'
import { createApiClient } from './api-client.ts'
import { type Command, processesWith, runStart } from './start-command.ts'

/** The `npm start` command: what it starts, what it prints, and that it leaves no processes behind. */
/** Each start of the product takes up to 10 s on 2 quiet cores, and these tests need two of them. */
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
  const port = await claimPort(0, 'PORT')
  const enginePort = await claimPort(0, 'ENGINE_PORT')
  const stateDir = join(folder, name)
  const start = async (): Promise<Command> => {
    const command = runStart({ PORT: `${port}`, ENGINE_PORT: `${enginePort}`, HAUL_STATE: stateDir, ...env })
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

test('it starts the Worker and the container with a demo account, stops completely, and keeps the account', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const { port, enginePort, stateDir, start, dev, isGone } = await instance('whole')
  const first = await start()
  const written = await dev()
  expect(written).toEqual({
    baseUrl: `http://127.0.0.1:${port}`,
    engineUrl: `http://127.0.0.1:${enginePort}`,
    engineUrls: [`http://127.0.0.1:${enginePort}`],
    apiKey: expect.stringMatching(/^haul_/),
    adminToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    accountId: expect.stringMatching(/^acct_/),
  })
  expect([await isHealthy(written.baseUrl), await isHealthy(written.engineUrl)]).toEqual([true, true])
  expect(await createApiClient(written.baseUrl, written.apiKey).account()).toMatchObject({
    accountId: written.accountId,
    name: 'demo',
    balanceDollars: 10,
  })
  expect(first.output()).toContain(`curl -s ${written.baseUrl}/import -H 'Authorization: Bearer ${written.apiKey}'`)
  for (const secret of ['secrets.env', 'dev.json'])
    expect((await stat(join(stateDir, secret))).mode & 0o777).toBe(0o600)

  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  await expect.poll(isGone).toBe(true)

  const second = await start()
  expect(await dev()).toEqual(written)
  expect((await createApiClient(written.baseUrl, written.apiKey).account()).balanceDollars).toBe(10)
  second.kill('SIGINT')
  expect(await second.exited).toBe(0)
  await expect.poll(isGone).toBe(true)
})

test('its port has no tools of wrangler, its S3 keys are its own, and no signed link is on its disk', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const origin = await startOrigin()
  const { stateDir, start, dev, isGone } = await instance('walls', { ALLOW_PRIVATE_HOSTS: origin.host })
  const command = await start()
  const { baseUrl, apiKey } = await dev()

  for (const tool of ['explorer', 'explorer/', 'explorer/api', 'explorer/api/d1/database', 'observability']) {
    for (const folder of ['cdn-cgi', 'cdn-cgi/local']) {
      const response = await fetch(`${baseUrl}/${folder}/${tool}`)
      expect([tool, response.status, await response.json()]).toMatchObject([tool, 404, { code: 'NOT_FOUND' }])
    }
  }

  const client = createApiClient(baseUrl, apiKey)
  const { result } = await client.ended(await client.start({ url: `${origin.url}/media/faststart.mp4` }))
  expect((await fetch(result.mediaUrl)).status).toBe(200)
  command.kill('SIGTERM')
  expect(await command.exited).toBe(0)
  await expect.poll(isGone).toBe(true)

  const secrets = await readFile(join(stateDir, 'secrets.env'), 'utf8')
  expect(secrets).toMatch(/^MEDIA_S3_ACCESS_KEY_ID=[0-9a-f]{64}$/m)
  expect(secrets).toMatch(/^MEDIA_S3_SECRET_ACCESS_KEY=[0-9a-f]{64}$/m)
  expect((await stat(join(stateDir, 'wrangler.json'))).mode & 0o777).toBe(0o600)
  const signature = new URL(result.mediaUrl).searchParams.get('signature') ?? 'none'
  const written = await filesOf(stateDir)
  expect(written.length).toBeGreaterThan(10)
  expect(written.filter((file) => file.text.includes(signature)).map(({ path }) => path)).toEqual([])
  expect(written.filter((file) => /X-Amz-Signature=[0-9a-f]/.test(file.text)).map(({ path }) => path)).toEqual([])
  await origin.close()
})

/** Also the databases: SQLite stores texts as they are. */
const filesOf = async (dir: string): Promise<{ path: string; text: string }[]> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'latin1') })))
}

test('two instances run side by side, and each restarts its own processes when they die', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const [one, other] = [await instance('one'), await instance('other')]
  const [first, second] = await Promise.all([one.start(), other.start()])
  const { baseUrl, engineUrl } = await one.dev()

  const killAndWait = async (command: string, name: string, url: string) => {
    const deaths = () => first.output().split(`The ${name} died (SIGKILL); restarting it`).length
    const before = deaths()
    const running = (await processesWith(one.stateDir)).find((found) => found.command.includes(command))
    process.kill(running?.pid ?? 0, 'SIGKILL')
    await expect.poll(deaths).toBeGreaterThan(before)
    await expect.poll(() => isHealthy(url)).toBe(true)
  }
  await killAndWait('container/main.ts', 'container', engineUrl)
  await killAndWait('cli.js dev', 'Worker', baseUrl)
  // The Workers runtime, a child of wrangler.
  await killAndWait(`workerd serve`, 'Worker', baseUrl)
  expect((await createApiClient(baseUrl, (await one.dev()).apiKey).account()).balanceDollars).toBe(10)
  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  await expect.poll(one.isGone).toBe(true)

  expect(await isHealthy((await other.dev()).baseUrl)).toBe(true)
  // This command cannot stop its children itself.
  second.kill('SIGKILL')
  await expect.poll(other.isGone).toBe(true)
})

test('ENGINES starts several containers, and another instance can use them by ENGINE_URLS', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const origin = await startOrigin()
  const here = await instance('here', { ENGINES: '2', ENGINE_PORT: '0', ALLOW_PRIVATE_HOSTS: origin.host })
  const first = await here.start()
  const { engineUrls, engineUrl } = await here.dev()
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
  const { baseUrl, apiKey, ...dev } = await there.dev()
  expect(dev).toMatchObject({ engineUrl, engineUrls })
  expect((await processesWith(there.stateDir)).filter(({ command }) => command.includes('container/main.ts'))).toEqual(
    [],
  )
  const client = createApiClient(baseUrl, apiKey)
  const job = await client.ended(await client.start({ url: `${origin.url}/media/faststart.mp4` }))
  expect(job.status).toBe('completed')
  second.kill('SIGTERM')
  expect(await second.exited).toBe(0)
  expect(await Promise.all(engineUrls.map(isHealthy))).toEqual([true, true])
  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  await expect.poll(here.isGone).toBe(true)
  await origin.close()
})

test('a process that keeps dying is not restarted any more, and the error has the end of its log', async () => {
  const printed: string[] = []
  const start = () =>
    startChild(process.execPath, ['-e', 'process.exit(3)'], { cwd: folder, env: {}, onLine: () => {} })
  const log = { tail: () => 'out of memory' }
  const print = (line: string) => printed.push(line)
  const supervised = supervise({ name: 'Worker', start, log, print, firstWaitMs: 1 })
  expect((await supervised.gaveUp).message).toBe('The Worker keeps dying. The end of its log:\nout of memory')
  expect(printed).toEqual(Array(5).fill('The Worker died (code 3); restarting it'))
})

test.each(['PORT', 'ENGINE_PORT'])('a %s in use is reported in one sentence', async (variable) => {
  const { port, close } = await listenOnLoopback(createServer())
  const env = { PORT: '0', ENGINE_PORT: '0', HAUL_STATE: join(folder, 'taken'), [variable]: `${port}` }
  const command = runStart(env)
  expect(await command.exited).toBe(1)
  expect(command.output().trim()).toBe(`Port ${port} is in use: choose another port with ${variable}=…`)
  await close()
})

test('a state folder in use is refused', { timeout: START_TIMEOUT_MS }, async () => {
  const { stateDir, start } = await instance('used')
  const holder = await start()
  const command = runStart({ PORT: '0', ENGINE_PORT: '0', HAUL_STATE: stateDir })
  expect(await command.exited).toBe(1)
  expect(command.output()).toContain(`Haul is already running with ${stateDir}`)
  holder.kill('SIGTERM')
  expect(await holder.exited).toBe(0)
})
