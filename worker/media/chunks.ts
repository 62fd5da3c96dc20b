/** After each chunk the other requests of the Worker get their turn. */
const CHUNK_BYTES = 65_536

/** A promise that is resolved already would continue before any other request gets its turn. */
const otherRequests = () => scheduler.wait(0)

/** R2 returns pieces of 4 KiB, which take longer to pass on than to read. */
export async function* readInChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader({ mode: 'byob' })
  try {
    for (;;) {
      const { value, done } = await reader.readAtLeast(CHUNK_BYTES, new Uint8Array(CHUNK_BYTES))
      if (value) yield value
      if (done) return
      await otherRequests()
    }
  } finally {
    await reader.cancel()
  }
}

/** Joins texts to chunks. A character has up to three bytes. */
export async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let chunk = ''
  for await (const text of texts) {
    chunk += text
    if (chunk.length < CHUNK_BYTES / 2) continue
    yield encoder.encode(chunk)
    chunk = ''
    await otherRequests()
  }
  if (chunk !== '') yield encoder.encode(chunk)
}

/** Runs the generator as far as the client reads. `onCancel`: ends what the generator waits for when the client has gone. */
export const streamOf = (
  chunks: AsyncGenerator<Uint8Array>,
  onCancel: () => void = () => {},
): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async (controller) => {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      onCancel()
      await chunks.return(undefined)
    },
  })
