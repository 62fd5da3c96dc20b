import { HaulConnectionError } from '../errors.ts'
import { limitedSignal } from './call.ts'
import { asHaulError, type Connection, type RequestToSend } from './connection.ts'
import { eventParser, type Message } from './event-parser.ts'

/** The service sends a comment every 15 seconds, so a stream that is silent for longer is dead. */
const SILENCE_MS = 45_000

export interface StreamOptions {
  signal: AbortSignal
  /** How long to wait for the first message, because a proxy may hold the stream back. Default: as long as it takes. */
  firstEventMs?: number
}

/** The messages of one response, until its stream ends. Faults of the connection are thrown. */
export async function* readEvents(
  connection: Connection,
  request: RequestToSend,
  { signal, firstEventMs }: StreamOptions,
): AsyncGenerator<Message> {
  const reason = () => new HaulConnectionError('The stream of events is silent.')
  const silence = limitedSignal({ parent: signal, limitMs: firstEventMs ?? SILENCE_MS, reason })
  const parse = eventParser()
  let reader: ReadableStreamDefaultReader<string> | undefined
  try {
    const headers = { ...request.headers, Accept: 'text/event-stream' }
    const response = await connection.fetchOnce({ ...request, headers }, silence.signal)
    if (!response.body || !/^text\/event-stream/i.test(response.headers.get('content-type') ?? '')) {
      throw new HaulConnectionError('The response is not a stream of events.')
    }
    reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let isWaiting = firstEventMs !== undefined
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const messages = parse(value)
      isWaiting &&= messages.length === 0
      // The reader of the messages takes as long as it needs.
      silence.stop()
      yield* messages
      silence.restart(isWaiting ? firstEventMs : SILENCE_MS)
    }
  } catch (cause) {
    throw asHaulError(cause, silence.signal)
  } finally {
    silence.release()
    await reader?.cancel().catch(() => {})
  }
}
