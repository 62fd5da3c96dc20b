import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGuard } from '../../../container/egress/guard.ts'
import { inspectStored } from '../../../container/lookups/inspect.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { scratchFolder } from '../audio/recordings.ts'

let fixtures: Origin
let made: Origin
const folder = scratchFolder()

/** An ID3v2.3 tag with a picture of 3 MB, whose length is in four bytes of seven bits. */
const withPicture = (mp3: Buffer): Buffer => {
  const size = 3_000_000
  const tag = Buffer.alloc(10 + size)
  tag.write('ID3\x03\0\0', 'latin1')
  for (const [index, shift] of [21, 14, 7, 0].entries()) tag[6 + index] = (size >> shift) & 0x7f
  return Buffer.concat([tag, mp3])
}

beforeAll(async () => {
  mkdirSync(join(folder, 'work'))
  writeFileSync(join(folder, 'picture.mp3'), withPicture(readFileSync(fixture('tone.mp3'))))
  const words = 'These are words and no film. '.repeat(1_000)
  writeFileSync(join(folder, 'words.mp4'), words)
  writeFileSync(
    join(folder, 'only-the-name.mp4'),
    Buffer.concat([Buffer.from('\0\0\0\x18ftypisom', 'latin1'), Buffer.from(words)]),
  )
  const frames = readFileSync(fixture('tone.aac'))
  writeFileSync(join(folder, 'long.aac'), Buffer.concat(Array(Math.ceil(4_000_000 / frames.length)).fill(frames)))
  writeFileSync(join(folder, 'list.m3u8'), '#EXTM3U\n#EXTINF:1\nhttp://127.0.0.1:1/a.ts\n')
  writeFileSync(join(folder, 'page.html'), '<!doctype html><video src="http://127.0.0.1:1/a.mp4">')
  ;[fixtures, made] = await Promise.all([startOrigin(), startOrigin({ root: folder })])
})
afterAll(() => Promise.all([fixtures.close(), made.close()]))

const notLookedAt = () => Promise.reject(new Error('no page is looked at'))

const inspected = (origin: Origin, path: string, { sizeBytes = 1_000, signal = new AbortController().signal } = {}) => {
  const tools = {
    // Nothing is allowed: storage is not asked for.
    guard: createGuard({ lookup: async () => [] }),
    extractors: {
      session: () => ({ tracked: () => ({ extract: notLookedAt, list: notLookedAt, readBy: null }), close: () => {} }),
    },
    workRoot: join(folder, 'work'),
    log: () => {},
  }
  return inspectStored({ url: `${origin.url}${path}`, sizeBytes, timeoutMs: 20_000 }, tools, signal)
}

const sizeOf = (path: string) => readFileSync(path).length

describe('a stored file', () => {
  test.each([
    ['faststart.mp4', 'video/mp4', 'mp4'],
    ['tone.mp3', 'audio/mpeg', 'mp3'],
  ])('that is media has the type and the length of its bytes: %s', async (name, contentType, extension) => {
    const sizeBytes = sizeOf(fixture(name))
    expect(await inspected(fixtures, `/media/${name}`, { sizeBytes })).toEqual({
      ...{ status: 'done', contentType, extension },
      durationSeconds: expect.closeTo(6, 0),
      readBytes: 0,
    })
  })

  test('with a picture of 3 MB before its sound is media', async () => {
    const sizeBytes = sizeOf(join(folder, 'picture.mp3'))
    expect(await inspected(made, '/media/picture.mp3', { sizeBytes })).toMatchObject({
      status: 'done',
      extension: 'mp3',
    })
  })

  test('of 4 GB is known from its ends', async () => {
    const before = fixtures.sentBytes
    const answer = await inspected(fixtures, '/generated/4000000000.mp4', { sizeBytes: 4_000_000_000 })
    expect(answer).toMatchObject({ status: 'done', contentType: 'video/mp4' })
    expect(fixtures.sentBytes - before).toBeLessThan(48_000_000)
  })

  test('whose length can only be estimated has none', async () => {
    const sizeBytes = sizeOf(join(folder, 'long.aac'))
    expect(await inspected(made, '/media/long.aac', { sizeBytes })).toMatchObject({
      ...{ status: 'done', contentType: 'audio/aac', durationSeconds: null },
    })
  })

  test.each(['words.mp4', 'only-the-name.mp4', 'list.m3u8', 'page.html'])(
    'that is no media is none: %s',
    async (name) => {
      const sizeBytes = sizeOf(join(folder, name))
      expect(await inspected(made, `/media/${name}`, { sizeBytes })).toMatchObject({
        status: 'failed',
        code: 'SOURCE_UNSUPPORTED',
      })
    },
  )

  test.each(['?status=503&retryAfter=0', '?status=403', '-of-nothing'])(
    'that storage does not give is not refused for it: %s',
    async (fault) => {
      expect(await inspected(fixtures, `/media/tone.mp3${fault}`)).toMatchObject({ code: 'SOURCE_UNREACHABLE' })
    },
  )

  test('that takes too long is given up, and leaves no files', async () => {
    const signal = AbortSignal.timeout(300)
    const answer = await inspected(fixtures, '/generated/50000000.mp4?ratePerSecond=1000', { signal })
    expect(answer).toMatchObject({ status: 'failed', code: 'TIMED_OUT' })
    expect(readdirSync(join(folder, 'work'))).toEqual([])
  })
})
