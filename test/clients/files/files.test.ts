import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { JobStatus } from '../../support/product/api-client.ts'
import { accountStreams, downloads, eventStreams, probes, reconnecting, uploads } from '../clients.ts'
import { testEach, workspace } from '../workspace.ts'

/** Unmodified programs that read event streams, download what Haul has stored, and send files. */
const space = workspace()

/** Film of 560 kB. */
const imported = async (): Promise<JobStatus> =>
  space.account.ended(await space.account.start({ url: space.site.media() }))

testEach(eventStreams, 'reads the events of a job to its end', async (client) => {
  const job = await imported()
  const output = await space.outputOf(client, { env: { HAUL_JOB: job.jobId } })
  expect(output).toContain('completed')
  expect(output).toContain(job.jobId)
})

testEach(reconnecting, 'gets the last event of a job once, although it connects again', async (client) => {
  const job = await imported()
  const lines = (await space.outputOf(client, { env: { HAUL_JOB: job.jobId } })).trim().split('\n')
  const kinds = lines.map((line) => (line.startsWith('job ') ? JSON.parse(line.slice(4)).status : line))
  expect(kinds).toEqual(['response 200', 'completed', 'response 204'])
})

testEach(accountStreams, 'reads JSON in each event of an account, the first one too', async (client) => {
  const lines = (await space.outputOf(client, { env: { MEDIA_URL: space.site.media() } })).trim().split('\n')
  expect(lines[0]).toMatch(/^ready {'type': 'ready', .*'data': {}}$/)
  expect(lines.at(-1)).toMatch(/^import.completed {'type': 'import.completed', /)
})

testEach(downloads, 'downloads a file in several parts', async (client) => {
  const { result } = await imported()
  const bytes = await fetch(result.mediaUrl).then((response) => response.bytes())
  const output = await space.outputOf(client, { env: { MEDIA_URL: result.mediaUrl } })
  expect(output).toContain(createHash('sha256').update(bytes).digest('hex'))
})

testEach(probes, 'reads the length of a file', async (client) => {
  const { result } = await imported()
  const output = await space.outputOf(client, { env: { MEDIA_URL: result.mediaUrl } })
  expect(Number(output)).toBeCloseTo(result.duration, 1)
})

testEach(uploads, 'sends a file in parts', async (client) => {
  expect(await space.outputOf(client)).toContain("'status': 'ready'")
})
