import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { type AccountClient, createApiClient, newAccountClient } from '../../../support/product/api-client.ts'
import { sha256 } from '../../../support/sha256.ts'
import { type Ended, type SelfHosted, type Started, selfHosting } from './self-hosted.ts'

/** Backups of a server that works, and what becomes of them. */
const site = selfHosting()
const ACCOUNTS = 4
/** How long a busy machine may keep an engine from saying that it works. The restored jobs run again after it. */
const LEASE_MS = '15000'
/** Starts of the server, and jobs that go on after the restore. Less than 25 s on a quiet machine. */
const RESTORE_TIMEOUT_MS = 120_000

let instance: SelfHosted
let source: Started
let accounts: AccountClient[]
let backup: Ended
let dataDir: string
/** Imports that were accepted. */
let imports = 0

interface Entry {
  kind: 'credit' | 'hold' | 'charge' | 'release'
  jobId: string | null
  amountDollars: number
}

/** Amounts in whole micro-dollars, which add up exactly. */
const micros = (dollars: number): number => Math.round(dollars * 1_000_000)

/** Imports, cancellations and removals, one after the other, until `isEnough`. */
const useAccount = async (account: AccountClient, isEnough: () => boolean): Promise<void> => {
  for (let turn = 0; !isEnough(); turn++) {
    const url = `${site.origin.url}/media/faststart.mp4?account=${account.apiKey.slice(0, 20)}&turn=${turn}`
    const started = await account.request('POST', '/import', { url })
    const jobId = started.body.data?.jobId
    if (jobId) imports++
    if (jobId && turn % 4 === 1) await account.remove(`/jobs/${jobId}`)
    else if (jobId && turn % 4 === 2) await account.ended(jobId).then(() => account.remove(`/jobs/${jobId}`))
    // Two may run at once, so the next one starts beside this one.
    else await sleep(150)
  }
}

/** Credits as operators give them. */
const giveCredits = async (isEnough: () => boolean): Promise<void> => {
  const operator = createApiClient(source.baseUrl, source.adminToken)
  const listed = await operator.request('GET', '/admin/accounts')
  for (let turn = 0; !isEnough(); turn++) {
    for (const { accountId } of listed.body.data.accounts) {
      const credit = { amountDollars: 0.01, reference: `${turn}` }
      await operator.request('POST', `/admin/accounts/${accountId}/credits`, credit)
    }
    await sleep(100)
  }
}

beforeAll(async () => {
  instance = await site.instance({ LEASE_MS, PRICES: '{}' })
  dataDir = await site.dataDir()
  source = await instance.start(dataDir)
  const engines = await Promise.all([0, 1].map((index) => instance.startEngine(index, dataDir)))
  accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => newAccountClient(source)))
  let isTaken = false
  const completed = async (): Promise<number> => {
    const jobs = await Promise.all(accounts.map(jobsOf))
    return jobs.flat().filter(({ status }) => status === 'completed').length
  }
  const takeBackup = async () => {
    while ((await completed()) < 10) await sleep(200)
    backup = await site.command('backup', dataDir)
    // What happens afterwards must not be in it.
    const enough = imports + ACCOUNTS
    while (imports < enough) await sleep(20)
    isTaken = true
  }
  await Promise.all([
    ...accounts.map((account) => useAccount(account, () => isTaken)),
    giveCredits(() => isTaken),
    takeBackup(),
  ])
  await source.end('SIGKILL')
  for (const { process, exited } of engines) {
    process.kill('SIGKILL')
    await exited
  }
  // Four imports a second on a quiet machine; ten of them before the backup.
}, 120_000)

const entriesOf = async ({ get }: AccountClient): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (let cursor = ''; ; ) {
    const page = await get<{ entries: Entry[]; nextCursor: string | null }>(`/account/ledger?limit=1000${cursor}`)
    entries.push(...page.entries)
    if (!page.nextCursor) return entries
    cursor = `&cursor=${page.nextCursor}`
  }
}

interface ListedJob {
  jobId: string
  status: string
  removedAt: string | null
}

const jobsOf = async ({ get }: AccountClient): Promise<ListedJob[]> => {
  const jobs: ListedJob[] = []
  for (let cursor = ''; ; ) {
    const page = await get<{ jobs: ListedJob[]; nextCursor: string | null }>(`/jobs?limit=100${cursor}`)
    jobs.push(...page.jobs)
    if (!page.nextCursor) return jobs
    cursor = `&cursor=${page.nextCursor}`
  }
}

const isLive = ({ status }: { status: string }) => status === 'queued' || status === 'running'

