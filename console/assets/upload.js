import { find } from './dom.js'

/** @typedef {{number: number, url: string, sizeBytes: number}} Part */
/** @typedef {{uploadId: string, parts: Part[]}} Upload */

const AT_ONCE = 3
const TRIES = 4
const PAUSE_MS = 1_000

const bar = find('#upload-progress', HTMLProgressElement)

/**
 * Uploads a file in parts, straight to storage, and resolves to the id of the upload.
 * @param {import('./api.js').Client} api
 * @param {File} file
 * @param {() => string} newKey An Idempotency-Key.
 */
export const uploadFile = async (api, file, newKey) => {
  const about = { filename: file.name, sizeBytes: file.size, ...(file.type ? { contentType: file.type } : {}) }
  bar.hidden = false
  bar.value = 0
  try {
    /** @type {Upload} */
    const { uploadId, parts } = await api.post('/uploads', about, newKey())
    const etags = await sendParts(file, parts)
    const sent = parts.map(({ number }) => ({ number, etag: etags.get(number) ?? '' }))
    await api.post(`/uploads/${uploadId}/complete`, { parts: sent }, newKey())
    return uploadId
  } finally {
    bar.hidden = true
  }
}

/** @param {File} file @param {Part[]} parts @returns {Promise<Map<number, string>>} */
const sendParts = async (file, parts) => {
  /** @type {Map<number, string>} */
  const etags = new Map()
  const sentBytes = new Map()
  const starts = startsOf(parts)
  const waiting = [...parts]
  const onProgress = (/** @type {number} */ number, /** @type {number} */ bytes) => {
    sentBytes.set(number, bytes)
    bar.value = [...sentBytes.values()].reduce((sum, each) => sum + each, 0) / Math.max(1, file.size)
  }
  const work = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const start = starts.get(part.number) ?? 0
      const { number } = part
      const bytes = file.slice(start, start + part.sizeBytes)
      etags.set(number, await sendAgain(part, bytes, (sent) => onProgress(number, sent)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return etags
}

/** Where each part begins in the file. @param {Part[]} parts */
const startsOf = (parts) => {
  let at = 0
  return new Map(
    parts.map(({ number, sizeBytes }) => {
      at += sizeBytes
      return [number, at - sizeBytes]
    }),
  )
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
