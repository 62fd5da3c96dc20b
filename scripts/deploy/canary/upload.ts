import { Haul } from '../../../client/src/index.ts'
import type { FullCanary } from './trial.ts'

interface Uploaded {
  uploadId: string
  /** Of the object in the bucket, without a signature. */
  address: string
}

/** Uploads a file as callers do. It is deleted in the end. */
export const upload = async (
  { baseUrl, apiKey, cleanUps }: Pick<FullCanary, 'baseUrl' | 'apiKey' | 'cleanUps'>,
  file: string | Blob,
  options: { filename: string; timeoutMs?: number },
): Promise<Uploaded> => {
  let address = ''
  const haul = new Haul({
    baseUrl,
    apiKey,
    fetch: (input, init) => {
      // A part of the file. All have the same address.
      if (init?.method === 'PUT') address = `${input}`.split('?')[0] ?? ''
      return fetch(input, init)
    },
  })
  const { uploadId } = await haul.uploads.create(file, options).catch((cause: Error) => {
    throw new Error(`The upload of ${options.filename} did not succeed: ${cause.message}`, { cause })
  })
  cleanUps.push(() => haul.uploads.delete(uploadId))
  return { uploadId, address }
}
