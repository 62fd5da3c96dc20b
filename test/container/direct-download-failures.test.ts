import { expect, test } from 'vitest'
import type { FailureCode } from '../../worker/domain/codes/failures.ts'
import { byOutcome } from './by-outcome.ts'
import { downloadedFile } from './downloading.ts'

const file = '/media/faststart.mp4'
const large = '/generated/20000000.mp4'

const failing = byOutcome<FailureCode>({
  SOURCE_TRUNCATED: {
    'a length that is more than there is': `${file}?lieLength=1000000`,
    'such a length without ranges': `${file}?lieLength=1000000&noRange`,
    'a total that is less than the range': `${file}?lieLength=100000`,
    'a cut at the same byte each time': `${file}?cutAfter=1000&noRange&times=always`,
    'a cut of a chunked body each time': `${file}?cutAfter=1000&chunked&times=always`,
    'cuts that leave next to nothing': `${file}?cutAfter=1000&times=always`,
    'a stall each time': `${file}?stallAfter=1000&noRange&times=always`,
    'another file after a cut': `${large}?cutAfter=100000&etagChanges=1`,
    'another file that ignores If-Range': `${large}?cutAfter=100000&etagChanges=1&ignoreIfRange`,
    'another file that nothing but its bytes tells apart': `${large}?cutAfter=2000000&noRange&validator=none&etagChanges=1`,
  },
  SOURCE_UNREACHABLE: {
    'too many redirects': `${file}?redirect=6`,
    'a redirect inside': `${file}?redirectTo=http%3A%2F%2F127.0.0.1%3A1%2F`,
    'an origin that is broken for good': `${file}?status=500`,
  },
  SOURCE_NOT_FOUND: {
    'no such file': '/media/nothing.mp4',
    'a file that is gone': `${file}?status=410`,
  },
  SOURCE_BLOCKED: { 'an origin that refuses': `${file}?needReferer=` },
  SOURCE_RATE_LIMITED: { 'an origin that is busy for good': `${file}?status=429` },
})

test.each(failing)('%s fails with %s', async (_what, code, path) => {
  const { outcome, requests } = await downloadedFile(path)
  expect(outcome).toMatchObject({ code })
  expect(requests.length).toBeLessThan(12)
})

test.each(['', '?chunked', '?noRange'])('a file above the limit is refused, %s', async (query) => {
  const { outcome, sink } = await downloadedFile(`${large}${query}`, { maxBytes: 5_000_000 })
  expect(outcome).toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  expect(sink.writtenBytes()).toBeLessThanOrEqual(5_000_000)
})
