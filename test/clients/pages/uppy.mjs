import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'

const haul = async (method, path, body) => {
  const headers = { Authorization: 'Bearer haul_…', 'Content-Type': 'application/json' }
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(`https://haul.example.com${path}`, request)
  const { success, data, error } = await response.json()
  if (!success) throw new Error(error)
  return data
}

const partUrls = new Map()
const uppy = new Uppy().use(AwsS3, {
  shouldUseMultipart: true,
  // The size of all parts but the last: `partSizeBytes` of every upload.
  getChunkSize: () => 8 * 1024 * 1024,
  createMultipartUpload: async ({ name, size }) => {
    const { uploadId, parts } = await haul('POST', '/uploads', { filename: name, sizeBytes: size })
    for (const { number, url } of parts) partUrls.set(`${uploadId} ${number}`, url)
    return { uploadId, key: name }
  },
  signPart: (_, { uploadId, partNumber }) => ({ url: partUrls.get(`${uploadId} ${partNumber}`) }),
  listParts: () => [],
  abortMultipartUpload: (_, { uploadId }) => haul('DELETE', `/uploads/${uploadId}`),
  completeMultipartUpload: async (_, { uploadId, parts }) => {
    const sent = parts.map(({ PartNumber, ETag }) => ({ number: PartNumber, etag: ETag }))
    const { status } = await haul('POST', `/uploads/${uploadId}/complete`, { parts: sent })
    return { location: `${status} ${parts.length} parts` }
  },
})

export const run = async (file) => {
  uppy.addFile({ name: file.name, type: file.type, data: file })
  const { successful, failed } = await uppy.upload()
  if (failed.length > 0) throw new Error(failed[0].error)
  return successful[0].uploadURL
}
