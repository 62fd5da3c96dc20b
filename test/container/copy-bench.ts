import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Bucket } from '../../worker/delivery/s3/client.ts'
import type { BucketOptions } from '../../worker/delivery/s3/connection.ts'
import type { CopyState } from '../../worker/delivery/s3/run.ts'
import { bucketAt, MIB, type SampleFile, sampleFile, storedBytes } from '../s3/delivery.ts'
import { type FlakyS3, type Script, type SeenRequest, startFlakyS3 } from '../s3/flaky.ts'
import { sigV4Problem } from '../s3/sigv4.ts'
import { startVersity, type Versity } from '../s3/versity.ts'

/** Three parts: 8 MiB, 8 MiB and a rest. */
export const SIZE = 19 * MIB + 123

export interface CopyBench {
  readonly server: Versity
  /** A bucket behind a network that does what the script says. */
  through(script?: Script, options?: BucketOptions): Promise<{ proxy: FlakyS3; bucket: Bucket }>
  /** Three parts of it, unless told otherwise. */
  newFile(sizeBytes?: number): SampleFile
  expectDelivered(file: SampleFile): Promise<void>
}

/**
 * A real S3 server for the tests of one file. It checks after each that no upload is left behind, and that no
 * request was sent that a strict reader of the rules would refuse.
 */
export const copyBench = (): CopyBench => {
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
    const whole = opened
      .flatMap(({ seen }) => seen)
      .filter(({ headers, body }) => Number(headers['content-length'] ?? 0) === body.length)
    expect(whole.map((request) => sigV4Problem(request, server, Date.now())).filter(Boolean)).toEqual([])
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
    expectDelivered: async (file) => {
      expect(Buffer.compare(await storedBytes(server, file.key), file.bytes)).toBe(0)
    },
  }
}

export const last = (saves: (CopyState | null)[]): CopyState => saves.at(-1) ?? expect.fail('Nothing is saved')

/**
 * No part that was saved is sent once more. Parts are not counted: one that an earlier run had on its way may
 * arrive late.
 */
export const expectNoneAgain = (requests: SeenRequest[], { parts }: CopyState): void => {
  const there = parts.map(({ number }) => `partNumber=${number}&`)
  const sent = requests.filter(({ kind }) => kind === 'part')
  expect(sent.filter(({ target }) => there.some((part) => target.includes(part)))).toEqual([])
}
