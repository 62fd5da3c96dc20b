import { Response } from 'undici'

export type Chunk = { done: true } | { done: false; value: Uint8Array }

/**
 * A copy of a response whose body is read only when its reader asks for more, and passes through `read` on the way. An
 * error of `read` ends the body and its connection.
 */
export const withBodyOnDemand = (
  response: Response,
  read: (next: () => Promise<Chunk>) => Promise<Chunk>,
): Response => {
  const reader = response.body?.getReader()
  if (!reader) return response
  const next = () => reader.read() as Promise<Chunk>
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const chunk = await read(next)
          if (chunk.done) controller.close()
          else controller.enqueue(chunk.value)
        } catch (error) {
          await reader.cancel(error).catch(() => {})
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers, url } = response
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url })
}
