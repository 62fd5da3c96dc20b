import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import { Haul, type ImportResult } from '../../../client/src/index.ts'
import type { Access } from './access.ts'
import { jobProblem } from './small-file.ts'

const MINUTE_MS = 60_000
/** 10 GB at 40 Mbit/s take 34 minutes. */
const UPLOAD_TIMEOUT_MS = 40 * MINUTE_MS
const IMPORT_TIMEOUT_MS = 60 * MINUTE_MS
const LINK_SECONDS = 2 * 3_600

/** Uploads a file in parts as callers do, and then imports it, so that a container uploads parts too. Removes both. */
export const importLargeFile = async (
  access: Access,
  sizeBytes: number,
  secretOf: (name: string) => string | undefined,
): Promise<string> => {
  await using cleanUps = new AsyncDisposableStack()
  const later = (cleanUp: () => Promise<unknown>) =>
    cleanUps.defer(() => cleanUp().then(noResult, ({ message }) => console.warn(`    left behind: ${message}`)))
  const folder = await mkdtemp(join(tmpdir(), 'haul-canary-'))
  later(() => rm(folder, { recursive: true }))
  const path = join(folder, 'canary.wav')
  await writeSilence(path, sizeBytes)

  const begun = performance.now()
  const { uploadId, address } = await upload(access, path)
  later(() => access.haul.uploads.delete(uploadId))
  const said = `uploaded ${gigabytes(sizeBytes)} in ${secondsSince(begun)}`
  const url = secretOf('CANARY_LARGE_URL') || (await linkTo(address, secretOf))
  if (!url)
    return `${said}. NOT TESTED: its import, which needs CANARY_LARGE_URL, or MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY`

  const since = performance.now()
  const job = await access.haul.import(url, { includeVideo: false, timeoutMs: IMPORT_TIMEOUT_MS }).catch((cause) => {
    throw new Error(`${said}. Its import did not succeed: ${jobProblem(cause, IMPORT_TIMEOUT_MS)}`, { cause })
  })
  later(() => access.haul.jobs.remove(job.jobId))
  const time = secondsSince(since)
  await checkStored(job)
  return `${said}, imported ${gigabytes(job.fileSizeBytes)} in ${time}`
}

const noResult = (): void => {}

/** Uploads a file as callers do. `address` is the object's URL in the bucket, without a signature. */
const upload = async ({ baseUrl, apiKey }: Access, path: string) => {
  let address = ''
  const haul = new Haul({
    baseUrl,
    apiKey,
    fetch: (input, init) => {
      if (init?.method === 'PUT') address = `${input}`.split('?')[0] ?? ''
      return fetch(input, init)
    },
  })
  const options = { filename: 'canary.wav', timeoutMs: UPLOAD_TIMEOUT_MS }
  const { uploadId } = await haul.uploads.create(path, options).catch((cause: Error) => {
    throw new Error(`The upload of a large file did not succeed: ${cause.message}`, { cause })
  })
  return { uploadId, address }
}

/** A link that reads an object of the bucket. null: the keys of the bucket are not known here. */
const linkTo = async (address: string, secretOf: (name: string) => string | undefined): Promise<string | null> => {
  const [accessKeyId, secretAccessKey] = ['MEDIA_S3_ACCESS_KEY_ID', 'MEDIA_S3_SECRET_ACCESS_KEY'].map(secretOf)
  if (!accessKeyId || !secretAccessKey) return null
  // The parts of an upload may have gone through a server that only passes them on.
  const endpoint = secretOf('MEDIA_S3_ENDPOINT')
  const object = endpoint ? endpoint + address.slice(address.indexOf('/uploads/')) : address
  const url = `${object}?X-Amz-Expires=${LINK_SECONDS}`
  const keys = { accessKeyId, secretAccessKey, service: 's3', region: 'auto' }
  return (await new AwsV4Signer({ url, signQuery: true, ...keys }).sign()).url.href
}

const checkStored = async ({ mediaUrl, fileSizeBytes }: ImportResult): Promise<void> => {
  const response = await fetch(mediaUrl, { headers: { range: 'bytes=-16' } })
  await response.body?.cancel()
  const range = response.headers.get('content-range')
  if (range !== `bytes ${fileSizeBytes - 16}-${fileSizeBytes - 1}/${fileSizeBytes}`)
    throw new Error(`The end of a stored file of ${fileSizeBytes} bytes was answered with ${response.status} ${range}.`)
}

const secondsSince = (ms: number): string => `${((performance.now() - ms) / 1_000).toFixed(0)} s`

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`

/** 10 GB last less than four hours. */
const SAMPLE_RATE = 192_000
const CHANNELS = 2
const SAMPLE_BYTES = 2
/** The sizes of a file that may have more than 4 GB are in a chunk of their own. */
const SEE_DS64 = 0xffffffff

/** A silent WAVE file of any size. It takes the space of its header, where the file system knows files with holes. */
export const writeSilence = async (path: string, sizeBytes: number): Promise<void> => {
  const header = Buffer.alloc(80)
  const frameBytes = CHANNELS * SAMPLE_BYTES
  const dataBytes = sizeBytes - header.length
  header.write('RF64', 0)
  header.writeUInt32LE(SEE_DS64, 4)
  header.write('WAVEds64', 8)
  header.writeUInt32LE(28, 16)
  header.writeBigUInt64LE(BigInt(sizeBytes - 8), 20)
  header.writeBigUInt64LE(BigInt(dataBytes), 28)
  header.writeBigUInt64LE(BigInt(Math.floor(dataBytes / frameBytes)), 36)
  header.write('fmt ', 48)
  header.writeUInt32LE(16, 52)
  header.writeUInt16LE(1, 56)
  header.writeUInt16LE(CHANNELS, 58)
  header.writeUInt32LE(SAMPLE_RATE, 60)
  header.writeUInt32LE(SAMPLE_RATE * frameBytes, 64)
  header.writeUInt16LE(frameBytes, 68)
  header.writeUInt16LE(SAMPLE_BYTES * 8, 70)
  header.write('data', 72)
  header.writeUInt32LE(SEE_DS64, 76)
  await writeFile(path, header)
  await truncate(path, sizeBytes)
}
