import type { ProgressOptions } from '../options.ts'

/** Call the returned function with the size of each part that was sent. */
export const uploadProgress = (totalBytes: number, onProgress: ProgressOptions['onProgress']) => {
  const since = Date.now()
  let sentBytes = 0
  const report = () => {
    const seconds = (Date.now() - since) / 1_000
    const bytesPerSecond = sentBytes > 0 && seconds > 0 ? Math.round(sentBytes / seconds) : null
    const etaSeconds = bytesPerSecond && Math.ceil((totalBytes - sentBytes) / bytesPerSecond)
    const percent = Math.floor((100 * sentBytes) / totalBytes)
    onProgress?.({ stage: 'uploading', percent, bytesPerSecond, etaSeconds })
  }
  report()
  return (sizeBytes: number): void => {
    sentBytes += sizeBytes
    report()
  }
}
