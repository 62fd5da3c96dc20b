import { expect, test } from 'vitest'
import { downloadFile } from '../../../container/source/download.ts'
import type { FailureCode } from '../../../domain/codes/failures.ts'
import { byOutcome } from './by-outcome.ts'
import { anOrigin, aSink, downloadedFile, never, retryPolicy } from './downloading.ts'

const file = '/media/faststart.mp4'
const large = '/generated/20000000.mp4'

const failing = byOutcome<FailureCode>({
  SOURCE_TRUNCATED: {
    'a Content-Length beyond the end': `${file}?lieLength=1000000`,
    'a Content-Length beyond the end, without ranges': `${file}?lieLength=1000000&noRange`,
    'a total length below the range': `${file}?lieLength=100000`,
    'a cut at the same byte every time': `${file}?cutAfter=1000&noRange&times=always`,
    'a cut of a chunked body every time': `${file}?cutAfter=1000&chunked&times=always`,
    'cuts after almost no bytes': `${file}?cutAfter=1000&times=always`,
    'only the second half, whatever is requested': `${file}?secondHalf`,
    'a stall every time': `${file}?stallAfter=1000&noRange&times=always`,
    'a changed file after a cut': `${large}?cutAfter=100000&etagChanges=1`,
    'a changed file whose origin ignores If-Range': `${large}?cutAfter=100000&etagChanges=1&ignoreIfRange`,
    'a changed file with no other difference than its bytes': `${large}?cutAfter=2000000&noRange&validator=none&etagChanges=1`,
  },
  SOURCE_UNREACHABLE: {
    'an origin that always fails': `${file}?status=500`,
  },
  SOURCE_NOT_FOUND: {
    'a missing file': '/media/nothing.mp4',
    'a deleted file': `${file}?status=410`,
  },
  SOURCE_BLOCKED: { 'a refused request': `${file}?needReferer=` },
  SOURCE_RATE_LIMITED: { 'an origin that is always overloaded': `${file}?status=429` },
})

test.each(failing)('%s fails with %s', async (_description, code, path) => {
  const { outcome, requests } = await downloadedFile(path)
  expect(outcome).toMatchObject({ code })
  expect(requests.length).toBeLessThan(12)
})

const slow = [
  ['sends less than the least speed', `${large}?ratePerSecond=2000`],
  ['sends less than the least speed, without ranges', `${large}?ratePerSecond=2000&noRange`],
  ['stops sending', `${large}?stallAfter=100000&times=always`],
] as const

test.each(slow)('an origin that %s is retried once, then SOURCE_UNREACHABLE', async (_description, path) => {
  // As in production, but a hundred times faster.
  const { origin, egress } = await anOrigin(undefined, { leastSpeed: { windowMs: 600, idleMs: 300 } })
  const transport = { kind: 'file' as const, url: origin.url + path, headers: {} }
  const download = downloadFile(transport, await aSink(), { egress, signal: never, retryPolicy }, 1)
  await expect(download).rejects.toMatchObject({
    code: 'SOURCE_UNREACHABLE',
    message: 'The source sends its data too slowly.',
  })
  expect(origin.requests.length).toBeGreaterThan(1)
})
