import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Bucket } from '../../../worker/bucket/s3/bucket.ts'
import type { BucketOptions } from '../../../worker/bucket/s3/connection.ts'
import type { CopyState } from '../../../worker/bucket/s3/copy-state.ts'
import { bucketAt, MIB, type SampleFile, sampleFile, storedBytes } from '../../doubles/s3/copy-fixtures.ts'
import { type FlakyS3, type Script, type SeenRequest, startFlakyS3 } from '../../doubles/s3/flaky.ts'
import { sigV4Problem } from '../../doubles/s3/sigv4.ts'
import { startVersity, type Versity } from '../../doubles/s3/versity.ts'

/** Three parts: 8 MiB, 8 MiB and the remainder. */
export const SIZE = 19 * MIB + 123

export interface CopySetup {
  readonly server: Versity
  /** A bucket behind a proxy that fails as the script specifies. */
  through(script?: Script, options?: BucketOptions): Promise<{ proxy: FlakyS3; bucket: Bucket }>
  /** Three parts by default. */
  newFile(sizeBytes?: number): SampleFile
  expectCopied(file: SampleFile): Promise<void>
}

/**
 * A real S3 server for the tests of one file. After each test, no unfinished upload may be left, and every request
 * must pass the strict signature check.
 */
export const copySetup = (): CopySetup => {
  let server: Versity
  const proxies: FlakyS3[] = []
  let files = 0
  beforeAll(async () => {
    server = await startVersity()
    await server.makeBucket('media')
  })
  afterAll(() => server.close())
  afterEach(async () => {
    const opened = proxies.splice(0)
    await Promise.all(opened.map((proxy) => proxy.close()))
    expect(await server.unfinishedUploads('media')).toEqual([])
    const complete = opened
      .flatMap(({ seen }) => seen)
      .filter(({ headers, body }) => Number(headers['content-length'] ?? 0) === body.length)
    expect(complete.map(sigV4Problem).filter(Boolean)).toEqual([])
  })
  return {
    get server() {
      return server
    },
    through: async (script = () => null, options = {}) => {
      const proxy = await startFlakyS3(server.endpoint, script)
      proxies.push(proxy)
      return { proxy, bucket: bucketAt(server, proxy.endpoint, options) }
    },
    newFile: (sizeBytes = SIZE) => sampleFile(sizeBytes, `film ${++files}.mp4`),
    expectCopied: async (file) => {
      expect(Buffer.compare(await storedBytes(server, file.key), file.bytes)).toBe(0)
    },
  }
}

export const last = (saves: CopyState[]): CopyState => saves.at(-1) ?? expect.fail('nothing was saved')

/** No saved part is sent again. Parts are not counted: a request of an earlier run may arrive late. */
export const expectNoneAgain = (requests: SeenRequest[], { parts }: CopyState): void => {
  const saved = parts.map(({ number }) => `partNumber=${number}&`)
  const sent = requests.filter(({ kind }) => kind === 'part')
  expect(sent.filter(({ target }) => saved.some((part) => target.includes(part)))).toEqual([])
}
