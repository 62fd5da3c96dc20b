import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChild } from '../../scripts/start/child.ts'
import { keep } from '../../scripts/start/kept.ts'
import { claimPort, isFree } from '../../scripts/start/ports.ts'
import { onLoopback } from '../loopback.ts'
import { createCaller } from './caller.ts'
import { type Command, processesWith, startCommand } from './command.ts'

/** `npm start`, the command: what it brings up, what it says, and that nothing is left of it. */
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

const instance = async (name: string) => {
  const port = await claimPort(0, 'PORT')
  const enginePort = await claimPort(0, 'ENGINE_PORT')
  const stateDir = join(folder, name)
  const start = async (): Promise<Command> => {
    const command = startCommand({ PORT: `${port}`, ENGINE_PORT: `${enginePort}`, HAUL_STATE: stateDir })
    started.push(command)
    await command.says('Ctrl-C stops everything')
    return command
  }
  const dev = async () => JSON.parse(await readFile(join(stateDir, 'dev.json'), 'utf8'))
  const isGone = async () => {
    const processes = await processesWith(stateDir)
    return processes.length === 0 && (await isFree(port)) && (await isFree(enginePort))
  }
  return { port, enginePort, stateDir, start, dev, isGone }
}

const isWell = async (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  )

test('it brings up Worker and container with a demo account, stops without a trace, and finds the account again', async () => {
  const { port, enginePort, stateDir, start, dev, isGone } = await instance('whole')
  const first = await start()
  const written = await dev()
  expect(written).toEqual({
    baseUrl: `http://127.0.0.1:${port}`,
    engineUrl: `http://127.0.0.1:${enginePort}`,
    apiKey: expect.stringMatching(/^haul_/),
    adminToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    accountId: expect.stringMatching(/^acct_/),
  })
  expect([await isWell(written.baseUrl), await isWell(written.engineUrl)]).toEqual([true, true])
  expect(await createCaller(written.baseUrl, written.apiKey).account()).toMatchObject({
    accountId: written.accountId,
    name: 'demo',
    balanceDollars: 10,
  })
  expect(first.said()).toContain(`curl -s ${written.baseUrl}/import -H 'Authorization: Bearer ${written.apiKey}'`)
  for (const secret of ['secrets.env', 'dev.json'])
    expect((await stat(join(stateDir, secret))).mode & 0o777).toBe(0o600)

  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  await expect.poll(isGone).toBe(true)

  const second = await start()
  expect(await dev()).toEqual(written)
  expect((await createCaller(written.baseUrl, written.apiKey).account()).balanceDollars).toBe(10)
  second.kill('SIGINT')
  expect(await second.exited).toBe(0)
  await expect.poll(isGone).toBe(true)
})

test('two instances run side by side, whatever dies of one comes back, and a kill ends one alone', async () => {
  const [one, other] = [await instance('one'), await instance('other')]
  const [first, second] = await Promise.all([one.start(), other.start()])
  const { baseUrl, engineUrl } = await one.dev()

  const killed = async (part: string, name: string, url: string) => {
    const deaths = () => first.said().split(`The ${name} died (SIGKILL); starting it again`).length
    const before = deaths()
    const [process_] = (await processesWith(one.stateDir)).filter(({ command }) => command.includes(part))
    process.kill(process_?.pid ?? 0, 'SIGKILL')
    await expect.poll(deaths).toBeGreaterThan(before)
    await expect.poll(() => isWell(url)).toBe(true)
  }
  await killed('container/main.ts', 'container', engineUrl)
  await killed('cli.js dev', 'Worker', baseUrl)
  // The Workers runtime, under wrangler.
  await killed(`workerd serve`, 'Worker', baseUrl)
  expect((await createCaller(baseUrl, (await one.dev()).apiKey).account()).balanceDollars).toBe(10)
  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  await expect.poll(one.isGone).toBe(true)

  expect(await isWell((await other.dev()).baseUrl)).toBe(true)
  // Nobody had a chance to stop this one's children.
  second.kill('SIGKILL')
  await expect.poll(other.isGone).toBe(true)
})

test('what cannot be kept alive is given up, with its last words', async () => {
  const said: string[] = []
  const start = () =>
    startChild(process.execPath, ['-e', 'process.exit(3)'], { cwd: folder, env: {}, onLine: () => {} })
  const log = { tail: () => 'its last words' }
  const kept = keep({ name: 'thing', start, log, say: (line) => said.push(line), firstWaitMs: 1 })
  expect((await kept.gaveUp).message).toBe('The thing does not stay alive. Its last words:\nits last words')
  expect(said).toEqual(Array(5).fill('The thing died (code 3); starting it again'))
})

test.each(['PORT', 'ENGINE_PORT'])('a taken %s is said in one sentence', async (variable) => {
  const { port, close } = await onLoopback(createServer())
  const env = { PORT: '0', ENGINE_PORT: '0', HAUL_STATE: join(folder, 'taken'), [variable]: `${port}` }
  const command = startCommand(env)
  expect(await command.exited).toBe(1)
  expect(command.said().trim()).toBe(`Port ${port} is taken by another program: choose a free one with ${variable}=…`)
  await close()
})

test('a state folder that is in use is refused', async () => {
  const { stateDir, start } = await instance('used')
  const holder = await start()
  const command = startCommand({ PORT: '0', ENGINE_PORT: '0', HAUL_STATE: stateDir })
  expect(await command.exited).toBe(1)
  expect(command.said()).toContain(`Haul runs already on ${stateDir}`)
  holder.kill('SIGTERM')
  expect(await holder.exited).toBe(0)
})
