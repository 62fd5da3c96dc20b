import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'

/** What the databases have of words that were removed. */
let sites: Origin
let client: AccountClient

const site = ownProduct(async () => {
  sites = await startOrigin({ root: site.folder })
  return {}
})

beforeAll(async () => {
  client = await site.newClient()
})

afterAll(() => sites?.close())

/** Captions of 300 sentences with a word of their own. */
const sentencesWith = (word: string): string[] =>
  Array.from({ length: 300 }, (_, index) => `Sentence ${index} of the ${word}sayer about ${word}land.`)

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 23)

const transcribed = async (word: string): Promise<string> => {
  const cues = sentencesWith(word).map((text, index) => `${timeOf(index * 4)} --> ${timeOf(index * 4 + 3)}\n${text}`)
  await writeFile(join(site.folder, `${word}.vtt`), `WEBVTT\n\n${cues.join('\n\n')}\n`)
  const track = `<track kind="captions" srclang="en" src="${sites.url}/media/${word}.vtt">`
  const video = `<video src="${site.origin.url}/media/faststart.mp4">${track}</video>`
  await writeFile(join(site.folder, `${word}.html`), `<!doctype html><title>A talk</title>${video}`)
  const started = await client.request('POST', '/transcribe', { url: `${sites.url}/media/${word}.html` })
  const { jobId } = started.body.data
  expect((await client.ended(jobId)).status).toBe('completed')
  return jobId
}

const found = async (word: string): Promise<number> =>
  (await client.request('GET', `/search?q=${word}land`)).body.data.results.length

const passages = async (): Promise<number> => (await client.account()).search.passages

/** All that the databases of all objects hold, without the free space of their files. Nothing else has them open. */
const bytesOfDatabases = async (): Promise<string> => {
  const names = (await readdir(site.folder, { recursive: true })).filter((name) => name.endsWith('.sqlite'))
  const contents = names.map(async (name) => {
    const path = join(site.folder, name)
    const packed = `${path}.packed`
    const database = new DatabaseSync(path)
    database.exec(`VACUUM INTO '${packed}'`)
    database.close()
    const bytes = await readFile(packed)
    await rm(packed)
    return bytes.toString('latin1').toLowerCase()
  })
  return (await Promise.all(contents)).join('')
}

test('when a job is removed, no row and no entry of an index has its words', async () => {
  const kept = await transcribed('alpha')
  const removed = await transcribed('beta')
  await vi.waitFor(async () => expect([await found('alpha'), await found('beta')]).toEqual([10, 10]), 60_000)
  const before = await passages()
  await client.remove(`/jobs/${removed}`)
  expect([await found('alpha'), await found('beta')]).toEqual([10, 0])
  await vi.waitFor(async () => expect(await passages()).toBe(before / 2), 60_000)
  await site.restart(async () => {
    const bytes = await bytesOfDatabases()
    expect(bytes).toContain('of the alphasayer about alphaland')
    expect(bytes.includes('betasayer') || bytes.includes('betaland')).toBe(false)
  })
  expect([await found('alpha'), await found('beta')]).toEqual([10, 0])
  await client.remove(`/jobs/${kept}`)
  await vi.waitFor(async () => expect(await passages()).toBe(0), 60_000)
  await site.restart(async () => {
    expect((await bytesOfDatabases()).includes('alphaland')).toBe(false)
  })
})