/** The balance is credits and charges, and what is held are the holds of the jobs that are live. */
const expectLedgerAddsUp = async (account: AccountClient): Promise<void> => {
  const entries = await entriesOf(account)
  const sum = (...kinds: Entry['kind'][]) =>
    entries
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((all, { amountDollars }) => all + micros(amountDollars), 0)
  const { balanceDollars, heldDollars, availableDollars } = await account.account()
  expect(micros(balanceDollars)).toBe(sum('credit', 'charge'))
  expect(micros(availableDollars)).toBe(sum('credit', 'hold', 'release'))
  expect(micros(heldDollars)).toBe(micros(balanceDollars) - micros(availableDollars))
  const live = new Set((await jobsOf(account)).filter(isLive).map(({ jobId }) => jobId))
  const settled = new Set(
    entries.filter(({ kind }) => kind === 'charge' || kind === 'release').map(({ jobId }) => jobId),
  )
  const held = entries.filter(({ kind, jobId }) => kind === 'hold' && !settled.has(jobId))
  expect(new Set(held.map(({ jobId }) => jobId))).toEqual(live)
  expect(micros(heldDollars)).toBe(held.reduce((all, { amountDollars }) => all - micros(amountDollars), 0))
}

test('a backup under load restores to a ledger that adds up, with a file for every finished import', {
  timeout: RESTORE_TIMEOUT_MS,
}, async () => {
  expect([backup.code, backup.stderr]).toEqual([0, ''])
  expect(source.log.find(({ event }) => event === 'backup')).toMatchObject({ pausedMs: expect.any(Number) })
  expect(await readdir(dataDir)).not.toContain('snapshot')

  const restoredDir = await site.dataDir()
  const restored = await site.command('restore', restoredDir, backup.stdout)
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  const server = await instance.start(restoredDir)
  expect(server.adminToken).toBe(source.adminToken)

  // Without engines nothing goes on, so that all is as it was at the moment of the backup.
  const atBackup = (await Promise.all(accounts.map(jobsOf))).flat()
  expect(atBackup.length).toBeGreaterThan(10)
  for (const account of accounts) await expectLedgerAddsUp(account)

  await instance.startEngine(0, restoredDir)
  const liveJobs = async () => (await Promise.all(accounts.map(jobsOf))).flat().filter(isLive).length
  await expect.poll(liveJobs, { timeout: 75_000, interval: 500 }).toBe(0)
  let files = 0
  for (const account of accounts) {
    await expectLedgerAddsUp(account)
    expect((await account.account()).heldDollars).toBe(0)
    for (const { jobId, status, removedAt } of await jobsOf(account)) {
      const job = await account.read(jobId)
      if (status === 'failed') expect(job).toMatchObject({ code: 'CANCELED' })
      if (status !== 'completed' || removedAt) continue
      const response = await fetch(job.result.mediaUrl)
      expect([response.status, sha256(Buffer.from(await response.arrayBuffer()))]).toEqual([200, job.result.sha256])
      files++
    }
  }
  expect(files).toBeGreaterThan(3)
  expect(await server.end()).toBe(0)
})

test('an archive that is cut off, damaged or none is refused, and nothing is changed', {
  timeout: RESTORE_TIMEOUT_MS,
}, async () => {
  const archive = backup.stdout
  const damaged = Buffer.from(archive)
  // A byte of a database, in its write-ahead log. SQLite would leave out what follows, and say nothing.
  damaged[damaged.lastIndexOf('CREATE TABLE')] = 0
  const attempts: [Uint8Array, RegExp][] = [
    [archive.subarray(0, archive.length / 2), /^The archive cannot be read: .*Truncated/],
    [damaged, /^The backup is damaged: /],
    [Buffer.from('no archive'), /^The archive cannot be read: /],
    [new Uint8Array(), /^(The archive cannot be read|This is no backup)/],
  ]
  for (const [bytes, sentence] of attempts) {
    const empty = await site.dataDir()
    const refused = await site.command('restore', empty, bytes)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(sentence)])
    expect(await readdir(empty)).toEqual([])
  }
})

test('a restore never touches a running server, and moves data aside only when it is told to', {
  timeout: RESTORE_TIMEOUT_MS,
}, async () => {
  const here = await site.dataDir()
  const running = await instance.start(here)
  const refusedWhileRunning = await site.command('restore', here, backup.stdout, '--replace')
  expect([refusedWhileRunning.code, refusedWhileRunning.stderr]).toEqual([
    1,
    `Haul is running with ${here}: stop it first.\n`,
  ])
  await running.end()
  const refused = await site.command('restore', here, backup.stdout)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('With --replace it is moved aside')])
  const replaced = await site.command('restore', here, backup.stdout, '--replace')
  expect([replaced.code, `${replaced.stdout}`]).toEqual([
    0,
    expect.stringMatching(/What was here before is in \S+replaced-\d+\./),
  ])
  expect((await readdir(here)).map((name) => name.replace(/\d+$/, '')).sort()).toEqual(['replaced-', 'state'])
})

test('a backup of a server that does not run is one sentence', async () => {
  const nowhere = await site.dataDir()
  const refused = await site.command('backup', nowhere)
  expect([refused.code, refused.stderr, refused.stdout.length]).toEqual([
    1,
    `Haul is not running with ${nowhere}.\n`,
    0,
  ])
})
