import { find } from './dom.js'

/** @typedef {{number: number, url: string}} Part */
/** @typedef {{uploadId: string, partSizeBytes: number, parts: Part[]}} Upload */

const AT_ONCE = 3
const TRIES = 4
const PAUSE_MS = 1_000

const bar = find('#upload-progress', HTMLProgressElement)

/**
 * Uploads a file in parts, straight to storage, and resolves to the id of the upload.
 * @param {import('./api.js').Client} api
 * @param {File} file
 */
export const uploadFile = async (api, file) => {
  const about = { filename: file.name, sizeBytes: file.size, ...(file.type ? { contentType: file.type } : {}) }
  bar.hidden = false
  bar.value = 0
  try {
    /** @type {Upload} */
    const { uploadId, partSizeBytes, parts } = await api.post('/uploads', about)
    const sent = await sendParts(file, parts, partSizeBytes)
    await api.post(`/uploads/${uploadId}/complete`, { parts: sent })
    return uploadId
  } finally {
    bar.hidden = true
  }
}

/** @param {File} file @param {Part[]} parts @param {number} partSizeBytes */
const sendParts = async (file, parts, partSizeBytes) => {
  /** @type {{number: number, etag: string}[]} */
  const sent = []
  const sentBytes = new Map()
  const waiting = [...parts]
  const work = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const { number } = part
      const start = (number - 1) * partSizeBytes
      const onProgress = (/** @type {number} */ bytes) => {
        sentBytes.set(number, bytes)
        bar.value = [...sentBytes.values()].reduce((sum, each) => sum + each, 0) / Math.max(1, file.size)
      }
      sent.push({ number, etag: await sendAgain(part, file.slice(start, start + partSizeBytes), onProgress) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return sent
}

/** @param {Part} part @param {Blob} bytes @param {(sent: number) => void} onProgress */
const sendAgain = async (part, bytes, onProgress) => {
  for (let tries = 1; ; tries++) {
    try {
      return await send(part, bytes, onProgress)
    } catch (error) {
      if (tries === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** tries))
    }
  }
}

/** XMLHttpRequest, because fetch does not report the progress of a request. @param {Part} part @param {Blob} bytes @param {(sent: number) => void} onProgress @returns {Promise<string>} */
const send = ({ url }, bytes, onProgress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const failed = () =>
      reject(new Error('A part of the file could not be uploaded. Check the connection and try again.'))
    request.open('PUT', url)
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('error', failed)
    request.addEventListener('load', () => {
      const etag = request.getResponseHeader('etag')
      if (request.status !== 200 || etag === null) return failed()
      onProgress(bytes.size)
      resolve(etag)
    })
    request.send(bytes)
  })
