import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ContainerProcess } from '../../../container/container-process.ts'
import { allProcesses } from '../../../container/processes.ts'
import { newAccountClient } from '../../../support/product/api-client.ts'
import { sha256 } from '../../../support/sha256.ts'
import { engineAddress, selfHosting } from './self-hosted.ts'

const site = selfHosting()
/** Up to four starts of the server, the first with two of workerd: 2 CPU-seconds, of which a busy machine has few. */
const STARTS_TIMEOUT_MS = 90_000

test('the first start makes secrets that only its user can read, and prints none of them', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start } = await site.instance()
  const dataDir = await site.dataDir()
  const tokenFile = join(dataDir, 'engine-token')
  const first = await start(dataDir, { ENGINE_TOKEN_FILE: tokenFile })
  const secretsFile = join(dataDir, 'state/secrets.env')
  for (const path of [secretsFile, tokenFile]) expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(dataDir, 'state'))).mode & 0o777).toBe(0o700)
  expect(JSON.stringify(first.log)).toMatch(/api-key.*admin-token/)
  expect(JSON.stringify(first.log)).not.toMatch(/[0-9a-f]{64}/)

  const shown = await site.command('admin-token', dataDir)
  expect([shown.code, `${shown.stdout}`]).toEqual([0, `${first.adminToken}\n`])
  const { apiKey } = await newAccountClient(first)
  expect(await first.end()).toBe(0)

  const second = await start(dataDir, { ADMIN_TOKEN: 'given-by-the-environment' })
  expect(JSON.stringify(second.log)).not.toContain('first start')
  const refused = await fetch(`${second.baseUrl}/admin/accounts`, {
    headers: { authorization: `Bearer ${first.adminToken}` },
  })
  const accepted = await fetch(`${second.baseUrl}/admin/accounts`, {
    headers: { authorization: 'Bearer given-by-the-environment' },
  })
  const account = await fetch(`${second.baseUrl}/account`, { headers: { authorization: `Bearer ${apiKey}` } })
  expect([refused.status, accepted.status, account.status]).toEqual([401, 200, 200])
  expect(await second.end('SIGINT')).toBe(0)
})

test('everything is free, and api-key makes keys of the account that the first start made', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start } = await site.instance()
  const dataDir = await site.dataDir()
  const first = await start(dataDir)
  const keyOf = async () => {
    const { code, stdout } = await site.command('api-key', dataDir)
    expect(code).toBe(0)
    return `${stdout}`.trim()
  }
  const accountOf = async (key: string) => {
    const response = await fetch(`${first.baseUrl}/account`, { headers: { authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    return ((await response.json()) as { data: { accountId: string; name: string; prices: object } }).data
  }
  const keys = [await keyOf(), await keyOf()]
  const [one, other] = await Promise.all(keys.map(accountOf))
  expect(one).toMatchObject({ name: 'owner', balanceDollars: 0, accountId: other?.accountId })
  expect(Object.values(one?.prices ?? {})).toEqual([0, 0, 0, 0, 0])
  expect(await first.end()).toBe(0)

  const notRunning = await site.command('api-key', dataDir)
  expect([notRunning.code, notRunning.stderr]).toEqual([1, `Haul is not running with ${dataDir}.\n`])
  // The account is found again although it has another name, and prices are what the operator says.
  const second = await start(dataDir, { PRICES: '{}' })
  const again = await accountOf(await keyOf())
  expect(again).toMatchObject({ accountId: one?.accountId, prices: { captions: 0.01 } })
  expect(await second.end()).toBe(0)
})

test('a port in use, a folder that cannot be written, and a folder in use are one sentence each', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start } = await site.instance()
  const blocker = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => blocker.once('listening', listening))
  const { port } = blocker.address() as { port: number }
  const dataDir = await site.dataDir()
  await expect(start(dataDir, { PORT: `${port}` })).rejects.toThrow(
    `1: Port ${port} is in use: choose another one with PORT=…`,
  )
  blocker.close()

  const file = join(await site.dataDir(), 'a-file')
  await writeFile(file, '')
  await expect(start(file)).rejects.toThrow(
    /^1: The data folder \S+ cannot be written by user \d+ \(it is not a folder\)\.$/,
  )

  const running = await start(dataDir)
  await expect(start(dataDir)).rejects.toThrow(`1: Haul is already running with ${dataDir}.`)
  expect(await running.end()).toBe(0)
})

