import { find } from '../dom.js'
import { Haul, HaulConnectionError } from '../haul-client.js'

/** @import { Api } from '../account/api.js' */

const bar = find('#upload-progress', HTMLProgressElement)

/** Uploads a file, whose parts go straight to storage. Resolves to the id of the upload. @param {Api} api @param {File} file */
export const uploadFile = async (api, file) => {
  /** Bytes of the parts that are on their way. @type {Map<object, number>} */
  const sending = new Map()
  let sent = 0
  const show = () => {
    const bytes = [...sending.values()].reduce((sum, each) => sum + each, 0)
    bar.value = Math.max(bar.value, sent + bytes / Math.max(1, file.size))
  }
  /** @type {typeof fetch} */
  const fetchOrSend = (url, init) => {
    if (!(init?.body instanceof Blob)) return api.options.fetch(url, init)
    const part = {}
    const onProgress = (/** @type {number} */ bytes) => {
      sending.set(part, bytes)
      show()
    }
    return sendPart(`${url}`, init.body, init.signal, onProgress).finally(() => sending.delete(part))
  }
  bar.hidden = false
  bar.value = 0
  try {
    const { uploadId } = await new Haul({ ...api.options, fetch: fetchOrSend }).uploads.create(file, {
      ...(file.type ? { contentType: file.type } : {}),
      onProgress: ({ percent }) => {
        sent = (percent ?? 0) / 100
        show()
      },
    })
    return uploadId
  } finally {
    bar.hidden = true
  }
}

/**
 * A part as fetch would send it, which does not report the progress of a request.
 * @param {string} url
 * @param {Blob} bytes
 * @param {AbortSignal | null | undefined} signal
 * @param {(sent: number) => void} onProgress
 * @returns {Promise<Response>}
 */
const sendPart = (url, bytes, signal, onProgress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const failed = () =>
      reject(new HaulConnectionError('A part of the file could not be uploaded. Check the connection and try again.'))
    request.open('PUT', url)
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('error', failed)
    request.addEventListener('abort', () => reject(signal?.reason))
    request.addEventListener('load', () => {
      const etag = request.getResponseHeader('etag')
      if (request.status !== 200 || etag === null) return failed()
      resolve(new Response(null, { headers: { etag } }))
    })
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(bytes)
  })
