import { stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allProcesses } from '../../container/processes.ts'
import { newAccountClient } from '../../product/api-client.ts'
import { sha256 } from '../../sha256.ts'
import { selfHosting } from './self-hosted.ts'

const site = selfHosting()
/** Up to four starts of the server, each with two of workerd: 1.5 CPU-seconds, of which a busy machine has few. */
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
  expect(JSON.stringify(first.log)).toContain('admin-token')
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

test('when the Workers runtime dies, the program ends with an error, for its supervisor to start it again', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start } = await site.instance()
  const dataDir = await site.dataDir()
  const { log, exited } = await start(dataDir)
  process.kill(Number(log.find(({ event }) => event === 'listening')?.runtimePid), 'SIGKILL')
  expect(await exited).toBe(1)
})

test('an import whose server is killed completes after the restart, with its file and one charge', {
  timeout: STARTS_TIMEOUT_MS,
}, async () => {
  const { start, startEngine } = await site.instance()
  const dataDir = await site.dataDir()
  const first = await start(dataDir)
  await startEngine(0, dataDir)
  const client = await newAccountClient(first)
  const target = '/media/faststart.mp4?holdAfter=300000'
  const jobId = await client.start({ url: site.origin.url + target })
  await client.until(jobId, ({ progress }) => (progress?.downloadedBytes ?? 0) > 0)
  expect(await first.end('SIGKILL')).toBe('SIGKILL')
  const { runtimePid } = first.log.find(({ event }) => event === 'listening') ?? {}
  await expect.poll(() => allProcesses().some(({ pid }) => pid === runtimePid)).toBe(false)
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

test('an engine that is added later takes steps within 30 s', { timeout: STARTS_TIMEOUT_MS }, async () => {
  const { start, startEngine } = await site.instance()
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
  await expect.poll(() => first.log.filter(({ event }) => event === 'step started').length).toBe(8)
  const second = await startEngine(1, dataDir)
  const addedAt = performance.now()
  await expect
    .poll(() => second.log.filter(({ event }) => event === 'step started').length, { timeout: 30_000 })
    .toBe(4)
  expect(performance.now() - addedAt).toBeLessThan(30_000)
})
