import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { EngineState } from '../../../domain/protocol/protocol.ts'
import { readSecrets } from '../../../self-host/data/secrets.ts'
import { type DrippingSource, FILM_BYTES, startDrippingSource } from '../../doubles/origin/dripping-source.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'

/** `ENGINES=3 npm start`: what happens to imports whose container is killed or drains. */
const ENGINES = 3
const ACCOUNTS = 15
/** All imports are in progress, and two engines cannot take all those of the third at once. */
const PLACES = 11
/** Less than the 60 s of a lease: no step goes on because its lease has expired. */
const RESTARTED_MS = 45_000

let source: DrippingSource
let token: string

const site = ownProduct(async () => {
  source = await startDrippingSource()
  return { engines: ENGINES, under: 'wrangler', env: { ENGINE_NETWORK_PLACES: `${PLACES}` } }
})

beforeAll(async () => {
  token = (await readSecrets(site.haul.state.secretsFile)).ENGINE_TOKEN
})

beforeEach(() => source.hold())

afterAll(() => source?.close())

const stateOf = async (index: number): Promise<EngineState> => {
  const headers = { authorization: `Bearer ${token}` }
  return EngineState.parse(await (await fetch(`${site.haul.engineUrls[index]}/state`, { headers })).json())
}

interface Import {
  jobId: string
  path: string
  account: AccountClient
}

/** Two imports for each of the accounts, all of which are being downloaded. */
const startImports = async (name: string, accounts: number): Promise<Import[]> => {
  const started = await Promise.all(
    Array.from({ length: accounts }, async (_, index) => {
      const account = await site.newClient()
      const paths = ['one', 'two'].map((each) => `/${name}/${index}/${each}.mp4`)
      return Promise.all(
        paths.map(async (path) => ({ jobId: await account.start({ url: source.url + path }), path, account })),
      )
    }),
  )
  const imports = started.flat()
  await expect.poll(() => imports.every(({ path }) => source.startsOf(path) > 0), { timeout: 60_000 }).toBe(true)
  return imports
}

/** The imports end, and each is charged once for its bytes. */
const expectCompleted = async (imports: Import[]) => {
  const jobs = await Promise.all(imports.map(({ account, jobId }) => account.ended(jobId)))
  for (const job of jobs)
    expect(job, job.code).toMatchObject({ status: 'completed', result: { downloadedBytes: FILM_BYTES } })
  for (const { account, jobId } of imports) {
    const { body } = await account.request('GET', '/account/ledger')
    const charges = body.data.entries.filter(
      (entry: { jobId: string; kind: string }) => entry.jobId === jobId && entry.kind === 'charge',
    )
    expect(charges).toHaveLength(1)
    expect(await account.account()).toMatchObject({
      balanceDollars: 10 - (2 * FILM_BYTES) / 100_000_000,
      heldDollars: 0,
    })
  }
}

test('when one engine after the other is killed during 30 imports, each goes on elsewhere without waiting for its lease', {
  timeout: 240_000,
}, async () => {
  const imports = await startImports('killed', ACCOUNTS)
  // A step has three attempts, and it may run on the engine that is killed each time.
  for (const index of [0, 1]) {
    const running = (await stateOf(index)).running.map(({ jobId }) => jobId)
    const hit = imports.filter(({ jobId }) => running.includes(jobId))
    expect(hit.length).toBeGreaterThan(0)
    const before = new Map(hit.map(({ path }) => [path, source.startsOf(path)]))
    await site.haul.killContainer('SIGKILL', index)
    const waiting = () => hit.filter(({ path }) => source.startsOf(path) === before.get(path)).map(({ path }) => path)
    await expect.poll(waiting, { timeout: RESTARTED_MS }).toEqual([])
    await site.haul.ready()
  }
  source.release()
  await expectCompleted(imports)
})

test('an engine that gets SIGTERM completes its steps with one attempt each, and takes no others', {
  timeout: 120_000,
}, async () => {
  const imports = await startImports('draining', 3)
  const states = await Promise.all(site.haul.engineUrls.map((_, index) => stateOf(index)))
  const draining = states.findIndex(({ running }) => running.length > 0)
  const itsJobs = states[draining]?.running.map(({ jobId }) => jobId)
  const drained = site.haul.killContainer('SIGTERM', draining)
  await expect.poll(async () => (await stateOf(draining)).status).toBe('draining')
  const later = await startImports('later', 3)
  expect((await stateOf(draining)).running.map(({ jobId }) => jobId)).toEqual(itsJobs)
  source.release()
  await drained
  await expectCompleted([...imports, ...later])
  for (const { path } of imports) expect([path, source.startsOf(path)]).toEqual([path, 1])
  await site.haul.ready()
})
