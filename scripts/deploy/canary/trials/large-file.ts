import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import type { ImportResult } from '../../../../client/src/index.ts'
import { jobProblem } from '../import.ts'
import { writeSilence } from '../silence.ts'
import type { FullCanary, Trial } from '../trial.ts'
import { upload } from '../upload.ts'

const MINUTE_MS = 60_000
/** 10 GB at 40 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 40 * MINUTE_MS
const IMPORT_TIMEOUT_MS = 60 * MINUTE_MS
/** The import of the next trial starts later. */
const LINK_SECONDS = 6 * 3_600

/**
 * A file is uploaded in parts as callers do, and then imported, so that a container uploads as many parts through its own
 * outbound connection.
 */
export const largeFile: Trial = {
  title: 'canary: a large file in parts',
  run: async (canary) => {
    const { largeBytes } = canary.sizes
    const folder = await mkdtemp(join(tmpdir(), 'haul-canary-'))
    canary.cleanUps.push(() => rm(folder, { recursive: true }))
    const path = join(folder, 'canary.wav')
    await writeSilence(path, largeBytes)
    const begun = performance.now()
    const { address } = await upload(canary, path, { filename: 'canary.wav', timeoutMs: UPLOAD_TIMEOUT_MS })
    const said = `uploaded ${gigabytes(largeBytes)} in ${secondsSince(begun)}`
    const url = canary.env.CANARY_LARGE_URL || (await linkTo(address, canary))
    if (!url)
      return `${said}. NOT TESTED: its import, which needs CANARY_LARGE_URL, or MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY`
    const since = performance.now()
    const job = await canary.haul.import(url, { includeVideo: false, timeoutMs: IMPORT_TIMEOUT_MS }).catch((cause) => {
      throw new Error(`${said}. Its import did not succeed: ${jobProblem(cause, IMPORT_TIMEOUT_MS)}`, { cause })
    })
    const time = secondsSince(since)
    canary.cleanUps.push(() => canary.haul.jobs.remove(job.jobId))
    await checkStored(job)
    canary.large = { url, sizeBytes: job.fileSizeBytes }
    return `${said}, imported ${gigabytes(job.fileSizeBytes)} in ${time}`
  },
}

/** The last bytes can be read where the file should end. */
export const checkStored = async ({ mediaUrl, fileSizeBytes }: Pick<ImportResult, 'mediaUrl' | 'fileSizeBytes'>) => {
  const response = await fetch(mediaUrl, { headers: { range: 'bytes=-16' } })
  await response.body?.cancel()
  const range = response.headers.get('content-range')
  if (range !== `bytes ${fileSizeBytes - 16}-${fileSizeBytes - 1}/${fileSizeBytes}`)
    throw new Error(`The end of a stored file of ${fileSizeBytes} bytes was answered with ${response.status} ${range}.`)
}

/** A link that reads an object of the bucket. null: the keys of the bucket are not known here. */
const linkTo = async (address: string, { env, secretsFile }: FullCanary): Promise<string | null> => {
  const secret = (name: string) => env[name] || secretsFile?.[name]
  const [accessKeyId, secretAccessKey] = ['MEDIA_S3_ACCESS_KEY_ID', 'MEDIA_S3_SECRET_ACCESS_KEY'].map(secret)
  if (!accessKeyId || !secretAccessKey) return null
  const url = `${address}?X-Amz-Expires=${LINK_SECONDS}`
  const keys = { accessKeyId, secretAccessKey, service: 's3', region: 'auto' }
  const signed = await new AwsV4Signer({ url, signQuery: true, ...keys }).sign()
  return signed.url.href
}

const secondsSince = (ms: number): string => `${((performance.now() - ms) / 1_000).toFixed(0)} s`

export const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`
