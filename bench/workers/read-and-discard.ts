/** The least that a copy out of R2 can do: reads the largest object by ranges, a few at a time, and keeps nothing. */
interface DiscardEnv {
  MEDIA: R2Bucket
}

const RANGE_BYTES = 8 * 1024 * 1024
const PARALLEL_READS = 4

export default {
  async fetch(request, env): Promise<Response> {
    if (new URL(request.url).pathname === '/health') return new Response('ok')
    const { objects } = await env.MEDIA.list()
    const [largest] = objects.toSorted((a, b) => b.size - a.size)
    if (!largest) return new Response('the bucket is empty', { status: 404 })
    let [offset, readBytes] = [0, 0]
    const readRanges = async (): Promise<void> => {
      let memory = new ArrayBuffer(RANGE_BYTES)
      while (offset < largest.size) {
        const length = Math.min(RANGE_BYTES, largest.size - offset)
        const range = { offset, length }
        offset += length
        const object = await env.MEDIA.get(largest.key, { range })
        if (!object) throw new Error(`${largest.key} is gone`)
        const read = await object.body
          .getReader({ mode: 'byob' })
          .readAtLeast(length, new Uint8Array(memory, 0, length))
        readBytes += read.value?.length ?? 0
        if (read.value) memory = read.value.buffer as ArrayBuffer
      }
    }
    await Promise.all(Array.from({ length: PARALLEL_READS }, readRanges))
    return Response.json({ readBytes })
  },
} satisfies ExportedHandler<DiscardEnv>