/** Ends the server in the very moment of its line `listening`. */
const endsAtListening = `
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (text, ...rest) => {
    const isWritten = write(text, ...rest)
    if (String(text).includes('"listening"')) process.kill(process.pid, 'SIGTERM')
    return isWritten
  }`

test('a signal in the moment when the server listens ends it like any later one', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start } = await site.instance()
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(endsAtListening)}`
  const { exited, log } = await start(await site.dataDir(), { NODE_OPTIONS })
  expect(await exited).toBe(0)
  const events = log.map(({ event }) => event)
  expect(events.slice(events.indexOf('first start'))).toEqual(['first start', 'listening', 'stopping', 'stopped'])
})

test('when the Workers runtime dies, a request is answered 502, and the program ends for its supervisor to start it again', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start } = await site.instance()
  const dataDir = await site.dataDir()
  const { baseUrl, runtimePid, exited } = await start(dataDir)
  const url = `${baseUrl}/import`
  const waiting = request(url, { method: 'POST', headers: { expect: '100-continue', 'content-length': 10 } })
  const [answered] = [once(waiting, 'response'), waiting.flushHeaders()]
  // Then the server has the request, whose body is not complete.
  await once(waiting, 'continue')
  process.kill(runtimePid, 'SIGKILL')
  const [response]: IncomingMessage[] = await answered
  expect(response?.statusCode).toBe(502)
  waiting.destroy()
  expect(await exited).toBe(1)
})

test('an import whose server is killed completes after the restart, with its file and one charge', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start, startEngine } = await site.instance({ PRICES: '{}' })
  const dataDir = await site.dataDir()
  const first = await start(dataDir)
  await startEngine(0, dataDir)
  const client = await newAccountClient(first)
  const target = '/media/faststart.mp4?holdAfter=300000'
  const jobId = await client.start({ url: site.origin.url + target })
  await client.until(jobId, ({ progress }) => (progress?.downloadedBytes ?? 0) > 0)
  expect(await first.end('SIGKILL')).toBe('SIGKILL')
  await expect.poll(() => allProcesses().some(({ pid }) => pid === first.runtimePid)).toBe(false)
  const second = await start(dataDir)
  site.origin.release(target)
  const job = await client.ended(jobId)
  expect(job).toMatchObject({ status: 'completed' })
  const media = Buffer.from(await (await fetch(job.result.mediaUrl)).arrayBuffer())
  expect(sha256(media)).toBe(job.result.sha256)
  const { entries } = await client.get<{ entries: { kind: string }[] }>('/account/ledger')
  expect(entries.map(({ kind }) => kind).filter((kind) => kind === 'charge')).toHaveLength(1)
  expect(await second.end()).toBe(0)
})

test('an engine that the server has missed takes steps when it is added', { timeout: STARTS_TIMEOUT_MS }, async () => {
  const { start, startEngine, enginePort } = await site.instance()
  const missed = Promise.withResolvers<void>()
  const nobody = createServer((socket) => {
    missed.resolve()
    socket.destroy()
  }).listen(enginePort, engineAddress(1))
  const dataDir = await site.dataDir()
  const server = await start(dataDir)
  const first = await startEngine(0, dataDir)
  const accounts = await Promise.all(Array.from({ length: 6 }, () => newAccountClient(server)))
  // Two for each account, more than the first engine has places for. None ends.
  const started = accounts.flatMap((account, index) =>
    ['a', 'b'].map((each) =>
      account.start({ url: `${site.origin.url}/media/faststart.mp4?holdAfter=300000&n=${index}${each}` }),
    ),
  )
  await Promise.all(started)
  const stepsOn = (engine: ContainerProcess) => engine.log.filter(({ event }) => event === 'step started').length
  await expect.poll(() => stepsOn(first)).toBe(8)
  await missed.promise
  await new Promise((closed) => nobody.close(closed))
  const second = await startEngine(1, dataDir)
  // It is asked again after 15 s at most: test/rules/domain/fleet/starts.test.ts.
  await expect.poll(() => stepsOn(second), { timeout: 60_000 }).toBe(4)
})
