import { expect, test } from 'vitest'
import type { FailureCode } from '../../../domain/codes/failures.ts'
import { byOutcome } from './by-outcome.ts'
import { downloadedFile } from './downloading.ts'

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
    'a stall every time': `${file}?stallAfter=1000&noRange&times=always`,
    'a changed file after a cut': `${large}?cutAfter=100000&etagChanges=1`,
    'a changed file whose origin ignores If-Range': `${large}?cutAfter=100000&etagChanges=1&ignoreIfRange`,
    'a changed file with no other difference than its bytes': `${large}?cutAfter=2000000&noRange&validator=none&etagChanges=1`,
  },
  SOURCE_UNREACHABLE: {
    'too many redirects': `${file}?redirect=6`,
    'a redirect to a private address': `${file}?redirectTo=http%3A%2F%2F127.0.0.1%3A1%2F`,
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

test.each(['', '?chunked', '?noRange'])('a file above the size limit is refused (query "%s")', async (query) => {
  const { outcome, sink } = await downloadedFile(`${large}${query}`, { maxBytes: 5_000_000 })
  expect(outcome).toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  expect(sink.writtenBytes()).toBeLessThanOrEqual(5_000_000)
})
