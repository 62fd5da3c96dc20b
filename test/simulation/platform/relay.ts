import type { Clock, Owner } from '../clock.ts'

/** A stream as its reader gets it: each chunk is an event of the reader, so a dead one gets none. */
export const relay = (clock: Clock, reader: Owner | null, from: ReadableStream<Uint8Array>, latencyMs: number) => {
  const chunks = from.getReader()
  let isCanceled = false
  return new ReadableStream<Uint8Array>({
    pull: (controller) =>
      new Promise((resolve) => {
        const arrive = (act: () => void) => {
          clock.schedule(latencyMs, reader, 'chunk', () => {
            if (!isCanceled) act()
            resolve()
          })
        }
        chunks.read().then(
          ({ value, done }) => arrive(() => (done ? controller.close() : controller.enqueue(value))),
          (cause) => arrive(() => controller.error(cause)),
        )
      }),
    cancel: (reason) => {
      isCanceled = true
      return chunks.cancel(reason)
    },
  })
}
